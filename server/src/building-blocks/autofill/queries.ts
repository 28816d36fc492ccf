import type { Selectable } from 'kysely'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { RunState } from './states.ts'

const runColumns = [
  'portal_id',
  'id',
  'application_id',
  'version',
  'state',
  'state_changed_at',
  'mode',
  'sources',
  'sealed_outcome',
  'error',
  'created_at',
  'updated_at',
] as const
type StoredRun = Pick<Selectable<Tables['autofill_runs']>, (typeof runColumns)[number]>
export type RunRow = StoredRun & { state: RunState }

export async function insertRun(tx: Tx, row: RunRow): Promise<void> {
  await tx
    .insertInto('autofill_runs')
    .values({ ...row, sources: JSON.stringify(row.sources), error: null })
    .execute()
}

export async function findRun(db: Connection, portalId: string, id: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('autofill_runs')
    .select(runColumns)
    .$narrowType<{ state: RunState }>()
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A run that has not ended, begun after a time: an older one died with its process. */
export async function findActiveRun(
  db: Connection,
  portalId: string,
  applicationId: string,
  since: string,
): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('autofill_runs')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
    .where('created_at', '>', since)
    .where('state', 'in', ['queued', 'running'])
    .limit(1)
    .executeTakeFirst()
}

const runPages = definePagedQuery({
  rows: (db, { portal_id, application_id }: { portal_id: string; application_id: string }) =>
    db
      .selectFrom('autofill_runs')
      .select(runColumns)
      .$narrowType<{ state: RunState }>()
      .where('portal_id', '=', portal_id)
      .where('application_id', '=', application_id),
  filters: {},
  orders: { created_at: ['created_at', 'id'] },
})

export async function listRuns(db: Connection, portalId: string, applicationId: string, page: PageRequest) {
  return runPages(db, { portal_id: portalId, application_id: applicationId }, {}, page)
}

/** Writes a run as its next version. False when it has ended already: a run ends once. */
export async function updateRun(tx: Tx, row: RunRow): Promise<boolean> {
  const { state, state_changed_at, sealed_outcome, error, updated_at } = row
  const { numUpdatedRows } = await tx
    .updateTable('autofill_runs')
    .set({
      state,
      state_changed_at,
      sealed_outcome,
      error: error && JSON.stringify(error),
      updated_at,
      version: row.version + 1,
    })
    .where('portal_id', '=', row.portal_id)
    .where('id', '=', row.id)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
