// What the metrics listener says of deliveries.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { addDeliveryMetrics } from '../src/areas/webhooks/sending/delivery-metrics.ts'
import { fanOut } from '../src/areas/webhooks/sending/fan-out.ts'
import { numberEvents } from '../src/platform/background/outbox.ts'
import { hour, isoTime, minute } from '../src/platform/clock.ts'
import { serveMetrics } from '../src/platform/http/metrics-listener.ts'
import { newPortal, openTestContext, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { atLeisure } from './many-rows.ts'
import { cleanUp, cleanups } from './real-servers.ts'
import { startSink } from './webhook-sink.ts'

let server: TestServer
let portal: TestPortal
let listener: Server
beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  listener = await serveMetrics(server.context, server.metrics, server.server.probes, { port: 0 })
  portal = await newPortal(server)
})
afterAll(async () => {
  listener.close()
  await server.stop()
})
afterEach(cleanUp)

/** Lines of the metrics whose name begins so, as name with labels → value. */
async function read(prefix: string): Promise<Record<string, number>> {
  // safe because a server that listens on a port has such an address
  const response = await fetch(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/metrics`)
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith(prefix))
  return Object.fromEntries(lines.map((line) => [line.slice(prefix.length, line.lastIndexOf(' ')), numberIn(line)]))
}
const numberIn = (line: string) => Number(line.slice(line.lastIndexOf(' ') + 1))

/** An active webhook that nobody sends to. */
async function newWebhook(): Promise<string> {
  const { body } = await portal.call('POST', 'webhooks/', {
    body: { url: 'https://hooks.example.com/', event_types: ['*'] },
  })
  await change(body.id, { state: 'active' })
  return body.id
}

const change = (id: string, values: { state?: string; failing_since?: string | null }) =>
  server.context.database.transaction((tx) => tx.updateTable('webhooks').set(values).where('id', '=', id).execute())

test('what waits, and for how long: events for numbers and deliveries, deliveries for their attempts', async () => {
  const { context, clock } = server
  const metrics = addDeliveryMetrics(context, server.metrics.registry)
  cleanups.push(() => metrics.remove())
  const webhook = await newWebhook()
  expect(await read('portico_event_lag_seconds')).toEqual({ '{waits_for="number"}': 0, '{waits_for="deliveries"}': 0 })
  expect(await read('portico_webhook_deliveries_waiting')).toEqual({ '{state="pending"}': 0, '{state="retrying"}': 0 })
  expect(await read('portico_webhook_oldest_due_seconds')).toEqual({
    '{webhooks="healthy"}': 0,
    '{webhooks="failing"}': 0,
  })

  for (let count = 0; count < 3; count++) {
    await portal.call('POST', 'businesses/', { body: portal.business() })
    clock.advance(minute)
  }
  const unnumbered = await read('portico_event_lag_seconds')
  expect(unnumbered['{waits_for="number"}']).toBeGreaterThanOrEqual(180)
  expect(unnumbered['{waits_for="deliveries"}']).toBe(0)
  await numberEvents(context.database, portal.id)
  const numbered = await read('portico_event_lag_seconds')
  expect(numbered['{waits_for="number"}']).toBe(0)
  expect(numbered['{waits_for="deliveries"}']).toBeGreaterThanOrEqual(180)

  await fanOut(context, { portal_id: portal.id, is_awaited: true })
  expect(await read('portico_event_lag_seconds')).toEqual({ '{waits_for="number"}': 0, '{waits_for="deliveries"}': 0 })
  expect(await read('portico_webhook_deliveries_waiting')).toEqual({ '{state="pending"}': 3, '{state="retrying"}': 0 })
  clock.advance(hour)
  const due = await read('portico_webhook_oldest_due_seconds')
  expect(due['{webhooks="healthy"}']).toBeGreaterThanOrEqual(3600)
  expect(due['{webhooks="healthy"}']).toBeLessThan(3700)
  await change(webhook, { failing_since: isoTime(clock.now()) })
  const failing = await read('portico_webhook_oldest_due_seconds')
  expect(failing['{webhooks="healthy"}']).toBe(0)
  expect(failing['{webhooks="failing"}']).toBeGreaterThanOrEqual(3600)
  // Paused by its owner: nothing is late.
  await change(webhook, { state: 'paused' })
  expect((await read('portico_webhook_oldest_due_seconds'))['{webhooks="failing"}']).toBe(0)
})

test('what a Portal has done before its first webhook waits for no deliveries, and none are made of it', async () => {
  const { context, clock } = server
  const metrics = addDeliveryMetrics(context, server.metrics.registry)
  cleanups.push(() => metrics.remove())
  const before = portal
  cleanups.push(() => {
    portal = before
  })
  portal = await newPortal(server)
  await portal.call('POST', 'businesses/', { body: portal.business() })
  clock.advance(minute)
  await numberEvents(context.database, portal.id)
  const webhook = await newWebhook()
  expect((await read('portico_event_lag_seconds'))['{waits_for="deliveries"}']).toBe(0)
  await fanOut(context, { portal_id: portal.id, is_awaited: true })
  expect((await portal.call('GET', `webhooks/${webhook}/deliveries/`)).body.items).toEqual([])
})

test('no more than 1,000 of a webhook are counted, however many wait', async () => {
  const metrics = addDeliveryMetrics(server.context, server.metrics.registry)
  cleanups.push(() => metrics.remove())
  const before = (await read('portico_webhook_deliveries_waiting'))['{state="pending"}'] ?? 0
  const webhook = await newWebhook()
  await portal.call('POST', `webhooks/${webhook}/test/`)
  await atLeisure(server.context, (tx) =>
    sql`
      insert into webhook_deliveries (portal_id, id, webhook_id, event_id, event_type, state, state_changed_at, attempts,
        scheduled_attempts, trigger, next_attempt_at, created_at, updated_at)
      select portal_id, id || '-' || n, webhook_id, null, event_type, case when n <= 1500 then 'pending' else 'retrying' end,
        state_changed_at, attempts, scheduled_attempts, trigger, next_attempt_at, created_at, updated_at
      from webhook_deliveries, (
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1600) select n from numbers
      ) as copies
      where webhook_id = ${webhook}
    `.execute(tx),
  )
  expect(await read('portico_webhook_deliveries_waiting')).toEqual({
    '{state="pending"}': before + 1000,
    '{state="retrying"}': 100,
  })
  await change(webhook, { state: 'disabled' })
})

test('attempts are counted by what came of them', async () => {
  const own = await newPortal(server)
  const sink = await startSink()
  const outcomes = ['succeeded', 'response_status', 'redirect'] as const
  const statuses = { succeeded: 200, response_status: 500, redirect: 302 }
  const answered = { succeeded: 0, response_status: 0, redirect: 0 }
  const events = new Set<unknown>()
  // By its event, because what failed is tried again after 5 s.
  sink.answer = (response, { headers }) => {
    const outcome = outcomes[[...events.add(headers['webhook-id'])].indexOf(headers['webhook-id'])] ?? 'succeeded'
    answered[outcome]++
    response.writeHead(statuses[outcome]).end()
  }
  const background = startBackground(server.context, server.metrics)
  cleanups.push(async () => {
    await background.stop()
    await sink.close()
  })
  const { body } = await own.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['business.created'] } })
  const state = async () => (await own.call('GET', `webhooks/${body.id}/`)).body.state
  await expect.poll(state).toBe('active')
  for (let count = 1; count <= 3; count++) {
    await own.call('POST', 'businesses/', { body: own.business() })
    await expect.poll(() => events.size).toBe(count)
  }
  const counted = async () => {
    const total = await read('portico_webhook_attempts_total')
    return Object.fromEntries(outcomes.map((outcome) => [outcome, total[`{outcome="${outcome}"}`]]))
  }
  // What the sink has answered by then: one of them succeeds, and the others may have been tried again.
  const difference = async () => {
    const told = await counted()
    return told.succeeded === 1 && outcomes.every((outcome) => told[outcome] === answered[outcome]) ? undefined : told
  }
  await expect.poll(difference).toBeUndefined()
  const retrying = async () => (await read('portico_webhook_deliveries_waiting'))['{state="retrying"}']
  await expect.poll(retrying).toBe(102)
})

test('without its database a process still serves the other metrics, and none that would be wrong', async () => {
  const { context } = await openTestContext(server.context.config)
  await context.database.close()
  const metrics = addDeliveryMetrics(context, server.metrics.registry)
  cleanups.push(() => metrics.remove())
  expect(await read('portico_up')).toEqual({ '': 1 })
  expect(await read('portico_webhook_deliveries_waiting')).toEqual({})
  expect(await read('portico_webhook_oldest_due_seconds')).toEqual({})
  expect(await read('portico_event_lag_seconds')).toEqual({})
})
