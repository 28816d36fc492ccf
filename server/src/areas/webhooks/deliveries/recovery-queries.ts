import type { Selectable } from 'kysely'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { updateVersion } from '../../../platform/database/versioned-rows.ts'

export type RecoveryRow = Selectable<Tables['webhook_recoveries']>

export async function findRecovery(db: Connection, portalId: string, id: string): Promise<RecoveryRow | undefined> {
  return db
    .selectFrom('webhook_recoveries')
    .selectAll()
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function insertRecovery(tx: Tx, row: RecoveryRow): Promise<void> {
  await tx
    .insertInto('webhook_recoveries')
    .values({ ...row, states: JSON.stringify(row.states) })
    .execute()
}

export async function updateRecovery(tx: Tx, row: RecoveryRow): Promise<boolean> {
  return updateVersion(tx, 'webhook_recoveries', { ...row, states: JSON.stringify(row.states) })
}

/** Removes recoveries of deliveries that are no longer kept. */
export async function deleteOldRecoveries(tx: Tx, portalId: string, before: string): Promise<void> {
  await tx.deleteFrom('webhook_recoveries').where('portal_id', '=', portalId).where('created_at', '<', before).execute()
}
