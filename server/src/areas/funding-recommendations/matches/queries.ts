import type { Connection, Tx } from '../../../platform/database/database.ts'

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

/** Programmes that were told of as new matches since a time. */
export async function findToldSince(
  db: Connection,
  portalId: string,
  projectId: string,
  time: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('found_matches')
    .select('program_id')
    .where('portal_id', '=', portalId)
    .where('project_id', '=', projectId)
    .where('found_at', '>=', time)
    .execute()
  return new Set(rows.map(({ program_id }) => program_id))
}

export async function upsertTold(
  tx: Tx,
  row: { portal_id: string; project_id: string; program_id: string; found_at: string },
): Promise<void> {
  await tx
    .insertInto('found_matches')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['portal_id', 'project_id', 'program_id']).doUpdateSet({ found_at: row.found_at }),
    )
    .execute()
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
