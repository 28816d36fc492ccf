// Makes a delivery of every event for every webhook that wants it, in the order of the events. The position up to which
// this was done moves in the same transaction, so that no event is left out or delivered as two.
import { sql } from 'kysely'
import { numberSome } from '../../../platform/background/outbox.ts'
import type { Context } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { blankDelivery } from '../deliveries/commands.ts'
import { insertDeliveries } from '../deliveries/queries.ts'
import { allWebhooks, type WebhookRow } from '../endpoints/queries.ts'

/** Portals with events that have no number or no deliveries yet. */
export async function portalsToFanOut(db: Connection): Promise<string[]> {
  const { rows } = await sql<{ portal_id: string }>`
    with recursive unnumbered (portal_id) as (
      select min(portal_id) from events where sequence is null
      union all
      select (select min(portal_id) from events where sequence is null and portal_id > unnumbered.portal_id)
      from unnumbered where unnumbered.portal_id is not null
    )
    select portal_id from unnumbered where portal_id is not null
    union
    select portals.portal_id from portals
    left join webhook_positions on webhook_positions.portal_id = portals.portal_id
    where portals.last_sequence > coalesce(webhook_positions.sequence, 0)
  `.execute(db)
  return rows.map(({ portal_id }) => portal_id)
}

/**
 * Numbers events of a Portal and makes their deliveries, in one transaction: an event waits for one commit, not for two.
 * True when more are left, for the Portal's next turn.
 */
export function fanOut(context: Context, portalId: string): Promise<boolean> {
  return inTransaction(context.database, async (tx) => {
    const isMore = await numberSome(tx, portalId)
    const done = await fanOutSome(tx, context, portalId)
    return isMore || done === batchSize
  })
}

/** Leaves out everything that has a number: its deliveries were made in another way, or are not wanted. */
export async function skipFanOut(tx: Tx, portalId: string): Promise<void> {
  const { last_sequence: sequence } = await tx
    .selectFrom('portals')
    .select('last_sequence')
    .where('portal_id', '=', portalId)
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('webhook_positions')
    .values({ portal_id: portalId, sequence })
    .onConflict((conflict) => conflict.column('portal_id').doUpdateSet({ sequence }))
    .execute()
}

const batchSize = 200

async function fanOutSome(tx: Tx, { clock, database }: Context, portalId: string): Promise<number> {
  // The row is the lock: one process at a time makes the deliveries of a Portal.
  const { sequence, now } = await tx
    .insertInto('webhook_positions')
    .values({ portal_id: portalId, sequence: 0 })
    .onConflict((conflict) => conflict.column('portal_id').doUpdateSet({ sequence: sql`webhook_positions.sequence` }))
    .returning(['sequence', database.timeIn(clock, 0).as('now')])
    .executeTakeFirstOrThrow()
  const events = await tx
    .selectFrom('events')
    .select(['id', 'type', 'sequence'])
    .where('portal_id', '=', portalId)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(batchSize)
    .execute()
  const last = events.at(-1)?.sequence
  if (last === undefined || last === null) {
    // Numbers that no event has: those a restore has left out, or of events that are no longer kept.
    await skipFanOut(tx, portalId)
    return 0
  }
  const webhooks = (await allWebhooks(tx, portalId)).filter(({ state }) => state !== 'pending_verification')
  await insertDeliveries(
    tx,
    events.flatMap(({ id, type }) =>
      webhooks
        .filter((webhook) => wants(webhook, type))
        .map((webhook) => ({
          ...blankDelivery(portalId, webhook.id, now),
          event_id: id,
          event_type: type,
          trigger: 'event',
          ...(webhook.state !== 'active' && { state: 'skipped' as const, next_attempt_at: null }),
        })),
    ),
  )
  await tx.updateTable('webhook_positions').set({ sequence: last }).where('portal_id', '=', portalId).execute()
  return events.length
}

function wants({ event_types }: WebhookRow, type: string): boolean {
  return event_types.includes('*') || event_types.includes(type)
}
