import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

/**
 * The order in which events were inserted, whatever the clocks of their processes said. PostgreSQL counts those that are
 * new from now on; on SQLite, where one transaction writes at a time, `rowid` says it.
 */
export async function orderOfEvents(db: Kysely<unknown>, t: ColumnTypes, engine: Database['engine']): Promise<void> {
  await db.schema.alterTable('events').addColumn('inserted', t.integer).execute()
  if (engine === 'sqlite') return
  await sql`create sequence events_inserted`.execute(db)
  // A step of its own: a default that comes with the column would rewrite the whole table.
  await sql`alter table events alter column inserted set default nextval('events_inserted')`.execute(db)
}
