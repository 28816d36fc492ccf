import type { Connection, Tx } from '../../platform/database/database.ts'

export type KeyRow = Awaited<ReturnType<typeof listKeys>>[number]

const keyColumns = [
  'portal_id',
  'id',
  'name',
  'last4',
  'grants',
  'rate_limits',
  'created_at',
  'expires_at',
  'replaced_until',
  'revoked_at',
  'last_used_at',
] as const

export async function insertPortal(tx: Tx, portal: { portal_id: string; name: string; created_at: string }) {
  await tx
    .insertInto('portals')
    .values({ ...portal, state: 'active' })
    .execute()
}

export async function findPortal(db: Connection, portalId: string) {
  return db
    .selectFrom('portals')
    .select(['portal_id', 'name', 'state', 'created_at'])
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
}

export async function listPortals(db: Connection) {
  return db
    .selectFrom('portals')
    .select(['portal_id', 'name', 'state', 'created_at'])
    .orderBy('created_at')
    .orderBy('portal_id')
    .execute()
}

/** False when there is no such Portal. */
export async function updatePortal(
  tx: Tx,
  portalId: string,
  change: { state: 'active' | 'suspended' },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('portals')
    .set(change)
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The JSON text of a setting, unless it was never set. */
export async function findSetting(db: Connection, portalId: string, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('portal_settings')
    .select('value')
    .where('portal_id', '=', portalId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

export async function upsertSetting(
  tx: Tx,
  portalId: string,
  setting: { name: string; value: string; updated_at: string },
): Promise<void> {
  const { value, updated_at } = setting
  await tx
    .insertInto('portal_settings')
    .values({ ...setting, portal_id: portalId })
    .onConflict((conflict) => conflict.columns(['portal_id', 'name']).doUpdateSet({ value, updated_at }))
    .execute()
}

export async function insertKey(
  tx: Tx,
  portalId: string,
  key: {
    id: string
    name: string
    hash: string
    last4: string
    grants: string[]
    rate_limits: KeyRow['rate_limits']
    created_at: string
    expires_at: string | null
  },
) {
  await tx
    .insertInto('api_keys')
    .values({
      ...key,
      portal_id: portalId,
      grants: JSON.stringify(key.grants),
      rate_limits: JSON.stringify(key.rate_limits),
      replaced_until: null,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

/** The key and its Portal, by the hash of the key's text: the one query that does not know the Portal yet. */
export async function findKeyByHash(db: Connection, hash: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('portals', 'portals.portal_id', 'api_keys.portal_id')
    .select([
      ...keyColumns.map((column) => `api_keys.${column}` as const),
      'api_keys.hash',
      'portals.name as portal_name',
      'portals.state as portal_state',
    ])
    .where('api_keys.hash', '=', hash)
    .executeTakeFirst()
}

/** A key by its id alone, as an administrator names it. */
export async function findKey(db: Connection, keyId: string) {
  return db.selectFrom('api_keys').select(keyColumns).where('id', '=', keyId).executeTakeFirst()
}

export async function listKeys(db: Connection, portalId: string) {
  return db
    .selectFrom('api_keys')
    .select(keyColumns)
    .where('portal_id', '=', portalId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function setKeyRevoked(tx: Tx, portalId: string, keyId: string, revokedAt: string) {
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: revokedAt })
    .where('portal_id', '=', portalId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute()
}

export async function setKeyReplaced(tx: Tx, portalId: string, keyId: string, replacedUntil: string) {
  await tx
    .updateTable('api_keys')
    .set({ replaced_until: replacedUntil })
    .where('portal_id', '=', portalId)
    .where('id', '=', keyId)
    .execute()
}

export async function setKeyLastUsed(tx: Tx, portalId: string, keyId: string, usedAt: string) {
  await tx
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('portal_id', '=', portalId)
    .where('id', '=', keyId)
    .execute()
}
