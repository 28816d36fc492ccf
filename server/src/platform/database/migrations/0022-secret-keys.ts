import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/**
 * The secret key can change: the deployment names the key that seals, and keeps the keys of its hashes, which do not change.
 * Every process says which keys it has, so that nobody seals with one that another process cannot open.
 */
export async function secretKeys(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('sealed_hash_keys', t.text).execute()
  await db.schema.alterTable('deployments').addColumn('key_changed_at', t.time).execute()
  await db.schema
    .createTable('secret_key_holders')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('process', t.text, (c) => c.notNull())
    .addColumn('keys', t.json, (c) => c.notNull())
    .addColumn('seen_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('secret_key_holders_pk', ['portal_id', 'process'])
    .execute()
}
