// Sends what is due, at once and to many, so that no endpoint waits for another: each has a few places, each Portal has a
// few more, and whoever was served longest ago comes first. Endpoints that fail, and may hold each place until the
// deadline, get fewer, and all of them together leave most places to the others.
import { setTimeout as wait } from 'node:timers/promises'
import { isoTime, second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Outbound } from '../../../platform/outbound/calls.ts'
import { newId } from '../../../platform/values/ids.ts'
import {
  cancelDelivery,
  claimDeliveries,
  type DeliveryRow,
  endpointsWithDue,
  renewClaims,
} from '../deliveries/queries.ts'
import { findWebhook, type WebhookRow } from '../endpoints/queries.ts'
import { findEvents } from '../events/queries.ts'
import { toEvent } from '../events/records.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { fanOut, portalsToFanOut } from './fan-out.ts'
import { type Finished, writeOutcomes } from './outcomes.ts'
import { messageTo } from './payloads.ts'
import { leaseMs } from './schedule.ts'
import { sendTo } from './send.ts'

interface Places {
  total: number
  portal: number
  endpoint: number
  /** All endpoints that fail or answer slowly, together, those of a Portal, and each of them. */
  failing: number
  failingOfPortal: number
  failingEndpoint: number
}

const usualPlaces: Places = {
  total: 256,
  portal: 32,
  endpoint: 16,
  failing: 96,
  failingOfPortal: 12,
  failingEndpoint: 4,
}

/** An endpoint that takes longer holds its places for as long as one that fails. */
const slowMs = 3 * second

export function startDispatcher(
  context: Context,
  outbound: Outbound,
  metrics: Pick<DeliveryMetrics, 'attempted'>,
  { places = usualPlaces, idleMs = 1000 }: { places?: Places; idleMs?: number } = {},
) {
  let isStopping = false
  const running = new Map<string, number>()
  const lastServed = new Map<string, number>()
  const slow = new Set<string>()
  const underWay = new Map<Promise<void>, DeliveryRow>()
  const fanningOut = new Map<string, Promise<void>>()
  const lastFannedOut = new Map<string, number>()
  let lastForAll = Number.NEGATIVE_INFINITY
  let turn = 0
  let wake: () => void = () => undefined
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const stopListening = context.database.listen(() => wake())
  const finished = collect((batch) => saveOutcomes(context, batch))
  const timeIn = (milliseconds: number) => context.database.timeIn(context.clock, milliseconds)
  const renewal = setInterval(() => {
    if (underWay.size === 0) return
    const claimed = [...underWay.values()]
    renewClaims(context.database, claimed, timeIn(leaseMs)).catch((error) =>
      context.log.warn({ err: error }, 'the claims of deliveries could not be renewed'),
    )
  }, leaseMs / 3)

  const count = (name: string, by: number) => {
    const next = (running.get(name) ?? 0) + by
    if (next === 0) running.delete(name)
    else running.set(name, next)
  }

  const send = async (webhook: WebhookRow, delivery: DeliveryRow, body: string) => {
    const { portal_id, id, event_id } = delivery
    const failing = ['failing', `failing ${portal_id}`]
    const names = ['', portal_id, webhook.id, ...(isFailing(webhook) ? failing : [])]
    for (const name of names) count(name, 1)
    try {
      const sent = await sendTo(context, outbound, webhook, { url: webhook.url, id: event_id ?? id, body })
      metrics.attempted(sent.error_code ?? 'succeeded')
      slow[sent.duration_ms > slowMs ? 'add' : 'delete'](webhook.id)
      await finished.add({ delivery, webhook, sent, attempt_id: newId('att') })
    } catch (error) {
      // The lease runs out and another attempt follows.
      context.log.warn({ err: error, delivery_id: id }, 'the outcome of a delivery could not be saved')
    } finally {
      for (const name of names) count(name, -1)
      wake()
    }
  }

  const taken = (name: string) => running.get(name) ?? 0
  const isFailing = ({ id, failing_since }: WebhookRow) => failing_since !== null || slow.has(id)

  const serve = async (endpoint: { portal_id: string; webhook_id: string }): Promise<void> => {
    const { portal_id, webhook_id } = endpoint
    const open = Math.min(
      places.total - taken(''),
      places.portal - taken(portal_id),
      places.endpoint - taken(webhook_id),
    )
    if (open <= 0) return
    const webhook = await findWebhook(context.database.read, portal_id, webhook_id)
    if (webhook?.state !== 'active') return
    const free = isFailing(webhook)
      ? Math.min(
          open,
          places.failing - taken('failing'),
          places.failingOfPortal - taken(`failing ${portal_id}`),
          places.failingEndpoint - taken(webhook_id),
        )
      : open
    if (free <= 0) return
    const claim = { now: timeIn(0), until: timeIn(leaseMs), lease: newId('lease'), limit: free }
    const deliveries = await claimDeliveries(context.database, endpoint, claim)
    if (deliveries.length === 0) return
    lastServed.set(endpoint.webhook_id, ++turn)
    const bodies = await bodiesOf(context, webhook, deliveries)
    for (const delivery of deliveries) {
      const body = bodies.get(delivery.id)
      if (body === undefined) {
        await cancelDelivery(context.database, delivery, isoTime(context.clock.now()))
        continue
      }
      const work: Promise<void> = send(webhook, delivery, body).finally(() => underWay.delete(work))
      underWay.set(work, delivery)
    }
  }

  /** What fails for one Portal must not hold up the others. */
  const alone = async (portal_id: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      context.log.warn({ err: error, portal_id }, 'the deliveries of a Portal could not be prepared')
    }
  }

  /**
   * A piece of each Portal's events, whoever had one longest ago first: a flood of one does not hold up the others. Nor
   * does one whose row somebody else holds: it is waited for only a moment, and wakes the loop when it is done. Portals
   * without webhooks have their turn once a second: nobody waits for the numbers, and who reads them makes them first.
   */
  const fanOutSome = async (): Promise<void> => {
    const portals = await portalsToFanOut(context.database.read)
    const begun: Promise<void>[] = []
    let isWaiting = true
    portals.sort((a, b) => (lastFannedOut.get(a.portal_id) ?? 0) - (lastFannedOut.get(b.portal_id) ?? 0))
    const now = performance.now()
    const wanted = now - lastForAll < idleMs ? portals.filter(({ is_awaited }) => is_awaited) : portals
    const isForAll = wanted === portals
    let isLeft = false
    for (const portal of wanted) {
      const { portal_id, is_awaited } = portal
      isLeft = fanningOut.size >= fanOutsAtOnce
      if (isLeft) break
      if (fanningOut.has(portal_id)) continue
      lastFannedOut.set(portal_id, ++turn)
      const work = alone(portal_id, async () => {
        let isMore = await fanOut(context, portal)
        // Its next turn is far away.
        while (isMore && !is_awaited && !isStopping) isMore = await fanOut(context, portal)
        if (isMore || !isWaiting) wake()
      }).finally(() => fanningOut.delete(portal_id))
      fanningOut.set(portal_id, work)
      begun.push(work)
    }
    if (begun.length > 0) await atMost(fanOutPatienceMs, Promise.all(begun))
    isWaiting = false
    if (isForAll && !isLeft) lastForAll = now
    // Those that hold the places now wake the loop by themselves.
    if (isLeft && begun.length > 0) wake()
    if (lastFannedOut.size > 10_000) lastFannedOut.clear()
  }

  const look = async (): Promise<void> => {
    await fanOutSome()
    const due = await endpointsWithDue(context.database.read, timeIn(0))
    due.sort((a, b) => (lastServed.get(a.webhook_id) ?? 0) - (lastServed.get(b.webhook_id) ?? 0))
    for (const endpoint of due) if (!isStopping) await alone(endpoint.portal_id, () => serve(endpoint))
    if (lastServed.size > 10_000) lastServed.clear()
    if (slow.size > 10_000) slow.clear()
  }

  const loop = async () => {
    while (!isStopping) {
      const next = woken()
      try {
        await look()
      } catch (error) {
        context.log.warn({ err: error }, 'the worker could not read deliveries from the database')
      }
      await atMost(idleMs, next)
    }
    await Promise.all(fanningOut.values())
    await Promise.allSettled(underWay.keys())
    clearInterval(renewal)
    await finished.end()
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

/** Resolves with `work`, or when the time is up. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const resting = new AbortController()
  await Promise.race([work, wait(milliseconds, undefined, { signal: resting.signal }).catch(() => undefined)])
  resting.abort()
}

const fanOutsAtOnce = 4
const fanOutPatienceMs = 50

/** A database that is away for a moment must not make everything that has arrived be sent again. */
async function saveOutcomes(context: Context, batch: readonly Finished[]): Promise<void> {
  for (const waitMs of outcomeWaitsMs)
    try {
      return await writeOutcomes(context, batch)
    } catch (error) {
      if (context.database.troubleOf(error)?.kind !== 'unavailable') throw error
      await wait(waitMs)
    }
  return writeOutcomes(context, batch)
}

/** Together within the lease. */
const outcomeWaitsMs = [250, 500, second, 2 * second, 4 * second, 8 * second]

/** What is sent for each delivery; nothing for one whose event is no longer kept. */
async function bodiesOf(
  context: Context,
  webhook: WebhookRow,
  deliveries: readonly DeliveryRow[],
): Promise<Map<string, string>> {
  const eventIds = deliveries.flatMap(({ event_id }) => (event_id === null ? [] : [event_id]))
  const events = await findEvents(context.database.read, webhook.portal_id, eventIds)
  return new Map(
    deliveries.flatMap(({ id, event_id, created_at }) => {
      if (event_id === null)
        return [[id, JSON.stringify(messageTo(context, webhook, { id, type: 'webhook.ping', at: created_at }))]]
      const event = events.get(event_id)
      return event ? [[id, JSON.stringify(toEvent(context, event))]] : []
    }),
  )
}

/** Gathers what is finished while the last batch is being written, and writes it as the next. */
function collect(write: (batch: Finished[]) => Promise<void>) {
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await write(batch.map(({ one }) => one))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // Whatever is wrong with one of them must not take the others with it.
      if (batch.length > 1) for (const one of batch) await settle([one])
      else for (const { reject } of batch) reject(error)
    }
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await settle(batch)
    }
    writing = undefined
  }
  return {
    add: (one: Finished) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ one, resolve, reject })
        writing ??= flush()
      }),
    end: async () => writing,
  }
}

interface Waiting {
  one: Finished
  resolve: () => void
  reject: (error: unknown) => void
}
