import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function questionnaires(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // A published version never changes: there is no version number for changes, and no updated_at.
  await db.schema
    .createTable('contracts')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('key', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('title', t.text, (c) => c.notNull())
    .addColumn('locale', t.text, (c) => c.notNull())
    .addColumn('sections', t.json, (c) => c.notNull())
    .addColumn('questions', t.json, (c) => c.notNull())
    .addColumn('option_sets', t.json, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('contracts_pkey', ['portal_id', 'id'])
    .execute()
  await db.schema
    .createIndex('contracts_by_version')
    .unique()
    .on('contracts')
    .columns(['portal_id', 'kind', 'key', 'version'])
    .execute()
}
