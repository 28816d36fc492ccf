// How far events of a Portal are out of the order of time, so that those of a time are found by their numbers; deliveries
// by state and type together; and what SQLite must know to choose among their indexes.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

export async function eventTimes(db: Kysely<unknown>, t: ColumnTypes, engine: Database['engine']): Promise<void> {
  // The latest time of an event that has a number, and by how much a later number had an earlier time, at most.
  await db.schema.alterTable('portals').addColumn('last_event_at', t.time).execute()
  await db.schema
    .alterTable('portals')
    .addColumn('event_disorder_ms', t.integer, (c) => c.notNull().defaultTo(0))
    .execute()
  const disorder =
    engine === 'postgres'
      ? sql`ceil(extract(epoch from newest - created_at) * 1000)`
      : sql`cast((julianday(newest) - julianday(created_at)) * 86400000 + 1 as integer)`
  await sql`
    update portals set last_event_at = known.last_event_at, event_disorder_ms = known.disorder
    from (
      select portal_id, max(newest) as last_event_at, max(${disorder}) as disorder
      from (
        select portal_id, created_at, max(created_at) over (partition by portal_id order by sequence) as newest
        from events where sequence is not null
      ) as times
      group by portal_id
    ) as known
    where known.portal_id = portals.portal_id
  `.execute(db)

  await db.schema
    .createIndex('webhook_deliveries_by_state_and_type')
    .on('webhook_deliveries')
    .columns(['portal_id', 'webhook_id', 'state', 'event_type', 'created_at', 'id'])
    .execute()
  if (engine === 'sqlite') await describeIndexes(db)
}

/**
 * How many rows each index is likely to have for one value of its first columns. SQLite knows nothing else of them, and
 * took events of one type for as many as there are at all: then it read through all of them by their numbers.
 * PostgreSQL looks by itself.
 */
const likelyRows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  events: {
    sqlite_autoindex_events_1: '1000000 10000 1',
    events_to_number: '1000 100 1',
    events_by_sequence: '1000000 10000 1',
    events_by_type: '1000000 10000 400 1',
    events_by_resource: '1000000 10000 5 1',
  },
  webhook_deliveries: {
    sqlite_autoindex_webhook_deliveries_1: '1000000 10000 1',
    webhook_deliveries_due: '10000 1000 500 2 1',
    webhook_deliveries_by_creation: '1000000 10000 5000 2 1',
    webhook_deliveries_by_state: '1000000 10000 5000 1000 2 1',
    webhook_deliveries_by_event: '1000000 10000 5000 1',
    webhook_deliveries_by_type: '1000000 10000 5000 500 2 1',
    webhook_deliveries_by_state_and_type: '1000000 10000 5000 1000 100 2 1',
    webhook_deliveries_by_age: '1000000 10000 2',
  },
}

async function describeIndexes(db: Kysely<unknown>): Promise<void> {
  // Makes the table that is filled here.
  await sql`analyze webhook_positions`.execute(db)
  for (const [table, indexes] of Object.entries(likelyRows))
    for (const [index, rows] of Object.entries(indexes))
      await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${index}, ${rows})`.execute(db)
  // What is in the table is taken note of.
  await sql`analyze sqlite_schema`.execute(db)
}
