// R7. One Portal has tens of thousands of deliveries to an endpoint that hangs, or that refuses every connection. Other
// endpoints, of the same Portal and of others, hear of their events as if nothing was wrong, and memory does not grow.
import { createServer } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLeadSource } from '../../src/areas/businesses/commands.ts'
import { createKey, createPortal } from '../../src/building-blocks/portals/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import { copyRows } from '../many-rows.ts'
import { freePort } from '../postgres-cluster.ts'
import { cleanUp, listen } from '../real-servers.ts'
import { type Sink, startSink } from '../webhook-sink.ts'
import { type Deployment, median, newDeployment, report, residentBytes } from './deployment.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

let deployment: Deployment
let beside: Context
let server: RunningServer
beforeAll(async () => {
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
  server = await deployment.start({ environment: { PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
afterAll(async () => {
  await beside.database.close()
  await deployment.remove()
  await cleanUp()
})

test.each(['hangs', 'refuses'] as const)(
  'an endpoint that %s with many deliveries waiting delays no other',
  {
    timeout: faultTimeoutMs,
  },
  async (kind) => {
    const flooded = await makePortal()
    const other = await makePortal()
    const dead = await subscribe(flooded, ['business.updated'])
    const neighbour = await subscribe(flooded, ['business.created'])
    const foreign = await subscribe(other, ['*'])
    await die(dead, kind)
    // The same work without a flood first: what a server needs for that is none of the flood's.
    const usual = await delays(other, foreign.sink, scale.samplesBesideFlood)
    const before = residentBytes(server.pid)

    await flood(flooded)
    const during = await delays(other, foreign.sink, scale.samplesBesideFlood)
    await expect.poll(() => countDeliveries(dead.id), { timeout: faultTimeoutMs }).toBe(scale.floodedDeliveries)
    const afterwards = await delays(other, foreign.sink, scale.samplesBesideFlood)
    const inside = await delays(flooded, neighbour.sink, scale.samplesBesideFlood)
    const growth = (residentBytes(server.pid) - before) / 2 ** 20
    const show = (values: number[]) => `${Math.round(median(values))} (p95 ${Math.round(p95(values))})`
    report(`R7 an endpoint that ${kind}`, {
      waiting: scale.floodedDeliveries,
      'ms to another Portal before': show(usual),
      'ms to another Portal while they are made': show(during),
      'ms to it while they wait': show(afterwards),
      'ms to another endpoint of the same Portal': show(inside),
      'memory grew by MB': Math.round(growth),
    })
    const attempts = await attemptsOf(dead.id)
    for (const { error_code, duration_ms } of attempts) {
      expect(error_code).toBe(kind === 'hangs' ? 'timed_out' : 'connection_failed')
      if (isFull && kind === 'hangs') expect(duration_ms).toBeLessThan(17_000)
    }
    if (!isFull) return
    expect(attempts.length).toBeGreaterThan(0)
    for (const values of [during, afterwards, inside]) expect(p95(values)).toBeLessThanOrEqual(2000)
    expect(growth).toBeLessThan(100)
  },
)

interface Portal {
  id: string
  key: string
  leadSourceId: string
}

async function makePortal(): Promise<Portal> {
  return beside.database.transaction(async (tx) => {
    const { id } = await createPortal(tx, beside, { name: 'Flood' })
    const { key } = await createKey(tx, beside, { portal_id: id, name: 'Key', grants: ['all'] })
    const caller = { context: beside, portal_id: id, request_id: null }
    const leadSourceId = await createLeadSource(tx, caller, { name: 'Web', kind: 'website', requires_detail: false })
    return { id, key, leadSourceId }
  })
}

async function subscribe({ key }: Portal, event_types: string[]): Promise<{ id: string; sink: Sink }> {
  const sink = await startSink()
  const { body } = await server.call('POST', 'webhooks/', { key, body: { url: sink.url, event_types } })
  const read = async () => (await server.call('GET', `webhooks/${body.id}/`, { key })).body.state
  await expect.poll(read, { timeout: 30_000 }).toBe('active')
  return { id: body.id, sink }
}

/** The receiver of an endpoint goes away, and something else is at its address. */
async function die({ id, sink }: { id: string; sink: Sink }, kind: 'hangs' | 'refuses'): Promise<void> {
  await sink.close()
  const port = kind === 'refuses' ? await freePort() : (await listen(createServer((socket) => socket.resume()))).port
  await beside.database.transaction((tx) =>
    tx
      .updateTable('webhooks')
      .set({ url: `http://127.0.0.1:${port}/` })
      .where('id', '=', id)
      .execute(),
  )
}

const create = ({ key, leadSourceId }: Portal) =>
  server.call('POST', 'businesses/', { key, body: deployment.business({ lead_source_id: leadSourceId }) })

/** One event as a change makes it, and many like it. */
async function flood(portal: Portal): Promise<void> {
  await create(portal)
  const event = await beside.database.read
    .selectFrom('events')
    .select('id')
    .where('portal_id', '=', portal.id)
    .executeTakeFirstOrThrow()
  const different = {
    id: sql`'evt_' || ${sql.lit(portal.id.slice(-18))} || cast(n as text)`,
    type: sql`'business.updated'`,
    sequence: sql`null`,
  }
  const batch = 5000
  for (let first = 1; first <= scale.floodedDeliveries; first += batch) {
    const last = Math.min(scale.floodedDeliveries, first + batch - 1)
    await copyRows(beside, 'events', event.id, different, { first, last })
  }
}

/** From the response to a change to the arrival of its event, change by change. */
async function delays(portal: Portal, sink: Sink, count: number): Promise<number[]> {
  const times: number[] = []
  while (times.length < count) {
    const arrival = new Promise<number>((resolve) => {
      sink.answer = (response) => {
        response.end()
        resolve(performance.now())
      }
    })
    const { status, text } = await create(portal)
    expect(status, text).toBe(201)
    const acknowledged = performance.now()
    times.push(Math.max(0, (await arrival) - acknowledged))
    sink.received.length = 0
  }
  return times
}

function p95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
}

async function countDeliveries(webhookId: string): Promise<number> {
  const { count } = await beside.database.read
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

function attemptsOf(webhookId: string) {
  return beside.database.read
    .selectFrom('webhook_attempts')
    .innerJoin('webhook_deliveries', (join) =>
      join
        .onRef('webhook_deliveries.portal_id', '=', 'webhook_attempts.portal_id')
        .onRef('webhook_deliveries.id', '=', 'webhook_attempts.delivery_id'),
    )
    .select(['webhook_attempts.error_code', 'webhook_attempts.duration_ms'])
    .where('webhook_deliveries.webhook_id', '=', webhookId)
    .execute()
}
