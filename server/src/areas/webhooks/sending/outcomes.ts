// What came of attempts is written together: a transaction for many costs little more than one for one.
import { isoTime } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { takeAction } from '../../../platform/records/stateful-records.ts'
import { newId } from '../../../platform/values/ids.ts'
import {
  countAttempts,
  type DeliveryOutcome,
  type DeliveryRow,
  insertAttempts,
  recordOutcome,
  recordSuccesses,
} from '../deliveries/queries.ts'
import { endDeliveries, webhookRecord } from '../endpoints/commands.ts'
import { findWebhook, lockWebhook, setFailingSince, type WebhookRow } from '../endpoints/queries.ts'
import { disableAfterMs, retryAfterMs, waitAfter } from './schedule.ts'
import type { Sent } from './send.ts'

export interface Finished {
  delivery: DeliveryRow
  webhook: WebhookRow
  sent: Sent
}

/**
 * Writes what came of deliveries that are still this worker's. One that was asked for anew or taken over meanwhile is sent
 * again, and that result counts; the attempt is kept in its log.
 */
export async function writeOutcomes(context: Context, finished: readonly Finished[]): Promise<void> {
  await inTransaction(context.database, async (tx) => {
    const succeeded = finished.filter(({ sent }) => sent.error_code === null)
    const delivered = succeeded.map(({ delivery, sent }) => ({ ...delivery, status: sent.response_status }))
    const known = new Set(await recordSuccesses(tx, delivered, isoTime(context.clock.now())))
    for (const one of finished.filter(({ sent }) => sent.error_code !== null))
      if (await recordOutcome(tx, outcomeOf(context, one))) known.add(one.delivery.id)
    for (const { delivery } of finished)
      if (!known.has(delivery.id))
        for (const id of await countAttempts(tx, delivery.portal_id, [delivery.id])) known.add(id)
    await insertAttempts(
      tx,
      finished
        .filter(({ delivery }) => known.has(delivery.id))
        .map(({ delivery, sent: { retry_after: _, ...sent } }) => ({
          portal_id: delivery.portal_id,
          delivery_id: delivery.id,
          id: newId('att'),
          number: delivery.attempts + 1,
          trigger: delivery.trigger,
          ...sent,
        })),
    )
  })
  // Each by itself: whatever is wrong with one endpoint must not take the outcomes of others with it.
  const webhooks = new Map(finished.map(({ webhook }) => [webhook.id, webhook]))
  for (const webhook of webhooks.values()) {
    const own = finished.filter((one) => one.webhook.id === webhook.id)
    if (isHealthKnown(webhook, own)) continue
    try {
      await inTransaction(context.database, (tx) => noteHealth(tx, context, webhook, own))
    } catch (error) {
      context.log.warn({ err: error, webhook_id: webhook.id }, 'the health of a webhook could not be saved')
    }
  }
}

/** Most endpoints answer as they did before. */
function isHealthKnown({ failing_since }: WebhookRow, finished: readonly Finished[]): boolean {
  return failing_since === null && finished.every(({ sent }) => sent.error_code === null)
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

/** Notes since when an endpoint fails, and disables one that says it is gone or has failed for days. */
async function noteHealth(
  tx: Tx,
  context: Context,
  { portal_id, id }: WebhookRow,
  finished: readonly Finished[],
): Promise<void> {
  const hasSucceeded = finished.some(({ sent }) => sent.error_code === null)
  const isGone = finished.some(({ sent }) => sent.response_status === 410)
  const known = await findWebhook(tx, portal_id, id)
  if (known?.state !== 'active') return
  if (hasSucceeded && !isGone) {
    if (known.failing_since !== null) await setFailingSince(tx, portal_id, id, null)
    return
  }
  const now = context.clock.now()
  if (known.failing_since === null) await setFailingSince(tx, portal_id, id, isoTime(now))
  const failingMs = known.failing_since === null ? 0 : context.clock.expiry() - Date.parse(known.failing_since)
  if (!isGone && failingMs < disableAfterMs) return
  await lockWebhook(tx, portal_id, id)
  const current = await findWebhook(tx, portal_id, id)
  if (current?.state !== 'active') return
  const state_reason = isGone
    ? 'The endpoint responded with status 410: it no longer wants events.'
    : 'Every delivery has failed for 5 days.'
  context.log.warn({ portal_id, webhook_id: id }, `a webhook was disabled: ${state_reason}`)
  const caller = { context, portal_id, request_id: null, is_job: true } as const
  await takeAction(tx, caller, webhookRecord, current, { action: 'disable', by: 'job', change: { state_reason } })
  await endDeliveries(tx, caller, id)
}
