import type { Insertable } from 'kysely'
import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'

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

/** When several projects were last told of programmes, by project and programme. */
export async function findTold(
  db: Connection,
  portalId: string,
  projectIds: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const rows = await db
    .selectFrom('found_matches')
    .select(['project_id', 'program_id', 'found_at'])
    .where('portal_id', '=', portalId)
    .where('project_id', 'in', projectIds)
    .execute()
  const found = new Map<string, Map<string, string>>()
  for (const { project_id, program_id, found_at } of rows)
    found.set(project_id, (found.get(project_id) ?? new Map()).set(program_id, found_at))
  return found
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
