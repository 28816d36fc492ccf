// Webhooks with a history: what arrived, what did not and why. Nothing is sent: one is paused, one disabled, and the one
// that is active waits for something that does not happen in the demo.
import { blankDelivery } from '../areas/webhooks/deliveries/commands.ts'
import { insertAttempts } from '../areas/webhooks/deliveries/outcome-queries.ts'
import { type AttemptRow, insertDeliveries } from '../areas/webhooks/deliveries/queries.ts'
import {
  challengeOf,
  completeVerification,
  createWebhook,
  webhookRecord,
} from '../areas/webhooks/endpoints/commands.ts'
import type { WebhookRow } from '../areas/webhooks/endpoints/queries.ts'
import { listEvents } from '../areas/webhooks/events/queries.ts'
import { skipFanOut } from '../areas/webhooks/sending/fan-out.ts'
import { waitAfter } from '../areas/webhooks/sending/schedule.ts'
import { numberedAtOnce, numberSome } from '../platform/background/outbox.ts'
import { day, isoTime } from '../platform/clock.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { takeAction } from '../platform/records/stateful-records.ts'
import { newId } from '../platform/values/ids.ts'
import { daysAgo } from './demo-time.ts'

const createdDaysAgo = 21
const pausedDaysAgo = 1

export async function createDemoWebhooks(demo: Caller): Promise<void> {
  const { context, portal_id } = demo
  const { database } = context
  // All at once: the first webhook takes the row of the Portal. A worker waits for it, and then finds the deliveries made.
  await database.transaction(async (tx) => {
    const crm = await createVerified(tx, daysAgo(demo, createdDaysAgo), {
      url: 'https://crm.harbour-funding.example.com/hooks/portico',
      event_types: ['*'],
      description: 'CRM',
    })
    const old = await createVerified(tx, daysAgo(demo, createdDaysAgo), {
      url: 'https://reports.harbour-funding.example.com/portico',
      event_types: ['deal.won', 'deal.lost', 'business.created'],
      description: 'Weekly reports (replaced by the CRM)',
    })
    const gone = await takeAction(tx, daysAgo(demo, 6), webhookRecord, old, {
      action: 'disable',
      by: 'job',
      change: { state_reason: 'The endpoint responded with status 410: it no longer wants events.' },
    })
    const paused = await takeAction(tx, daysAgo(demo, pausedDaysAgo), webhookRecord, crm, {
      action: 'pause',
      by: 'owner',
      change: { state_reason: 'Demo data: paused so that nothing is sent to the outside. Resume it to send events.' },
    })
    const alerts = await createVerified(tx, daysAgo(demo, 7), {
      url: 'https://alerts.harbour-funding.example.com/portico',
      event_types: ['webhook.disabled'],
      description: 'Alerts for the operations team',
    })
    while (await numberSome(database, tx, portal_id, numberedAtOnce.many));
    await tellHistory(tx, demo, { crm: paused, gone, alerts })
    await skipFanOut(tx, portal_id)
  })
}

async function createVerified(
  tx: Tx,
  caller: Caller,
  input: { url: string; event_types: string[]; description: string },
): Promise<WebhookRow> {
  const { webhook } = await createWebhook(tx, caller, input, new Set(input.event_types))
  return completeVerification(tx, caller, webhook.id, challengeOf(caller.context, webhook) ?? '')
}

type Event = Awaited<ReturnType<typeof listEvents>>['items'][number]
/** One response of the endpoint, or why there was none. */
type Answer = Pick<AttemptRow, 'response_status' | 'response_body' | 'error_code' | 'error_message' | 'duration_ms'>

const ok: Answer = { response_status: 200, response_body: 'ok', error_code: null, error_message: null, duration_ms: 92 }
const refused = (response_status: number, response_body: string): Answer => ({
  response_status,
  response_body,
  error_code: 'response_status',
  error_message: `The endpoint responded with status ${response_status}; expected 2xx.`,
  duration_ms: 210,
})
const timedOut: Answer = {
  response_status: null,
  response_body: null,
  error_code: 'timed_out',
  error_message: 'crm.harbour-funding.example.com did not send a complete response within 15000 ms.',
  duration_ms: 15_000,
}

async function tellHistory(
  tx: Tx,
  { context, portal_id }: Caller,
  { crm, gone, alerts }: Record<'crm' | 'gone' | 'alerts', WebhookRow>,
): Promise<void> {
  const now = context.clock.now()
  const page = {
    order: 'sequence',
    is_descending: false,
    size: 1000,
    direction: 'forward',
    position: undefined,
  } as const
  const { items } = await listEvents(tx, portal_id, isoTime(now - createdDaysAgo * day), {}, page)
  const events = [...items].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  const ageOf = ({ created_at }: Event) => (now - Date.parse(created_at)) / day
  const sent = events.filter((event) => ageOf(event) > pausedDaysAgo)
  const [lost] = sent.filter((event) => ageOf(event) < 8)
  const last = sent.at(-1)
  const late = sent.findLast((event) => ageOf(event) > pausedDaysAgo + 1)
  const answersTo = (event: Event): Answer[] => {
    if (event === lost)
      return Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? timedOut : refused(502, 'Bad gateway')))
    if (event === last)
      return Array.from({ length: 2 }, () => refused(500, '{"error":"duplicate key: deals_external_id"}'))
    if (event === late) return [refused(503, 'Deployment in progress'), ok]
    return ageOf(event) > pausedDaysAgo ? [ok] : []
  }
  for (const event of events) await addDelivery(tx, crm, event, answersTo(event))
  const [final] = events
    .filter(({ type, created_at }) => gone.event_types.includes(type) && created_at < gone.updated_at)
    .slice(-1)
  if (final) await addDelivery(tx, gone, final, [refused(410, 'Gone')])
  for (const event of events.filter(({ type }) => type === 'webhook.disabled'))
    await addDelivery(tx, alerts, event, [ok])
}

/** A delivery as it would have come about: attempt by attempt on the schedule, until one succeeded or none was left. */
async function addDelivery(tx: Tx, webhook: WebhookRow, event: Event, answers: readonly Answer[]): Promise<void> {
  const { portal_id } = webhook
  const began = Date.parse(event.created_at)
  const delivery = blankDelivery(portal_id, webhook.id, event.created_at)
  const attempts: AttemptRow[] = []
  let at = began
  for (const [index, answer] of answers.entries()) {
    const started_at = isoTime(at)
    attempts.push({
      portal_id,
      delivery_id: delivery.id,
      id: newId('att'),
      number: index + 1,
      trigger: 'event',
      started_at,
      ...answer,
    })
    at += answer.duration_ms + (waitAfter(index + 1, { random: 0 }) ?? 0)
  }
  const end = attempts.at(-1)
  const isRetrying = end !== undefined && end.error_code !== null && attempts.length < 10 && end.response_status !== 410
  const state = !end ? 'skipped' : end.error_code === null ? 'succeeded' : isRetrying ? 'retrying' : 'failed'
  const changed_at = end ? isoTime(Date.parse(end.started_at) + end.duration_ms) : event.created_at
  await insertDeliveries(tx, [
    {
      ...delivery,
      event_id: event.id,
      event_type: event.type,
      trigger: 'event',
      state,
      state_changed_at: changed_at,
      attempts: attempts.length,
      scheduled_attempts: attempts.length,
      last_response_status: end?.response_status ?? null,
      last_error_code: end?.error_code ?? null,
      next_attempt_at: isRetrying ? isoTime(at) : null,
      updated_at: changed_at,
    },
  ])
  await insertAttempts(tx, attempts)
}
