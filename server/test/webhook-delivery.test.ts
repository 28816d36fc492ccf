// Deliveries to endpoints that behave badly, and registrations that are meant to. Real receivers on this machine; the
// background work of the server runs beside.
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { createFanOutTurns } from '../src/areas/webhooks/sending/fan-out-turns.ts'
import { deployment } from '../src/platform/background/jobs.ts'
import { day, hour, minute, second } from '../src/platform/clock.ts'
import { isFull } from './faults/scale.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { cleanUp, cleanups, listen } from './real-servers.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let background: ReturnType<typeof startBackground>
let portal: TestPortal

/** The one that most tests make answer as they need it. */
let shared: Awaited<ReturnType<typeof subscribe>> | undefined

beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  background = startBackground(server.context, server.metrics)
})
afterAll(async () => {
  await shared?.sink.close()
  await background.stop()
  await server.stop()
})
afterEach(cleanUp)

const read = async (path: string) => (await portal.call('GET', path)).body
const makeBusiness = async () => (await portal.call('POST', 'businesses/', { body: portal.business() })).body
/** The newest one. */
const lastDelivery = async (path: string) => (await read(`${path}deliveries/`)).items[0]
const attemptsOf = async (path: string) => (await read((await lastDelivery(path)).attempts_url)).items
const becomes = (path: string, state: string) =>
  expect.poll(async () => (await lastDelivery(path))?.state, { timeout: 20_000 }).toBe(state)
/** A change whose event goes to the shared sink, and how its delivery ends up. */
const deliver = async (answer: Sink['answer'], state: string) => {
  shared ??= await subscribe()
  portal = shared.portal
  const { path, sink } = shared
  // Paused before the outcome is known: what is looked at late was not tried again meanwhile.
  sink.answer = (response, received) => void pause(path).then(() => answer(response, received))
  const { id } = await makeBusiness()
  const { items } = await read(`events/?resource_id=${id}`)
  await expect.poll(async () => (await lastDelivery(path))?.event_id, { timeout: 20_000 }).toBe(items[0].id)
  await becomes(path, state)
  const [attempt] = await attemptsOf(path)
  const delivery = await lastDelivery(path)
  await forget(path)
  return { attempt, delivery }
}
const pause = (path: string) =>
  server.context.database.transaction((tx) =>
    tx.updateTable('webhooks').set({ state: 'paused' }).where('id', '=', idIn(path)).execute(),
  )
/** Ends the pause; nothing is left to be tried again. */
const forget = (path: string) =>
  server.context.database.transaction(async (tx) => {
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', next_attempt_at: null })
      .where('webhook_id', '=', idIn(path))
      .where('state', '=', 'retrying')
      .execute()
    await tx.updateTable('webhooks').set({ state: 'active' }).where('id', '=', idIn(path)).execute()
  })
const idIn = (path: string) => path.split('/')[1] ?? ''
/** Moves the clock and lets the dispatcher look. */
const pass = (milliseconds: number) => {
  server.clock.advance(milliseconds)
  server.context.database.announce()
}

async function sinkOf(): Promise<Sink> {
  const sink = await startSink()
  cleanups.push(() => sink.close())
  return sink
}

/** A Portal, one of its own unless another is given, with an active webhook to a sink of its own. */
async function subscribe(subscriber?: TestPortal) {
  portal = subscriber ?? (await newPortal(server))
  const sink = await startSink()
  const { body } = await portal.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })
  const path = `webhooks/${body.id}/`
  await expect.poll(async () => (await read(path)).state, { timeout: 20_000 }).toBe('active')
  return { portal, sink, path, secret: body.secret as string }
}

// First: the official library looks at the system's clock, and later tests move ours.
test('every attempt has the id of its event and a signature of its own time', async () => {
  shared = await subscribe()
  const { sink, path, secret } = shared
  sink.answer = (response) => response.writeHead(503).end()
  await makeBusiness()
  await becomes(path, 'retrying')
  pass(6 * second)
  await expect.poll(() => sink.received.length, { timeout: 20_000 }).toBe(2)
  const [first, second_] = sink.received
  for (const { body, headers } of [first, second_].map((one) => one ?? expect.fail('nothing was received')))
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toHaveProperty('type')
  expect(second_?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second_?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
  const apart = Number(second_?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp'])
  expect(apart).toBeGreaterThanOrEqual(5)
})

test('events of a Portal without webhooks get numbers although nobody reads them; its first webhook is told of later ones only', async () => {
  portal = await newPortal(server)
  const own = portal
  const earlier = [await makeBusiness(), await makeBusiness(), await makeBusiness()]
  const numbers = async () => {
    const rows = server.context.database.read.selectFrom('events').select('sequence').where('portal_id', '=', own.id)
    return (await rows.orderBy('id').execute()).map(({ sequence }) => sequence)
  }
  await expect.poll(numbers, { timeout: 20_000 }).toEqual([1, 2, 3])
  const { sink } = await subscribe(own)
  cleanups.push(() => sink.close())
  const later = await makeBusiness()
  const told = () => sink.received.map(({ body }) => JSON.parse(body).data.resource.id)
  await expect.poll(told, { timeout: 20_000 }).toContain(later.id)
  for (const { id } of earlier) expect(told()).not.toContain(id)
})

describe('what is kept of a response', () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  test.each<[string, Buffer, (kept: string) => void]>([
    ['4096 bytes', Buffer.from('x'.repeat(4096)), (kept) => expect(kept).toBe('x'.repeat(4096))],
    ['more than 4096 bytes', Buffer.from('x'.repeat(9000)), (kept) => expect(kept).toBe('x'.repeat(4096))],
    [
      'a character across the bound',
      Buffer.from(`x${'é'.repeat(3000)}`),
      (kept) => expect(kept).toBe(`x${'é'.repeat(2047)}`),
    ],
    ['bytes that are not UTF-8, and NUL', Buffer.from([65, 0xff, 0, 66]), (kept) => expect(kept).toBe('A\uFFFDB')],
    ['a gzip bomb', bomb, (kept) => expect(kept.length).toBeLessThanOrEqual(4096)],
  ])('of %s, the first 4 KB as text, and the delivery succeeded', async (_name, body, check) => {
    const { attempt } = await deliver(
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
      'succeeded',
    )
    check(attempt.response_body)
    expect(attempt).toMatchObject({ response_status: 200, error_code: null })
  })
})

describe('Retry-After', () => {
  const after = (milliseconds: number) => new Date(server.clock.now() + milliseconds).toUTCString()
  // The first step is 5 s, and up to a tenth more.
  test.each<[string, () => string, number, number]>([
    ['8 seconds', () => '8', 8 * second, 8 * second],
    ['a date in 9 seconds', () => after(9 * second), 7 * second, 9 * second],
    ['more than twice the step', () => '86400', 10 * second, 10 * second],
    ['a date a year away', () => after(365 * day), 10 * second, 10 * second],
    ['less than the step', () => '1', 5 * second, 5.5 * second],
    ['nonsense', () => 'soon, I hope', 5 * second, 5.5 * second],
    ['a negative number', () => '-30', 5 * second, 5.5 * second],
    ['a date in the past', () => after(-hour), 5 * second, 5.5 * second],
  ])('of %s is honoured up to twice the step, and never shortens it', async (_name, header, least, most) => {
    const { attempt, delivery } = await deliver(
      (response) => response.writeHead(429, { 'retry-after': header() }).end(),
      'retrying',
    )
    const next = Date.parse(delivery.next_attempt_at)
    const ended = Date.parse(attempt.started_at) + attempt.duration_ms
    // From the end of the attempt to the writing of its outcome a busy machine may take a while.
    expect(next - ended).toBeGreaterThanOrEqual(least - 1000)
    expect(next - Date.parse(delivery.updated_at)).toBeLessThanOrEqual(most + 1000)
  })
})

describe('an endpoint that misbehaves', () => {
  const cases: [string, (response: ServerResponse) => void, string, number | null][] = [
    ['redirects', (response) => response.writeHead(307, { location: '/else' }).end(), 'redirect', 307],
    ['says that nothing has changed', (response) => response.writeHead(304).end(), 'redirect', 304],
    ['hangs up', (response) => response.socket?.resetAndDestroy(), 'response_broken', null],
    [
      'breaks off',
      (r) => r.writeHead(200, { 'content-length': 10 }).write('x', () => r.destroy()),
      'response_broken',
      null,
    ],
    [
      'sends headers without end',
      (r) => r.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(),
      'response_broken',
      null,
    ],
    [
      'switches protocols',
      (r) => r.writeHead(101, { upgrade: 'x', connection: 'upgrade' }).end(),
      'response_broken',
      null,
    ],
  ]
  test.each(cases)('one that %s is a failed attempt, and the log says why', async (_name, answer, code, status) => {
    const { attempt, delivery } = await deliver((response) => answer(response), 'retrying')
    expect(attempt).toMatchObject({ number: 1, error_code: code, response_status: status })
    expect(attempt.error_message).toMatch(/\.$/)
    expect(delivery).toMatchObject({ last_error_code: code, last_response_status: status })
  })

  test('one that never ends is left after 15 seconds, and a healthy one of the same Portal hears meanwhile', async () => {
    const { path, sink } = await subscribe()
    cleanups.push(() => sink.close())
    const healthy = await sinkOf()
    const { body } = await portal.call('POST', 'webhooks/', { body: { url: healthy.url, event_types: ['*'] } })
    await expect.poll(async () => (await read(`webhooks/${body.id}/`)).state, { timeout: 20_000 }).toBe('active')
    const hanging = await listen(
      createServer((socket) => socket.on('data', () => socket.write('HTTP/1.1 103 Wait\r\n\r\n'))),
    )
    const { etag } = await read(path)
    await portal.call('PATCH', path, {
      body: { url: `http://127.0.0.1:${hanging.port}/` },
      headers: { 'if-match': etag },
    })
    await server.context.database.transaction((tx) =>
      // As if it had echoed before it began to hang.
      tx
        .updateTable('webhooks')
        .set({ url: `http://127.0.0.1:${hanging.port}/`, pending_url: null })
        .where('portal_id', '=', portal.id)
        .where('id', '=', idIn(path))
        .execute(),
    )
    for (let count = 0; count < 3; count++) await makeBusiness()
    await expect.poll(() => healthy.received.length, { timeout: 10_000 }).toBe(3)
    expect((await lastDelivery(path)).state).toBe('pending')
    // The deadline itself is waited for in the long form alone.
    if (!isFull) return
    await becomes(path, 'retrying')
    const [attempt] = await attemptsOf(path)
    expect(attempt).toMatchObject({ error_code: 'timed_out', response_status: null })
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(14_900)
    expect(attempt.duration_ms).toBeLessThan(18_000)
  })
})

describe('challenges', () => {
  const register = (url: string) => portal.call('POST', 'webhooks/', { body: { url, event_types: ['*'] } })
  const remove = async ({ id, etag }: { id: string; etag: string }) =>
    portal.call('DELETE', `webhooks/${id}/`, { headers: { 'if-match': etag } })

  test('429 after 100 of a Portal in an hour, however they are asked for; another Portal is not concerned', async () => {
    portal = await newPortal(server)
    const victim = await sinkOf()
    victim.isEchoing = false
    let last = (await register(victim.url)).body
    for (let count = 1; count < 100; count++) {
      await remove(last)
      const { status, body, text } = await register(victim.url)
      expect(status, text).toBe(201)
      last = body
    }
    const refused = await register(victim.url)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000)
    const moved = await portal.call('PATCH', `webhooks/${last.id}/`, {
      body: { url: `${victim.url}/other` },
      headers: { 'if-match': last.etag },
    })
    const again = await portal.call('POST', `webhooks/${last.id}/verify/`, { body: {} })
    expect([moved.status, again.status]).toEqual([429, 429])
    expect(victim.challenges.length).toBeLessThanOrEqual(100)
    const other = await newPortal(server)
    expect((await other.call('POST', 'webhooks/', { body: { url: victim.url, event_types: ['*'] } })).status).toBe(201)
    server.clock.advance(hour + minute)
    expect((await register(victim.url)).status).toBe(201)
  })

  test('429 after 1,000 to a host in an hour, whoever asked; other hosts are not concerned', async () => {
    portal = await newPortal(server)
    const first = await register('http://victim.example.com/a')
    expect(first.status, first.text).toBe(201)
    await server.context.database.transaction((tx) =>
      // As if other Portals had asked.
      tx
        .updateTable('webhook_challenges')
        .set({ sent: 1000 })
        .where('portal_id', '=', deployment)
        .where('host', '=', 'victim.example.com')
        .execute(),
    )
    for (const url of ['http://victim.example.com/b', 'http://VICTIM.example.com.:8080/'])
      expect((await register(url)).status).toBe(429)
    expect((await register('http://other.example.com/')).status).toBe(201)
  })
})

test('Portals without webhooks, however many have new events, do not hold up the one whose webhook waits', async () => {
  // None of them has had a turn, so nothing but who waits for it tells this one from the others.
  const quiet = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { database } = quiet.context
  const others = await Promise.all(Array.from({ length: 12 }, () => newPortal(quiet)))
  const waiting = await newPortal(quiet)
  const sink = await startSink()
  cleanups.push(
    () => sink.close(),
    () => quiet.stop(),
  )
  for (const one of [...others, waiting]) await one.call('POST', 'businesses/', { body: one.business() })
  const made = await waiting.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })
  expect(made.status, made.text).toBe(201)
  const alone = async (_: string, work: () => Promise<void>) => work()
  const turns = createFanOutTurns(quiet.context, { idleMs: 1000, wake: () => undefined, alone })
  const unnumbered = async () => {
    const rows = await database.read
      .selectFrom('events')
      .select('portal_id')
      .distinct()
      .where('sequence', 'is', null)
      .execute()
    return rows.map(({ portal_id }) => portal_id)
  }
  await turns.round()
  await turns.end()
  const left = await unnumbered()
  expect(left).not.toContain(waiting.id)
  // The others have their turn, too, as long as half of the places stay free.
  expect(left).toHaveLength(others.length - 1)
})
