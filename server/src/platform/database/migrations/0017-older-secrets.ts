import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/** Secrets from before the previous one whose overlap has not ended: a second rotation keeps what the first one promised. */
export async function olderSecrets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('older_secrets', t.json, (c) => c.notNull().defaultTo('[]'))
    .execute()
}
