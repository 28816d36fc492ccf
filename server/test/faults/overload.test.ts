// R13. More requests than a server can carry out: those it cannot serve are refused at once and cheaply, those it can
// are served, and whoever does not take part in the flood hardly notices it. `npm run bench -- r13` has the figures.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey, createPortal } from '../../src/building-blocks/portals/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import { freePort } from '../postgres-cluster.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { createLoadClient, type Reply } from './load-client.ts'
import { percentile, sendOpenLoop, watchProbes } from './open-loop.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

let deployment: Deployment
let server: RunningServer
let quietKey: string
let metricsPort: number

beforeAll(async () => {
  deployment = await newDeployment()
  const { context } = await openTestContext(readConfig(deployment.environment))
  quietKey = await context.database.transaction(async (tx) => {
    const { id: portal_id } = await createPortal(tx, context, { name: 'Quiet' })
    return (await createKey(tx, context, { portal_id, name: 'Quiet', grants: ['all'] })).key
  })
  await context.database.close()
  metricsPort = await freePort()
  server = await deployment.start({ environment: { PORTICO_METRICS_PORT: String(metricsPort) } })
  await server.call('POST', 'businesses/', { key: deployment.key, body: deployment.business() })
})
afterAll(() => deployment.remove())

test('200 requests at once are all served by a server that was idle', { timeout: faultTimeoutMs }, async () => {
  const client = createLoadClient(server.origin, { key: deployment.key, sockets: 200 })
  const sent = Array.from({ length: 200 }, (_, n) =>
    client.send(
      n % 2 === 0
        ? { method: 'GET', path: '/v1/businesses/' }
        : {
            method: 'POST',
            path: '/v1/businesses/',
            headers: { 'idempotency-key': `burst-of-200-requests-${n}` },
            body: deployment.business(),
          },
    ),
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  client.close()
  expect(statuses.filter((status) => status >= 300)).toEqual([])
})

test('a flood is refused in the form of every error while probes are answered, another Portal is served, and it ends without a trace', {
  timeout: faultTimeoutMs,
}, async () => {
  const seconds = scale.overloadSeconds
  const probes = watchProbes(server.origin, 250, isFull ? 1000 : faultTimeoutMs)
  const flood = sendOpenLoop({
    ...{ port: server.port, perSecond: Infinity, seconds, connections: 1200 },
    request: () => request('/v1/businesses/', deployment.key),
  })
  const invented = await untilCrowded()
  const quiet = await quietly(seconds)
  const flooded = await flood
  const { took, failures } = await probes.stop()

  expect(failures).toEqual([])
  expect(quiet.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
  // Within 5 s, by the clock on the wall: not on a machine that others use.
  if (isFull) expect(flooded.unanswered).toBe(0)
  expect(flooded.others.size).toBe(0)
  expect(flooded.refused.length).toBeGreaterThan(0)
  expect(flooded.served.length).toBeGreaterThan(0)
  // A key that nobody knows is refused like the flood, or told that it is none: never more than that.
  expect([401, 503]).toContain(invented.status)
  requireErrorShape(flooded.firstRefusal)
  expect(server.output()).toContain('"reason":"')
  const metrics = await metricsText()
  const counted = [...metrics.matchAll(/^portico_requests_refused_total\{reason="(\w+)"\} (\d+)$/gm)]
  expect(counted.reduce((sum, [, , count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(flooded.refused.length)
  for (const gauge of [/^portico_requests_waiting 0$/m, /^portico_requests_running 0$/m])
    await expect.poll(metricsText, { timeout: faultTimeoutMs }).toMatch(gauge)
  const after = await server.call('GET', 'businesses/', { key: deployment.key })
  expect(after.status).toBe(200)
  report('R13 overload', {
    served: flooded.served.length,
    refused: flooded.refused.length,
    'p99 ms of a refusal': Math.round(percentile(flooded.refused, 0.99)),
    'p99 ms of another Portal': Math.round(
      percentile(
        quiet.map(({ tookMs }) => tookMs),
        0.99,
      ),
    ),
    'longest ms of a probe': Math.round(percentile(took, 1)),
  })
})

test('bodies that are announced and not sent take half of the memory for bodies at the most, and another Portal is served', {
  timeout: faultTimeoutMs,
}, async () => {
  const head = (n: number) =>
    `POST /v1/businesses/ HTTP/1.1\r\nhost: portico\r\nauthorization: Bearer ${deployment.key}\r\ncontent-type: application/json\r\nidempotency-key: announced-body-${n}-of-many\r\ncontent-length: 1048576\r\n\r\n`
  const refusals: string[] = []
  const sockets = Array.from({ length: 130 }, (_, n) => {
    const socket = connect(server.port, '127.0.0.1')
    socket.setEncoding('latin1').on('data', (text: string) => refusals.push(text))
    socket.write(head(n))
    return socket
  })
  const gauge = async () => (await metricsText()).match(/^portico_request_bodies_bytes (\d+)$/m)?.[1]
  await expect.poll(gauge, { timeout: faultTimeoutMs }).toBe(String(128 * 1024 * 1024))
  await expect.poll(() => refusals.length, { timeout: faultTimeoutMs }).toBe(2)
  for (const text of refusals) requireErrorShape(text)
  const quiet = createLoadClient(server.origin, { key: quietKey, sockets: 1 })
  const large = { method: 'POST', path: '/v1/businesses/', body: { name: 'x'.repeat(100_000) } }
  expect((await quiet.send({ ...large, headers: { 'idempotency-key': 'a-large-body-of-another' } })).status).toBe(422)
  quiet.close()
  for (const socket of sockets) socket.destroy()
  await expect.poll(gauge, { timeout: faultTimeoutMs }).toBe('0')
})

/** Asks with a key that does not exist until the flood is felt, and returns the answer. */
async function untilCrowded(): Promise<Reply> {
  const client = createLoadClient(server.origin, { key: `ptk_stg_${'x'.repeat(38)}`, sockets: 1 })
  for (;;) {
    const reply = await client.send({ method: 'GET', path: '/v1/businesses/' })
    const isCrowded = /^portico_requests_refused_total\{/m.test(await metricsText())
    if (isCrowded) client.close()
    if (isCrowded) return reply
  }
}

/** One request after the other, as somebody sends them who is not in a hurry. */
async function quietly(seconds: number): Promise<{ status: number; tookMs: number }[]> {
  const client = createLoadClient(server.origin, { key: quietKey, sockets: 1 })
  const end = performance.now() + seconds * 500
  const replies: { status: number; tookMs: number }[] = []
  while (performance.now() < end) {
    const begin = performance.now()
    const { status } = await client.send({ method: 'GET', path: '/v1/businesses/' })
    replies.push({ status, tookMs: performance.now() - begin })
  }
  client.close()
  return replies
}

async function metricsText(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
}

/** The form of every error, and nothing about the key. */
function requireErrorShape(text: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const requestId = /\r\nrequest-id: (req_\w{26})\r\n/i.exec(head)?.[1]
  expect(head).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
  expect(head).toMatch(/\r\nretry-after: [1-3]\r\n/i)
  expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
  expect(JSON.parse(body)).toMatchObject({
    ...{ status: 503, code: 'service_unavailable', retryable: true, request_id: requestId },
    details: [{ location: 'state', name: 'load', code: 'overloaded' }],
  })
}

function request(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: portico\r\nauthorization: Bearer ${key}\r\n\r\n`
}
