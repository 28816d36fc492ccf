// Sends what is due, at once and to many. Whoever was served longest ago comes first, and each has its places (see
// places.ts). An endpoint that answers at once has some of its deliveries claimed ahead: reading many costs little more
// than reading one.
import { setTimeout as wait } from 'node:timers/promises'
import { isoTime, second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { newId } from '../../../platform/values/ids.ts'
import {
  cancelDelivery,
  claimDeliveries,
  type DeliveryRow,
  endpointsWithDue,
  releaseClaims,
  renewClaims,
} from '../deliveries/queries.ts'
import { findSentTo, type WebhookRow } from '../endpoints/queries.ts'
import { findEvents } from '../events/queries.ts'
import { toEvent } from '../events/records.ts'
import { outboundOf } from '../outbound.ts'
import { atMost } from './at-most.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { createFanOutTurns } from './fan-out-turns.ts'
import { createOutcomeBatches } from './outcome-batches.ts'
import { messageTo } from './payloads.ts'
import { claimedAhead, createPlaces, type Endpoint, fewWaiting } from './places.ts'
import { leaseMs } from './schedule.ts'
import { type Sent, sendTo } from './send.ts'

interface Message {
  body: string
  /** The request that caused the event. */
  request_id: string | undefined
}

interface Waiting extends Message {
  delivery: DeliveryRow
}

/** What is claimed of an endpoint and not yet called. */
interface Lane {
  endpoint: Endpoint
  webhook: WebhookRow
  waiting: Waiting[]
}

/** An endpoint that takes longer holds its places for as long as one that fails. */
const slowMs = 3 * second
/** One that takes no longer has deliveries claimed ahead: those wait for less than a second, while it stays so. */
const promptMs = 250
/** While one thing follows the other, what is due is looked for no more often: looking costs more than what it finds. */
const spacingMs = 20
/** Claimed, called or still to be written. */
const maximumClaimed = 1024

export function startDispatcher(
  context: Context,
  metrics: Pick<DeliveryMetrics, 'attempted'>,
  { idleMs = 1000 }: { idleMs?: number } = {},
) {
  let isStopping = false
  const places = createPlaces()
  const lanes = new Map<string, Lane>()
  const claimed = new Set<DeliveryRow>()
  const calls = new Set<Promise<void>>()
  const lastServed = new Map<string, number>()
  /** Milliseconds of the last call to each endpoint; endless for one that failed. */
  const lastTook = new Map<string, number>()
  /** Whether something is due for which there was no room. */
  let isMoreDue = false
  let turn = 0
  let wake: () => void = () => undefined
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const stopListening = context.database.listen(() => wake())
  const outcomes = createOutcomeBatches(context)
  const timeIn = (milliseconds: number) => context.database.timeIn(context.clock, milliseconds)
  const renewal = setInterval(() => {
    if (claimed.size === 0) return
    renewClaims(context.database, [...claimed], timeIn(leaseMs)).catch((error) =>
      context.log.warn({ err: error }, 'the claims of deliveries could not be renewed'),
    )
  }, leaseMs / 3)

  const isFailing = ({ id, failing_since }: WebhookRow) => failing_since !== null || (lastTook.get(id) ?? 0) > slowMs

  const call = async ({ endpoint, webhook }: Lane, { delivery, body, request_id }: Waiting): Promise<void> => {
    const { id, event_id } = delivery
    const leave = places.take(endpoint, isFailing(webhook))
    // A failure is noted in the database a little later; whoever claims before that must know it, too.
    const end = async (took: number): Promise<void> => {
      lastTook.set(webhook.id, took)
      const givenBack = isFailing(webhook) ? giveBack(lanes.get(webhook.id)) : undefined
      leave()
      callAll()
      await givenBack
    }
    const failed = Number.POSITIVE_INFINITY
    const message = { url: webhook.url, id: event_id ?? id, body }
    const sending = outboundOf(context).then((outbound) => sendTo(context, outbound, webhook, message))
    const sent = await sending.catch(async (error) => {
      // It could not even be tried.
      await end(failed)
      throw error
    })
    const outcome = sent.error_code ?? 'succeeded'
    metrics.attempted(outcome)
    logAttempt(context, { delivery, request_id, outcome, sent })
    const ended = end(sent.error_code === null ? sent.duration_ms : failed)
    await Promise.all([outcomes.add({ delivery, webhook, sent, attempt_id: newId('att') }), ended])
  }

  /** Begins as many calls as there are places. */
  const callNext = (lane: Lane): void => {
    const { endpoint, webhook, waiting } = lane
    const free = isStopping ? 0 : places.free(endpoint, isFailing(webhook))
    if (free === 0) return
    lanes.delete(webhook.id)
    for (const message of waiting.splice(0, free)) {
      const { delivery, request_id } = message
      const work = call(lane, message)
        // The lease runs out and another attempt follows.
        .catch((error) =>
          context.log.warn(
            { err: error, request_id, portal_id: delivery.portal_id, delivery_id: delivery.id },
            'a delivery could not be sent, or its outcome could not be saved',
          ),
        )
        .finally(() => {
          claimed.delete(delivery)
          calls.delete(work)
          if (isMoreDue) wake()
        })
      calls.add(work)
    }
    // Behind the others.
    if (waiting.length > 0) lanes.set(webhook.id, lane)
  }

  const callAll = () => {
    for (const lane of [...lanes.values()]) callNext(lane)
    if (isMoreDue) wake()
  }

  /** What was claimed ahead waits for its turn again: the endpoint no longer answers as it did. */
  const giveBack = async (lane: Lane | undefined): Promise<void> => {
    if (!lane) return
    lanes.delete(lane.webhook.id)
    const deliveries = lane.waiting.splice(0).map(({ delivery }) => delivery)
    for (const delivery of deliveries) claimed.delete(delivery)
    // If it fails, the leases run out.
    await releaseClaims(context.database, deliveries, timeIn(0)).catch((error) =>
      context.log.warn({ err: error }, 'the claims of deliveries could not be given back'),
    )
    if (deliveries.length > 0) wake()
  }

  /** What waits here follows its webhook: it may be paused, moved or have another secret by now, or its Portal be suspended. */
  const followWebhooks = async (): Promise<void> => {
    for (const lane of [...lanes.values()]) {
      const { portal_id, webhook_id } = lane.endpoint
      const webhook = await findSentTo(context.database.read, portal_id, webhook_id)
      if (webhook) lane.webhook = webhook
      else await giveBack(lane)
    }
  }

  /** Claims what is due and begins to send it; true when more may be due than there is room for. */
  const serve = async (endpoint: Endpoint): Promise<boolean> => {
    const { portal_id, webhook_id } = endpoint
    const waiting = lanes.get(webhook_id)?.waiting.length ?? 0
    if (waiting >= fewWaiting || places.free(endpoint, false) === 0) return true
    const webhook = await findSentTo(context.database.read, portal_id, webhook_id)
    if (!webhook) return false
    const isPrompt = webhook.failing_since === null && (lastTook.get(webhook_id) ?? slowMs) <= promptMs
    const room = isPrompt ? claimedAhead - waiting : places.free(endpoint, isFailing(webhook)) - waiting
    const limit = Math.min(room, maximumClaimed - claimed.size)
    if (limit <= 0) return true
    const claim = { now: timeIn(0), until: timeIn(leaseMs), lease: newId('lease'), limit }
    const deliveries = await claimDeliveries(context.database, endpoint, claim)
    if (deliveries.length === 0) return false
    lastServed.set(webhook_id, ++turn)
    const messages = await messagesOf(context, webhook, deliveries)
    const lane = { endpoint, webhook, waiting: lanes.get(webhook_id)?.waiting ?? [] }
    lanes.set(webhook_id, lane)
    for (const delivery of deliveries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const message = messages.get(delivery.id)
      if (!message) continue
      claimed.add(delivery)
      lane.waiting.push({ delivery, ...message })
    }
    callNext(lane)
    for (const delivery of deliveries)
      if (!messages.has(delivery.id)) await cancelDelivery(context.database, delivery, isoTime(context.clock.now()))
    return deliveries.length === limit
  }

  /** What fails for one Portal must not hold up the others. */
  const alone = async (portal_id: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      context.log.warn({ err: error, portal_id }, 'the deliveries of a Portal could not be prepared')
    }
  }

  const fanOuts = createFanOutTurns(context, { idleMs, wake: () => wake(), alone })

  const look = async (): Promise<void> => {
    await followWebhooks()
    callAll()
    await fanOuts.round()
    const due = await endpointsWithDue(context.database.read, timeIn(0))
    due.sort((a, b) => (lastServed.get(a.webhook_id) ?? 0) - (lastServed.get(b.webhook_id) ?? 0))
    isMoreDue = false
    for (const endpoint of due)
      await alone(endpoint.portal_id, async () => {
        if (!isStopping && (await serve(endpoint))) isMoreDue = true
      })
    // A place may have become free before it was known that somebody wants it.
    if (isMoreDue && calls.size === 0) wake()
    for (const kept of [lastServed, lastTook]) if (kept.size > 10_000) kept.clear()
  }

  const loop = async () => {
    while (!isStopping) {
      const next = woken()
      const begun = performance.now()
      try {
        await look()
      } catch (error) {
        context.log.warn({ err: error }, 'the worker could not read deliveries from the database')
      }
      await atMost(idleMs, next)
      await wait(Math.max(0, begun + spacingMs - performance.now()))
    }
    await fanOuts.end()
    for (const lane of lanes.values()) await giveBack(lane)
    await Promise.allSettled(calls)
    clearInterval(renewal)
    await outcomes.end()
  }
  const ended = loop()
  return {
    /** Claims nothing more and waits for what is being sent; the deadline of each bounds the wait. */
    async stop(): Promise<void> {
      isStopping = true
      wake()
      await ended
      await stopListening()
    },
  }
}

/** What is sent for each delivery; nothing for one whose event is no longer kept. */
async function messagesOf(
  context: Context,
  webhook: WebhookRow,
  deliveries: readonly DeliveryRow[],
): Promise<Map<string, Message>> {
  const eventIds = deliveries.flatMap(({ event_id }) => (event_id === null ? [] : [event_id]))
  const events = await findEvents(context.database.read, webhook.portal_id, eventIds)
  return new Map(
    deliveries.flatMap(({ id, event_id, created_at }) => {
      if (event_id === null) {
        const ping = messageTo(context, webhook, { id, type: 'webhook.ping', at: created_at })
        return [[id, { body: JSON.stringify(ping), request_id: undefined }]]
      }
      const event = events.get(event_id)
      if (!event) return []
      return [[id, { body: JSON.stringify(toEvent(context, event)), request_id: event.request_id ?? undefined }]]
    }),
  )
}

/** One line for each attempt: by it, a request is followed to the endpoints of others. */
function logAttempt(
  { log, trace }: Context,
  {
    delivery: { portal_id, webhook_id, id, event_id, event_type },
    request_id,
    outcome,
    sent: { response_status, duration_ms },
  }: Pick<Waiting, 'delivery' | 'request_id'> & { outcome: string; sent: Sent },
): void {
  log.info(
    {
      request_id,
      portal_id,
      webhook_id,
      delivery_id: id,
      event_id: event_id ?? undefined,
      event_type,
      outcome,
      response_status: response_status ?? undefined,
      duration_ms,
    },
    'webhook attempt',
  )
  const attributes = {
    'http.response.status_code': response_status ?? undefined,
    'portico.request_id': request_id,
    'portico.event_type': event_type,
    'portico.delivery_id': id,
    'portico.outcome': outcome,
  }
  trace?.note(3, 'webhook attempt', duration_ms, attributes, { isAlone: true, isFailed: outcome !== 'succeeded' })
}
