// Webhooks, what was delivered to them, and each attempt to.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function webhooks(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_reason', t.text)
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('url', t.text, (c) => c.notNull())
    // A changed URL until it is verified: the old one keeps receiving.
    .addColumn('pending_url', t.text)
    .addColumn('event_types', t.json, (c) => c.notNull())
    .addColumn('description', t.text)
    .addColumn('sealed_secret', t.text, (c) => c.notNull())
    .addColumn('secret_last4', t.text, (c) => c.notNull())
    .addColumn('sealed_previous_secret', t.text)
    .addColumn('previous_expires_at', t.time)
    .addColumn('sealed_challenge', t.text)
    .addColumn('challenged_at', t.time)
    .addColumn('verified_at', t.time)
    // The first failure since the last success.
    .addColumn('failing_since', t.time)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhooks_pkey', ['portal_id', 'id'])
    .execute()
  const index = (table: string, name: string, columns: string[]) =>
    db.schema.createIndex(`${table}_${name}`).on(table).columns(columns)
  await index('webhooks', 'by_creation', ['portal_id', 'created_at', 'id']).execute()

  // Up to which event the deliveries of a Portal were made.
  await db.schema
    .createTable('webhook_positions')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('sequence', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_positions_pkey', ['portal_id'])
    .execute()
  // Whoever has no webhook yet gets none of what happened before.
  await sql`insert into webhook_positions (portal_id, sequence) select portal_id, last_sequence from portals`.execute(
    db,
  )

  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('webhook_id', t.text, (c) => c.notNull())
    // Empty for what belongs to one endpoint and is not an event of the Portal: a ping.
    .addColumn('event_id', t.text)
    .addColumn('event_type', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull())
    // How many of them count for the schedule: one that was asked for by hand begins it anew.
    .addColumn('scheduled_attempts', t.integer, (c) => c.notNull())
    .addColumn('trigger', t.text, (c) => c.notNull())
    .addColumn('last_response_status', t.integer)
    .addColumn('last_error_code', t.text)
    // Empty when nothing is to be sent.
    .addColumn('next_attempt_at', t.time)
    .addColumn('lease', t.text)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_deliveries_pkey', ['portal_id', 'id'])
    .execute()
  // Only what is to be sent is in it: the many that are done cost nothing.
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['portal_id', 'webhook_id', 'next_attempt_at', 'id'])
    .where(sql.ref('next_attempt_at'), 'is not', null)
    .execute()
  await index('webhook_deliveries', 'by_creation', ['portal_id', 'webhook_id', 'created_at', 'id']).execute()
  await index('webhook_deliveries', 'by_state', ['portal_id', 'webhook_id', 'state', 'created_at', 'id']).execute()
  await index('webhook_deliveries', 'by_event', ['portal_id', 'webhook_id', 'event_id']).unique().execute()
  await index('webhook_deliveries', 'by_type', ['portal_id', 'webhook_id', 'event_type', 'created_at', 'id']).execute()
  // For what is removed by its age. What still waits is not: it would be read again and again.
  await index('webhook_deliveries', 'by_age', ['portal_id', 'created_at'])
    .where(sql.ref('next_attempt_at'), 'is', null)
    .execute()

  await db.schema
    .createTable('webhook_attempts')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('delivery_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('number', t.integer, (c) => c.notNull())
    .addColumn('trigger', t.text, (c) => c.notNull())
    .addColumn('started_at', t.time, (c) => c.notNull())
    .addColumn('duration_ms', t.integer, (c) => c.notNull())
    .addColumn('response_status', t.integer)
    .addColumn('response_body', t.text)
    .addColumn('error_code', t.text)
    .addColumn('error_message', t.text)
    .addPrimaryKeyConstraint('webhook_attempts_pkey', ['portal_id', 'delivery_id', 'id'])
    .execute()

  await db.schema
    .createTable('webhook_recoveries')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('webhook_id', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('since', t.time, (c) => c.notNull())
    .addColumn('until', t.time, (c) => c.notNull())
    .addColumn('states', t.json, (c) => c.notNull())
    // The last delivery that was queued.
    .addColumn('position_at', t.time, (c) => c.notNull())
    .addColumn('position_id', t.text, (c) => c.notNull())
    .addColumn('requeued', t.integer, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_recoveries_pkey', ['portal_id', 'id'])
    .execute()

  // How many challenges went out within an hour: for a Portal, and for a host whoever asked.
  await db.schema
    .createTable('webhook_challenges')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('host', t.text, (c) => c.notNull())
    .addColumn('began_at', t.time, (c) => c.notNull())
    .addColumn('sent', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_challenges_pkey', ['portal_id', 'host'])
    .execute()
}
