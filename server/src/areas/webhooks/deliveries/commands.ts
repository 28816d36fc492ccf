import { enqueue } from '../../../platform/background/jobs.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { ApiError, bodyDetail, validationFailed } from '../../../platform/protocol/errors.ts'
import { newId } from '../../../platform/values/ids.ts'
import { findWebhook, lockWebhook, type WebhookRow } from '../endpoints/queries.ts'
import { type DeliveryRow, findDelivery, insertDelivery, listRecoverable, requeue } from './queries.ts'
import { findRecovery, insertRecovery, type RecoveryRow, updateRecovery } from './recovery-queries.ts'
import type { RecoverInput } from './schema.ts'
import { deliveryStates } from './states.ts'

/** The name of the job that puts deliveries back into the queue. */
export const recoverJob = 'webhooks.recover'

export async function requireWebhook(db: Connection, { portal_id }: Caller, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, portal_id, id)
  if (!webhook) throw new ApiError('not_found')
  return webhook
}

export async function requireDelivery(
  db: Connection,
  caller: Caller,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
): Promise<DeliveryRow> {
  const delivery = await findDelivery(db, caller.portal_id, webhook_id, delivery_id)
  if (!delivery) throw new ApiError('not_found')
  return delivery
}

/** Sends a ping to an endpoint, as a delivery like any other. */
export async function testWebhook(tx: Tx, caller: Caller, webhookId: string): Promise<DeliveryRow> {
  const { id, state } = await requireWebhook(tx, caller, webhookId)
  if (state !== 'active') throw new ApiError('webhook_not_active')
  const now = isoTime(caller.context.clock.now())
  const delivery: DeliveryRow = {
    ...blankDelivery(caller.portal_id, id, now),
    event_id: null,
    event_type: 'webhook.ping',
    trigger: 'test',
  }
  await insertDelivery(tx, delivery, dueNow(caller))
  caller.context.database.announce()
  return delivery
}

/** A delivery that nobody has tried yet. */
export function blankDelivery(portal_id: string, webhook_id: string, now: string) {
  return {
    portal_id,
    id: newId('dlv'),
    webhook_id,
    state: deliveryStates.initial,
    state_changed_at: now,
    attempts: 0,
    scheduled_attempts: 0,
    last_response_status: null,
    last_error_code: null,
    next_attempt_at: now,
    lease: null,
    created_at: now,
    updated_at: now,
  }
}

/** Sends a delivery again, whatever became of it, with the same message id. */
export async function redeliver(
  tx: Tx,
  caller: Caller,
  target: { webhook_id: string; delivery_id: string },
): Promise<DeliveryRow> {
  // Nobody disables it before this is written: then it would wait for nobody.
  await lockWebhook(tx, caller.portal_id, target.webhook_id)
  const { state } = await requireWebhook(tx, caller, target.webhook_id)
  const delivery = await requireDelivery(tx, caller, target)
  deliveryStates.requireStep(delivery.state, 'redeliver', 'owner')
  if (state !== 'active') throw new ApiError('webhook_not_active')
  const now = isoTime(caller.context.clock.now())
  await requeue(tx, caller.portal_id, [delivery.id], { now, due: dueNow(caller), trigger: 'redelivery' })
  caller.context.database.announce()
  return {
    ...delivery,
    state: 'pending',
    state_changed_at: now,
    scheduled_attempts: 0,
    trigger: 'redelivery',
    next_attempt_at: now,
    updated_at: now,
  }
}

/** Asks for everything of a period to be sent again. It is queued in the background, a piece at a time. */
export async function beginRecovery(
  tx: Tx,
  caller: Caller,
  webhookId: string,
  { since, until, states = ['failed', 'skipped'] }: RecoverInput,
): Promise<RecoveryRow> {
  const { portal_id, context, request_id } = caller
  const { state } = await requireWebhook(tx, caller, webhookId)
  if (state !== 'active') throw new ApiError('webhook_not_active')
  const now = isoTime(context.clock.now())
  const bounds = { since: isoTime(Date.parse(since)), until: until === undefined ? now : isoTime(Date.parse(until)) }
  if (until === undefined && bounds.since > now)
    throw validationFailed([bodyDetail('/since', 'out_of_range', 'since must not be in the future.')])
  if (bounds.since > bounds.until)
    throw validationFailed([bodyDetail('/until', 'out_of_range', 'until must not be earlier than since.')])
  const row: RecoveryRow = {
    portal_id,
    id: newId('rcv'),
    version: 1,
    webhook_id: webhookId,
    state: 'running',
    state_changed_at: now,
    ...bounds,
    states,
    position_at: bounds.since,
    position_id: '',
    requeued: 0,
    created_at: now,
    updated_at: now,
  }
  await insertRecovery(tx, row)
  const payload = { recovery_id: row.id }
  await enqueue(tx, context, { portal_id, kind: recoverJob, payload, request_id, unique_key: row.id })
  return row
}

/** Puts the next piece of a recovery into the queue; true when it was the last. */
export async function continueRecovery(tx: Tx, caller: Caller, id: string): Promise<boolean> {
  const recovery = await openRecovery(tx, caller, id)
  if (!recovery) return true
  const webhook = await findWebhook(tx, caller.portal_id, recovery.webhook_id)
  // Nothing more is sent there. While it is paused, what is queued waits for it.
  if (!webhook || webhook.state === 'disabled') {
    await failRecovery(tx, caller, id)
    return true
  }
  const found = await listRecoverable(tx, recovery, pieceSize)
  const last = found.at(-1)
  const ids = found.map(({ id }) => id)
  const now = isoTime(caller.context.clock.now())
  await requeue(tx, caller.portal_id, ids, { now, due: dueNow(caller), trigger: 'recovery' })
  caller.context.database.announce()
  const isLast = ids.length < pieceSize
  await updateRecovery(tx, {
    ...recovery,
    ...(isLast && { state: 'completed', state_changed_at: now }),
    ...(last && { position_at: last.created_at, position_id: last.id }),
    requeued: recovery.requeued + ids.length,
    updated_at: now,
  })
  return isLast
}

/** Ends a recovery that cannot go on. What it has put into the queue stays there. */
export async function failRecovery(tx: Tx, caller: Caller, id: string): Promise<void> {
  const recovery = await openRecovery(tx, caller, id)
  if (!recovery) return
  const now = isoTime(caller.context.clock.now())
  await updateRecovery(tx, { ...recovery, state: 'failed', state_changed_at: now, updated_at: now })
}

/** A recovery that runs. Its webhook is locked: nobody deletes it, or goes on with the recovery, before this is written. */
async function openRecovery(tx: Tx, { portal_id }: Caller, id: string): Promise<RecoveryRow | undefined> {
  const known = await findRecovery(tx, portal_id, id)
  if (!known) return undefined
  await lockWebhook(tx, portal_id, known.webhook_id)
  const recovery = await findRecovery(tx, portal_id, id)
  return recovery?.state === 'running' ? recovery : undefined
}

function dueNow({ context: { database, clock } }: Caller) {
  return database.timeIn(clock, 0)
}

const pieceSize = 500
