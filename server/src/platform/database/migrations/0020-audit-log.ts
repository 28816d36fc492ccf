// Who did what, chained by hash; what waits to be chained; and who is behind an event.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

export async function auditLog(db: Kysely<unknown>, t: ColumnTypes, engine: Database['engine']): Promise<void> {
  await db.schema.alterTable('events').addColumn('actor', t.text).execute()

  await db.schema
    .createTable('audit_log')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('sequence', t.integer, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('actor_kind', t.text, (c) => c.notNull())
    .addColumn('actor_id', t.text)
    .addColumn('action', t.text, (c) => c.notNull())
    .addColumn('resource_type', t.text, (c) => c.notNull())
    .addColumn('resource_id', t.text, (c) => c.notNull())
    .addColumn('resource_version', t.integer)
    .addColumn('changes', t.json, (c) => c.notNull())
    .addColumn('request_id', t.text)
    .addColumn('previous_hash', t.text, (c) => c.notNull())
    .addColumn('hash', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_log_pkey', ['portal_id', 'sequence'])
    .modifyEnd(t.clustered)
    .execute()
  const index = (by: string, column: string) =>
    db.schema.createIndex(`audit_log_by_${by}`).on('audit_log').columns(['portal_id', column, 'sequence'])
  await index('resource', 'resource_id').execute()
  await index('action', 'action').execute()
  await index('actor', 'actor_id').where(sql.ref('actor_id'), 'is not', null).execute()
  await index('request', 'request_id').where(sql.ref('request_id'), 'is not', null).execute()

  await db.schema
    .createTable('audit_heads')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('sequence', t.integer, (c) => c.notNull())
    .addColumn('hash', t.text, (c) => c.notNull())
    .addColumn('event_sequence', t.integer, (c) => c.notNull())
    .addColumn('last_at', t.time)
    .addColumn('disorder_ms', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_heads_pkey', ['portal_id'])
    .execute()
  // The log begins now: nobody knows who is behind the events before.
  await sql`
    insert into audit_heads (portal_id, sequence, hash, event_sequence, last_at, disorder_ms)
    select portal_id, 0, ${sql.lit('0'.repeat(64))}, last_sequence, null, 0 from portals
  `.execute(db)

  await db.schema
    .createTable('audit_notes')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('actor', t.text, (c) => c.notNull())
    .addColumn('action', t.text, (c) => c.notNull())
    .addColumn('resource_type', t.text, (c) => c.notNull())
    .addColumn('resource_id', t.text, (c) => c.notNull())
    .addColumn('resource_version', t.integer)
    .addColumn('changes', t.json, (c) => c.notNull())
    .addColumn('request_id', t.text)
    .addPrimaryKeyConstraint('audit_notes_pkey', ['portal_id', 'id'])
    .execute()

  if (engine === 'sqlite') await guardOnSqlite(db)
  else await guardOnPostgres(db)
}

const refusal = sql.lit('the audit log is append-only')

async function guardOnSqlite(db: Kysely<unknown>): Promise<void> {
  for (const act of ['update', 'delete'])
    await sql`
      create trigger ${sql.ref(`audit_log_refuses_${act}`)} before ${sql.raw(act)} on audit_log
      begin select raise(abort, ${refusal}); end
    `.execute(db)
  // How many rows each index is likely to have for one value of its first columns; SQLite knows nothing else of them.
  const likelyRows = {
    audit_log: '1000000 10000 1',
    audit_log_by_resource: '1000000 10000 5 1',
    audit_log_by_action: '1000000 10000 400 1',
    audit_log_by_actor: '1000000 10000 1000 1',
    audit_log_by_request: '1000000 10000 2 1',
  }
  for (const [name, rows] of Object.entries(likelyRows))
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values ('audit_log', ${name}, ${rows})`.execute(db)
  await sql`analyze sqlite_schema`.execute(db)
}

async function guardOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_audit_log_change() returns trigger language plpgsql as
    $$ begin raise exception ${refusal}; end $$
  `.execute(db)
  await sql`
    create trigger audit_log_refuses_change before update or delete on audit_log
    for each row execute function refuse_audit_log_change()
  `.execute(db)
  await sql`
    create trigger audit_log_refuses_truncate before truncate on audit_log
    for each statement execute function refuse_audit_log_change()
  `.execute(db)
}
