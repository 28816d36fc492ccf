// What is done to deliveries by the way: old ones go, and those that wait follow a clock that was set back.
import { type SqlBool, sql } from 'kysely'
import { minute } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { distinctValues } from '../../../platform/database/distinct-values.ts'
import { longestWaitMs } from '../sending/schedule.ts'

/** Removes what is older than the events it tells of, with its attempts. What waits for a paused endpoint stays. */
export async function deleteOldDeliveries(tx: Tx, portalId: string, before: string, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('created_at', '<', before)
    .where('next_attempt_at', 'is', null)
    .limit(limit)
    .execute()
  return deleteDeliveries(tx, portalId, old, { onlyEnded: true })
}

/** Removes what belongs to endpoints that no longer exist: nobody can read it. */
export async function deleteLeftDeliveries(tx: Tx, portalId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_deliveries
    where portal_id = ${portalId} and webhook_id = (
      select min(value) from ${distinctValues('webhook_deliveries', 'webhook_id', portalId)} as endpoints
      where not exists (select 1 from webhooks where webhooks.portal_id = ${portalId} and webhooks.id = endpoints.value)
    )
    limit ${limit}
  `.execute(tx)
  return deleteDeliveries(tx, portalId, rows)
}

async function deleteDeliveries(
  tx: Tx,
  portalId: string,
  rows: readonly { id: string }[],
  { onlyEnded = false } = {},
): Promise<number> {
  if (rows.length === 0) return 0
  // In this order: an attempt that is being recorded is written by the time its delivery can be removed.
  const removed = await tx
    .deleteFrom('webhook_deliveries')
    .where('portal_id', '=', portalId)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    // Somebody may have asked for it again meanwhile.
    .$if(onlyEnded, (query) => query.where('next_attempt_at', 'is', null))
    .returning('id')
    .execute()
  const ids = removed.map(({ id }) => id)
  if (ids.length > 0)
    await tx.deleteFrom('webhook_attempts').where('portal_id', '=', portalId).where('delivery_id', 'in', ids).execute()
  return ids.length
}

/**
 * Moves attempts that wait along with a clock that was set back: they would wait so much longer. Only those that were
 * scheduled by the time that was taken back, or are further away than an attempt can be: others would come too early.
 */
export async function setBackDeliveries(
  tx: Tx,
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  milliseconds: number,
): Promise<void> {
  const timeIn = (after: number) => database.timeIn(clock, after)
  for (const { portal_id, id: webhook_id } of await tx.selectFrom('webhooks').select(['portal_id', 'id']).execute()) {
    // From one to the next by their times. What was moved is earlier than that, and is not met again.
    let last: { id: string; next_attempt_at: string | null } | undefined
    for (;;) {
      const waiting = await tx
        .selectFrom('webhook_deliveries')
        .select(['id', 'next_attempt_at'])
        .where('portal_id', '=', portal_id)
        .where('webhook_id', '=', webhook_id)
        .where('next_attempt_at', '>', timeIn(0))
        .$if(last !== undefined, (query) =>
          query.where(sql<SqlBool>`(next_attempt_at, id) > (${last?.next_attempt_at}, ${last?.id})`),
        )
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(movedAtOnce)
        .execute()
      last = waiting.at(-1)
      if (!last) break
      await tx
        .updateTable('webhook_deliveries')
        .set({ next_attempt_at: database.earlier('next_attempt_at', milliseconds) })
        .where('portal_id', '=', portal_id)
        .where(
          'id',
          'in',
          waiting.map(({ id }) => id),
        )
        .where(({ eb, and, or }) =>
          or([
            // No claim lasts as long; it leaves updated_at as it was.
            and([eb('lease', 'is not', null), eb('next_attempt_at', '>', timeIn(minute))]),
            and([eb('lease', 'is', null), eb('updated_at', '>', timeIn(0))]),
            eb('next_attempt_at', '>', timeIn(longestWaitMs)),
          ]),
        )
        .execute()
    }
  }
}

/** Few enough for the time and the parameters of one statement, however many wait. */
const movedAtOnce = 1000
