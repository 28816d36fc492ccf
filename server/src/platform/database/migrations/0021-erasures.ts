import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/** Businesses that were erased: ids only. What their recipients keep is marked, so that the sender no longer reads it. */
export async function erasures(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('erasures')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('scope', t.json, (c) => c.notNull())
    .addColumn('reason', t.text)
    .addColumn('counts', t.json, (c) => c.notNull())
    .addColumn('requested_at', t.time, (c) => c.notNull())
    .addColumn('completed_at', t.time)
    .addPrimaryKeyConstraint('erasures_pk', ['portal_id', 'id'])
    .execute()
  await db.schema
    .createIndex('erasures_by_business')
    .unique()
    .on('erasures')
    .columns(['portal_id', 'business_id'])
    .execute()
  await db.schema
    .createTable('erased_files')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('erased_files_pk', ['portal_id', 'business_id', 'id'])
    .modifyEnd(t.clustered)
    .execute()
  for (const table of ['deals', 'deal_applications'])
    await db.schema.alterTable(table).addColumn('erased_at', t.time).execute()
  await sql`create index erasures_pending on erasures (portal_id, requested_at) where state = 'pending'`.execute(db)
}
