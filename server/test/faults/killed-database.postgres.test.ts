// R4. PostgreSQL is killed with all its processes and started again while a server writes and delivers. The server lives,
// says 503 meanwhile, is well again by itself, and delivers everything that was acknowledged, once it is back.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLeadSource } from '../../src/areas/businesses/commands.ts'
import { createKey, createPortal } from '../../src/building-blocks/portals/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import { newSecretKey, type RunningServer, startServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import { type PostgresCluster, startPostgresCluster } from '../postgres-cluster.ts'
import { type Sink, startSink } from '../webhook-sink.ts'
import { report } from './deployment.ts'
import { faultTimeoutMs, isFull } from './scale.ts'

let cluster: PostgresCluster
let sink: Sink
let server: RunningServer
let key: string
let leadSourceId: string

beforeAll(async () => {
  // A cluster of its own: the others of this run must not be killed with it.
  cluster = (await startPostgresCluster()) ?? expect.fail('there is no PostgreSQL on this machine')
  sink = await startSink()
  const environment = {
    PORTICO_DATABASE_URL: cluster.url,
    PORTICO_SECRET_KEY: newSecretKey(),
    PORTICO_RATE_LIMITS: 'off',
    PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  const { context } = await openTestContext(readConfig(environment))
  await context.database.transaction(async (tx) => {
    const { id: portal_id } = await createPortal(tx, context, { name: 'Faults' })
    const caller = { context, portal_id, request_id: null }
    leadSourceId = await createLeadSource(tx, caller, { name: 'Web', kind: 'website', requires_detail: false })
    key = (await createKey(tx, context, { portal_id, name: 'Key', grants: ['all'] })).key
  })
  await context.database.close()
  server = await startServer({ environment })
})
afterAll(async () => {
  await server?.kill('SIGKILL')
  await sink?.close()
  cluster?.stop()
})

test('503 with Retry-After while PostgreSQL is dead, well again when it returns, and nothing acknowledged is lost', {
  timeout: faultTimeoutMs,
}, async () => {
  const create = (idempotencyKey: string = randomUUID()) =>
    server.call('POST', 'businesses/', {
      key,
      body: { legal_name: 'Business', country: 'US', lead_source_id: leadSourceId },
      headers: { 'idempotency-key': idempotencyKey },
    })
  const { body: webhook } = await server.call('POST', 'webhooks/', {
    key,
    body: { url: sink.url, event_types: ['business.created'] },
  })
  const state = async () => (await server.call('GET', `webhooks/${webhook.id}/`, { key })).body.state
  await expect.poll(state, { timeout: 30_000 }).toBe('active')

  const acknowledged: string[] = []
  const times = { refused: 0, back: 0 }
  for (let round = 0; round < (isFull ? 10 : 1); round++) {
    for (let count = 0; count < 5; count++) {
      const reply = await create()
      expect(reply.status, reply.text).toBe(201)
      acknowledged.push(reply.body.id)
    }
    cluster.kill()
    const killed = performance.now()
    const repeated = `write-while-dead-${round}`
    const refused = await Promise.all([create(repeated), server.call('GET', 'businesses/', { key })])
    times.refused = Math.max(times.refused, performance.now() - killed)
    for (const { status, headers } of refused) expect([status, headers.has('retry-after')]).toEqual([503, true])
    expect((await server.call('GET', `${server.origin}/healthz`)).status).toBe(200)

    cluster.restart()
    const restarted = performance.now()
    await expect
      .poll(async () => (await server.call('GET', `${server.origin}/readyz`)).status, { timeout: 30_000 })
      .toBe(200)
    times.back = Math.max(times.back, performance.now() - restarted)
    const after = await create(repeated)
    expect(after.status, after.text).toBe(201)
    acknowledged.push(after.body.id)
  }
  const arrived = () => [...new Set(sink.received.map(({ event }) => event.data.resource.id))].sort()
  await expect.poll(arrived, { timeout: 100_000 }).toEqual(acknowledged.sort())
  report('R4 killed PostgreSQL', {
    acknowledged: acknowledged.length,
    'longest ms to 503': Math.round(times.refused),
    'longest ms to ready': Math.round(times.back),
  })
  if (!isFull) return
  expect(times.refused).toBeLessThan(5000)
  expect(times.back).toBeLessThan(10_000)
})
