// What came of attempts is written together: a transaction for many costs little more than one for one.
import { findEventsOfErased, holdErasures } from '../../../building-blocks/peoples-data/endpoint-responses.ts'
import { lockPortal } from '../../../platform/background/outbox.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { takeAction } from '../../../platform/records/stateful-records.ts'
import { groupBy } from '../../../platform/values/groups.ts'
import {
  countAttempt,
  type DeliveryOutcome,
  insertAttempts,
  isKnownAttempt,
  recordOutcome,
  recordSuccesses,
} from '../deliveries/outcome-queries.ts'
import type { DeliveryRow } from '../deliveries/queries.ts'
import { endDeliveries, webhookRecord } from '../endpoints/commands.ts'
import { findFailing, findWebhook, lockWebhook, setFailingSince, type WebhookRow } from '../endpoints/queries.ts'
import { disableAfterMs, retryAfterMs, waitAfter } from './schedule.ts'
import type { Sent } from './send.ts'

export interface Finished {
  delivery: DeliveryRow
  webhook: WebhookRow
  sent: Sent
  /** The id that the attempt has in the log, also when it is written again because nobody knows whether it was. */
  attempt_id: string
}

/**
 * Writes what came of deliveries that are still this worker's. One that was asked for anew or taken over meanwhile is sent
 * again, and that result counts; the attempt is kept in its log.
 */
export async function writeOutcomes(context: Context, finished: readonly Finished[]): Promise<void> {
  await inTransaction(context.database, async (tx) => {
    const isForgotten = await findForgotten(tx, context, finished)
    const succeeded = finished.filter(({ sent }) => sent.error_code === null)
    const delivered = succeeded.map(({ delivery, sent }) => ({ ...delivery, status: sent.response_status }))
    const numbers = new Map<string, number>()
    const arrived = await recordSuccesses(tx, delivered, isoTime(context.clock.now()))
    for (const one of finished) {
      const { delivery, attempt_id } = one
      const { id, lease } = delivery
      const counted =
        one.sent.error_code === null
          ? arrived.find((known) => known.id === id && known.lease === lease)
          : await recordOutcome(tx, outcomeOf(context, one))
      const number =
        counted ?? ((await isKnownAttempt(tx, delivery, attempt_id)) ? undefined : await countAttempt(tx, delivery))
      if (number) numbers.set(attempt_id, number.attempts)
    }
    await insertAttempts(
      tx,
      finished.flatMap(({ delivery, attempt_id: id, sent: { retry_after: _, ...sent } }) => {
        // Counted in the row itself: whoever else made an attempt meanwhile has another number.
        const number = numbers.get(id)
        if (number === undefined) return []
        const { portal_id, id: delivery_id, trigger } = delivery
        const forgotten = isForgotten(delivery) && { response_body: null }
        return [{ portal_id, delivery_id, id, number, trigger, ...sent, ...forgotten }]
      }),
    )
  })
  await noteHealths(context, finished)
}

/** Tells the deliveries whose record has been erased: what the endpoint answered may repeat it. */
async function findForgotten(
  tx: Tx,
  { database }: Context,
  finished: readonly Finished[],
): Promise<(delivery: DeliveryRow) => boolean> {
  const telling = finished.filter(({ delivery, sent }) => sent.response_body && delivery.event_id !== null)
  const portals = groupBy(telling, ({ delivery }) => delivery.portal_id)
  await holdErasures(tx, database, [...portals.keys()])
  const found = await Promise.all(
    [...portals].map(([portalId, some]) =>
      findEventsOfErased(
        tx,
        portalId,
        some.flatMap(({ delivery }) => delivery.event_id ?? []),
      ),
    ),
  )
  const forgotten = new Set(found.flatMap((ids) => [...ids]))
  return ({ event_id }) => event_id !== null && forgotten.has(event_id)
}

/** Never fails: what came of the attempts is written, and must not be written again for this. */
async function noteHealths(context: Context, finished: readonly Finished[]): Promise<void> {
  const webhooks = new Map(finished.map(({ webhook }) => [webhook.id, webhook]))
  const failing = await findFailing(context.database.read, [...webhooks.values()]).catch(() => new Set(webhooks.keys()))
  // Each by itself: whatever is wrong with one endpoint must not take the outcomes of others with it.
  for (const webhook of webhooks.values()) {
    const own = finished.filter((one) => one.webhook.id === webhook.id)
    // Most endpoints answer as they did before. What was read before the attempt may be over by now.
    if (!failing.has(webhook.id) && own.every(({ sent }) => sent.error_code === null)) continue
    try {
      const reason = await inTransaction(context.database, (tx) => noteHealth(tx, context, webhook, own))
      if (reason !== undefined) await inTransaction(context.database, (tx) => disable(tx, context, webhook, reason))
    } catch (error) {
      context.log.warn({ err: error, webhook_id: webhook.id }, 'the health of a webhook could not be saved')
    }
  }
}

/** What becomes of a delivery whose attempt failed. */
function outcomeOf({ clock, database }: Context, { delivery, sent }: Finished): DeliveryOutcome {
  const now = clock.now()
  const scheduled_attempts = delivery.scheduled_attempts + 1
  const wait = waitAfter(scheduled_attempts, { retryAfterMs: retryAfterMs(sent.retry_after, clock.wall()) })
  const isGone = sent.response_status === 410
  const isOver = wait === undefined || isGone
  const state = isOver ? 'failed' : 'retrying'
  return {
    portal_id: delivery.portal_id,
    id: delivery.id,
    claimed: delivery.lease ?? '',
    state,
    state_changed_at: state === delivery.state ? delivery.state_changed_at : isoTime(now),
    scheduled_attempts,
    last_response_status: sent.response_status,
    last_error_code: sent.error_code,
    next_attempt_at: isOver ? null : database.timeIn(clock, wait),
    updated_at: isoTime(now),
  }
}

/** Notes since when an endpoint fails. Returns why it is to be disabled, if it is: it says it is gone, or has failed for days. */
async function noteHealth(
  tx: Tx,
  { clock }: Context,
  { portal_id, id }: WebhookRow,
  finished: readonly Finished[],
): Promise<string | undefined> {
  const known = await findWebhook(tx, portal_id, id)
  if (known?.state !== 'active') return undefined
  // What an address answers that the webhook has left says nothing about the new one.
  const current = finished.filter(({ webhook }) => webhook.url === known.url)
  if (current.length === 0) return undefined
  const hasSucceeded = current.some(({ sent }) => sent.error_code === null)
  const isGone = current.some(({ sent }) => sent.response_status === 410)
  if (isGone) return 'The endpoint responded with status 410: it no longer wants events.'
  if (hasSucceeded) {
    if (known.failing_since !== null) await setFailingSince(tx, portal_id, id, null)
    return undefined
  }
  if (known.failing_since === null) {
    await setFailingSince(tx, portal_id, id, isoTime(clock.now()))
    return undefined
  }
  const isOver = clock.expiry() - Date.parse(known.failing_since) >= disableAfterMs
  return isOver ? 'Every delivery has failed for 5 days.' : undefined
}

async function disable(tx: Tx, context: Context, { portal_id, id }: WebhookRow, state_reason: string): Promise<void> {
  // Whoever makes deliveries of events holds this too: what they have made is ended, and what follows is skipped.
  await lockPortal(tx, portal_id)
  await lockWebhook(tx, portal_id, id)
  const current = await findWebhook(tx, portal_id, id)
  if (current?.state !== 'active') return
  context.log.warn({ portal_id, webhook_id: id }, `a webhook was disabled: ${state_reason}`)
  const actor = { kind: 'job', id: 'webhooks.deliver' } as const
  const caller = { context: { ...context, actor }, portal_id, request_id: null, is_job: true } as const
  const failing_since = current.failing_since ?? isoTime(context.clock.now())
  const change = { state_reason, failing_since }
  await takeAction(tx, caller, webhookRecord, current, { action: 'disable', by: 'job', change })
  await endDeliveries(tx, caller, id)
}
