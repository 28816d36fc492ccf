import type { Insertable } from 'kysely'
import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { groupBy } from '../../../platform/values/groups.ts'
import { isInForce } from '../programs/in-force.ts'

/** When matches of a project were dismissed, by programme. */
export async function findDismissed(db: Connection, portalId: string, projectId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('dismissed_matches')
    .select(['program_id', 'dismissed_at'])
    .where('portal_id', '=', portalId)
    .where('project_id', '=', projectId)
    .execute()
  return new Map(rows.map(({ program_id, dismissed_at }) => [program_id, dismissed_at]))
}

export async function insertDismissed(
  tx: Tx,
  row: { portal_id: string; project_id: string; program_id: string; dismissed_at: string },
): Promise<void> {
  await tx.insertInto('dismissed_matches').values(row).execute()
}

export async function deleteDismissed(tx: Tx, portalId: string, projectId: string, programId: string): Promise<void> {
  await tx
    .deleteFrom('dismissed_matches')
    .where('portal_id', '=', portalId)
    .where('project_id', '=', projectId)
    .where('program_id', '=', programId)
    .execute()
}

/** The dismissed programmes of several projects. */
export async function findDismissedOf(
  db: Connection,
  portalId: string,
  projectIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const rows = await db
    .selectFrom('dismissed_matches')
    .select(['project_id', 'program_id'])
    .where('portal_id', '=', portalId)
    .where('project_id', 'in', projectIds)
    .execute()
  const found = new Map<string, Set<string>>()
  for (const { project_id, program_id } of rows)
    found.set(project_id, (found.get(project_id) ?? new Set()).add(program_id))
  return found
}

/** When several projects were last told of these programmes, by project and programme; only what was told since then. */
export async function findTold(
  db: Connection,
  portalId: string,
  { projectIds, programIds, since }: { projectIds: readonly string[]; programIds: readonly string[]; since: string },
): Promise<Map<string, Map<string, string>>> {
  const rows = await db
    .selectFrom('found_matches')
    .select(['project_id', 'program_id', 'found_at'])
    .where('portal_id', '=', portalId)
    .where('project_id', 'in', projectIds)
    .where('program_id', 'in', programIds)
    .where('found_at', '>=', since)
    .execute()
  const found = new Map<string, Map<string, string>>()
  for (const { project_id, program_id, found_at } of rows)
    found.set(project_id, (found.get(project_id) ?? new Map()).set(program_id, found_at))
  return found
}

/** How many of the programmes that a catalogue's version changed, up to this one, several projects were told of since. */
export async function countTold(
  db: Connection,
  portalId: string,
  projectIds: readonly string[],
  changes: { recipient_portal_id: string; catalog_version: number; program_id: string },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('found_matches')
    .innerJoin('funding_programs', 'funding_programs.id', 'found_matches.program_id')
    .select((eb) => ['found_matches.project_id', eb.fn.countAll<number>().as('count')])
    .where('found_matches.portal_id', '=', portalId)
    .where('found_matches.project_id', 'in', projectIds)
    .where('funding_programs.portal_id', '=', changes.recipient_portal_id)
    .where('funding_programs.catalog_version', '=', changes.catalog_version)
    .where('funding_programs.id', '<=', changes.program_id)
    .where(isInForce(changes.recipient_portal_id))
    .whereRef('found_matches.found_at', '>=', 'funding_programs.updated_at')
    .groupBy('found_matches.project_id')
    .execute()
  return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
}

/** What was told before the last calculation of its project, which knows it: nobody asks for it any more. */
export async function listOldTold(db: Connection, portalId: string, limit: number) {
  return db
    .selectFrom('found_matches')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.portal_id', '=', 'found_matches.portal_id')
        .onRef('projects.id', '=', 'found_matches.project_id'),
    )
    .innerJoin('match_calculations', (join) =>
      join
        .onRef('match_calculations.portal_id', '=', 'projects.portal_id')
        .onRef('match_calculations.id', '=', 'projects.calculation_id'),
    )
    .select(['found_matches.project_id', 'found_matches.program_id', 'found_matches.found_at'])
    .where('found_matches.portal_id', '=', portalId)
    .whereRef('found_matches.found_at', '<', 'match_calculations.created_at')
    .limit(limit)
    .execute()
}

/** Deletes rows that were not told anew meanwhile. */
export async function deleteTold(
  tx: Tx,
  portalId: string,
  rows: readonly Omit<Insertable<Tables['found_matches']>, 'portal_id'>[],
): Promise<void> {
  for (const [project_id, ofProject] of groupBy(rows, (row) => row.project_id))
    for (const [found_at, told] of groupBy(ofProject, (row) => row.found_at))
      await tx
        .deleteFrom('found_matches')
        .where('portal_id', '=', portalId)
        .where('project_id', '=', project_id)
        .where('found_at', '=', found_at)
        .where(
          'program_id',
          'in',
          told.map(({ program_id }) => program_id),
        )
        .execute()
}

const insertTold = compileInsert('found_matches', ['portal_id', 'project_id', 'program_id'])
const insertedAtOnce = 100

export async function upsertTold(tx: Tx, rows: readonly Insertable<Tables['found_matches']>[]): Promise<void> {
  for (let first = 0; first < rows.length; first += insertedAtOnce)
    await insertTold(tx, rows.slice(first, first + insertedAtOnce))
}

/** The deals that were created from matches of a project, by programme. */
export async function findMatchedDeals(
  db: Connection,
  portalId: string,
  projectId: string,
  programIds: readonly string[],
): Promise<Map<string, string>> {
  if (programIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('matched_deals')
    .select(['program_id', 'deal_id'])
    .where('portal_id', '=', portalId)
    .where('project_id', '=', projectId)
    .where('program_id', 'in', programIds)
    .execute()
  return new Map(rows.map(({ program_id, deal_id }) => [program_id, deal_id]))
}

export async function upsertMatchedDeal(
  tx: Tx,
  row: { portal_id: string; project_id: string; program_id: string; deal_id: string },
): Promise<void> {
  await tx
    .insertInto('matched_deals')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['portal_id', 'project_id', 'program_id']).doUpdateSet({ deal_id: row.deal_id }),
    )
    .execute()
}
