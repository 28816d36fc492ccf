// Makes a delivery of every event for every webhook that wants it, in the order of the events. The position up to which
// this was done moves in the same transaction, so that no event is left out or delivered as two.
import { sql } from 'kysely'
import { numberedAtOnce, numberSome } from '../../../platform/background/outbox.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { blankDelivery } from '../deliveries/commands.ts'
import { insertDeliveries } from '../deliveries/queries.ts'
import { allWebhooks, type WebhookRow } from '../endpoints/queries.ts'

/** Portals with events that have no number, from one to the next through the index. */
const unnumbered = sql`unnumbered (portal_id) as (
  select min(portal_id) from events where sequence is null
  union all
  select (select min(portal_id) from events where sequence is null and portal_id > unnumbered.portal_id)
  from unnumbered where unnumbered.portal_id is not null
)`
/** Portals with webhooks, and with events that have a number and no deliveries yet. */
const behind = sql`behind (portal_id, sequence) as (
  select portals.portal_id, coalesce(webhook_positions.sequence, 0) from portals
  left join webhook_positions on webhook_positions.portal_id = portals.portal_id
  where portals.last_sequence > coalesce(webhook_positions.sequence, 0)
    and exists (select 1 from webhooks where webhooks.portal_id = portals.portal_id)
)`

/** A Portal with events that have no number or no deliveries yet, and whether it has webhooks that wait for them. */
interface Unheard {
  portal_id: string
  is_awaited: boolean
}

export async function portalsToFanOut(db: Connection): Promise<Unheard[]> {
  const { rows } = await sql<{ portal_id: string; webhook_id: string | null }>`
    with recursive ${unnumbered}, ${behind},
    waiting (portal_id) as (
      select portal_id from unnumbered where portal_id is not null union select portal_id from behind
    )
    select portal_id, (select min(id) from webhooks where webhooks.portal_id = waiting.portal_id) as webhook_id
    from waiting
  `.execute(db)
  return rows.map(({ portal_id, webhook_id }) => ({ portal_id, is_awaited: webhook_id !== null }))
}

/** How old the oldest event is that waits for its number, or for its deliveries, in milliseconds. */
export async function eventLag(db: Connection, now: number): Promise<Record<'number' | 'deliveries', number>> {
  const { rows } = await sql<{ number: string | null; deliveries: string | null }>`
    with recursive ${unnumbered}, ${behind}
    select
      (
        select min((
          select created_at from events where events.portal_id = unnumbered.portal_id and sequence is null
          order by id limit 1
        )) from unnumbered
      ) as number,
      (
        select min((
          select created_at from events
          where events.portal_id = behind.portal_id and events.sequence > behind.sequence
          order by events.sequence limit 1
        )) from behind
      ) as deliveries
  `.execute(db)
  const age = (since: string | null | undefined) => (since ? Math.max(0, now - Date.parse(since)) : 0)
  return { number: age(rows[0]?.number), deliveries: age(rows[0]?.deliveries) }
}

/**
 * Numbers events of a Portal and makes their deliveries, in one transaction: an event waits for one commit, not for two.
 * True when more are left, for the Portal's next turn.
 */
export function fanOut(context: Context, { portal_id, is_awaited }: Unheard): Promise<boolean> {
  return inTransaction(context.database, async (tx) => {
    const most = is_awaited ? numberedAtOnce.few : numberedAtOnce.many
    const isMore = await numberSome(context.database, tx, portal_id, most)
    // The row of the Portal is held by now: the first webhook comes after this, or is seen.
    const webhooks = await allWebhooks(tx, portal_id)
    if (webhooks.length === 0) return isMore
    const done = await fanOutSome(tx, context, portal_id, webhooks)
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

async function fanOutSome(
  tx: Tx,
  { clock, database }: Context,
  portalId: string,
  webhooks: readonly WebhookRow[],
): Promise<number> {
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
  const verified = webhooks.filter(({ state }) => state !== 'pending_verification')
  await insertDeliveries(
    tx,
    events.flatMap(({ id, type }) =>
      verified
        .filter((webhook) => wants(webhook, type))
        .map((webhook) => ({
          ...blankDelivery(portalId, webhook.id, isoTime(clock.now())),
          next_attempt_at: now,
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
