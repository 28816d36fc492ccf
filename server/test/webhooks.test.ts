// Webhooks through HTTP, with real receivers on this machine and the background work of the server running.
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { day, hour, minute, second } from '../src/platform/clock.ts'
import { newDeal, newLender } from './deal-fixtures.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { type Sink, startSink } from './webhook-sink.ts'

let server: TestServer
let background: ReturnType<typeof startBackground>
let portal: TestPortal
const sinks: Sink[] = []

beforeAll(async () => {
  server = await startTestServer({ PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' })
  background = startBackground(server.context, server.metrics)
})
afterAll(async () => {
  await background.stop()
  await server.stop()
})
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close()
})

/** A Portal of its own with an active webhook to a sink of its own. */
async function subscribe(more: Record<string, unknown> = {}) {
  portal = await newPortal(server)
  const sink = await startSink()
  sinks.push(sink)
  const { body } = await portal.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'], ...more } })
  await becomes(`webhooks/${body.id}/`, 'active')
  return { sink, id: body.id as string, secret: body.secret as string, path: `webhooks/${body.id}/` }
}

const read = async (path: string) => (await portal.call('GET', path)).body
const becomes = (path: string, state: string) => expect.poll(async () => (await read(path)).state).toBe(state)
const act = async (path: string, method: string, rest: string, body?: unknown) => {
  const { etag } = await read(path)
  return portal.call(method, `${path}${rest}`, { body, headers: { 'if-match': etag } })
}
const makeBusiness = async () => (await portal.call('POST', 'businesses/', { body: portal.business() })).body
const arrives = (sink: Sink, count: number) => expect.poll(() => sink.received.length).toBeGreaterThanOrEqual(count)
const deliveriesOf = async (path: string, query = '') => (await read(`${path}deliveries/${query}`)).items
/** And is known to have arrived: a clock that moves before that ends the turn of whoever sends it, and it is sent again. */
const succeeds = async (sink: Sink, path: string, count: number) => {
  await arrives(sink, count)
  const succeeded = async () => (await deliveriesOf(path, '?state=succeeded')).length
  await expect.poll(succeeded).toBeGreaterThanOrEqual(count)
}
/** Moves the clock and lets the dispatcher look. */
const pass = (milliseconds: number) => {
  server.clock.advance(milliseconds)
  server.context.database.announce()
}

// First of all: the official library looks at the system's clock, and later tests move ours.
describe('a delivery', () => {
  test('every event arrives once, signed so that the official library accepts it, thin and in the form of the API', async () => {
    const { sink, path, secret } = await subscribe()
    const business = await makeBusiness()
    await arrives(sink, 1)
    const event = verify(sink, 0, secret)
    const { items } = await read('events/')
    expect(event).toEqual(items[0])
    expect(sink.received[0]?.headers['webhook-id']).toBe(items[0].id)
    expect(items[0]).toMatchObject({ type: 'business.created', data: { resource: { id: business.id } } })
    const [{ url }] = await deliveriesOf(path)
    await becomes(url, 'succeeded')
    const delivery = await read(url)
    expect(delivery).toMatchObject({
      attempt_count: 1,
      last_response_status: 200,
      event_id: items[0].id,
    })
    const [attempt] = (await read(delivery.attempts_url)).items
    expect(attempt).toMatchObject({
      number: 1,
      trigger: 'event',
      response_status: 200,
      response_body: 'ok',
      error_code: null,
    })
  })
})

describe('a webhook', () => {
  test('201 with a secret that is never shown again, and active once the receiver has echoed the challenge', async () => {
    const { sink, path, secret } = await subscribe()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(sink.challenges).toHaveLength(1)
    const shown = await read(path)
    expect(JSON.stringify(shown)).not.toContain(secret)
    expect(shown.signing).toEqual({ scheme: 'v1', secret_last4: secret.slice(-4), previous_expires_at: null })
    expect((await read('webhooks/')).items).toEqual([shown])
  })

  test('422 says that an event type is sent without a subscription, or that there is none', async () => {
    const body = { url: 'http://127.0.0.1:59997/', event_types: ['webhook.ping', 'deal.lost_and_found'] }
    const { status, body: error } = await portal.call('POST', 'webhooks/', { body })
    expect([status, ...error.details.map((detail: { message: string }) => detail.message)]).toEqual([
      422,
      'webhook.ping cannot be subscribed to: it is sent to one webhook when it is tested or verified, whatever its event_types.',
      'There is no event type deal.lost_and_found. GET /webhook-event-types/ lists the types.',
    ])
    const twice = await portal.call('POST', 'webhooks/', { body: { ...body, event_types: ['deal.won', 'deal.won'] } })
    expect(twice.body.details[0]).toMatchObject({
      pointer: '/event_types',
      message: 'event_types must not repeat a value.',
    })
  })

  test('422 for a URL of our own network, a scheme that is not https, credentials and event types that do not exist', async () => {
    const strict = await startTestServer({ PORTICO_ENVIRONMENT: 'production' })
    try {
      const other = await newPortal(strict)
      const create = async (url: string, event_types = ['*']) => {
        const { status, body } = await other.call('POST', 'webhooks/', { body: { url, event_types } })
        return [status, body.code]
      }
      for (const url of [
        'http://hooks.example.com/',
        'https://127.0.0.1/',
        'https://2130706433/',
        'https://[::ffff:10.0.0.1]/',
        'https://localhost/',
        'https://a:b@hooks.example.com/',
        `https://${'ü'.repeat(40)}.${'ü.'.repeat(700)}example.com/`,
      ])
        expect([url, ...(await create(url))]).toEqual([url, 422, 'webhook_url_not_allowed'])
      expect(await create('nonsense')).toEqual([422, 'validation_failed'])
      expect(await create('https://hooks.example.com/', ['deal.sold'])).toEqual([422, 'validation_failed'])
      expect(await create('https://hooks.example.com/', ['*', 'deal.won'])).toEqual([422, 'validation_failed'])
    } finally {
      await strict.stop()
    }
  })

  test('409 limit_reached for the eleventh, also when twelve are made at once', async () => {
    portal = await newPortal(server)
    const create = () =>
      portal.call('POST', 'webhooks/', { body: { url: 'http://127.0.0.1:59998/', event_types: ['deal.won'] } })
    const answers = await Promise.all(Array.from({ length: 12 }, create))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect([refused?.body.code, refused?.body.details[0].meta]).toEqual(['limit_reached', { maximum: 10 }])
  })

  test('a secret is in the first response and its replay, in no other, and nowhere in the database as text', async () => {
    const { path, id } = await subscribe()
    const headers = { 'idempotency-key': `rotate-${id}`, 'if-match': (await read(path)).etag }
    const rotate = () => portal.call('POST', `${path}rotate-secret/`, { headers })
    const [first, again] = [await rotate(), await rotate()]
    expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    const { secret } = first.body
    const reader = await newKey(server, portal.id, { grants: ['webhooks:read'] })
    const replayed = await portal.call('POST', `${path}rotate-secret/`, { key: reader.key, headers })
    expect([replayed.status, replayed.text.includes(secret)]).toEqual([403, false])
    for (const url of [path, 'webhooks/']) expect((await portal.call('GET', url)).text).not.toContain(secret)
    const { read: database } = server.context.database
    for (const table of ['webhooks', 'idempotency_keys', 'events'] as const) {
      const rows = JSON.stringify(
        await database.selectFrom(table).selectAll().where('portal_id', '=', portal.id).execute(),
      )
      expect(rows).not.toContain(secret)
    }
    expect(server.logLines.join('\n')).not.toContain(secret)
  })

  test('422 webhook_verification_failed while the receiver does not echo; 200 with the challenge it has received', async () => {
    portal = await newPortal(server)
    const sink = await startSink()
    sinks.push(sink)
    sink.isEchoing = false
    const { body } = await portal.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })
    const path = `webhooks/${body.id}/`
    await expect.poll(() => sink.challenges.length).toBe(1)
    // Both at once: a second challenge is refused for 5 s only.
    const verify = () => portal.call('POST', `${path}verify/`, { body: {} })
    const [failed, again] = (await Promise.all([verify(), verify()])).sort((a, b) => a.status - b.status)
    expect([failed?.status, failed?.body.code]).toEqual([422, 'webhook_verification_failed'])
    expect([again?.status, again?.headers.has('retry-after')]).toEqual([429, true])
    const wrong = await portal.call('POST', `${path}verify/`, { body: { challenge: 'guess' } })
    expect([wrong.status, wrong.body.code]).toEqual([422, 'webhook_verification_failed'])
    const right = await portal.call('POST', `${path}verify/`, { body: { challenge: sink.challenges.at(-1) } })
    expect([right.status, right.body.state]).toEqual([200, 'active'])
  })

  test('a changed URL is verified while the old one keeps receiving', async () => {
    const { sink, path } = await subscribe()
    const next = await startSink()
    sinks.push(next)
    next.isEchoing = false
    const changed = await act(path, 'PATCH', '', { url: next.url })
    expect(changed.body).toMatchObject({ url: sink.url, pending_url: next.url, state: 'active' })
    await makeBusiness()
    await arrives(sink, 1)
    await expect.poll(() => next.challenges.length).toBe(1)
    await portal.call('POST', `${path}verify/`, { body: { challenge: next.challenges[0] } })
    expect(await read(path)).toMatchObject({ url: next.url, pending_url: null })
    await makeBusiness()
    await arrives(next, 1)
    expect(sink.received).toHaveLength(1)
  })

  test('a URL that is changed while the webhook is paused is verified, and the webhook stays paused', async () => {
    const { path } = await subscribe()
    await act(path, 'POST', 'pause/')
    const next = await startSink()
    sinks.push(next)
    await act(path, 'PATCH', '', { url: next.url })
    await expect.poll(async () => (await read(path)).url).toBe(next.url)
    expect(await read(path)).toMatchObject({ state: 'paused', pending_url: null })
  })

  test('a rotated secret signs beside the old one until the overlap ends', async () => {
    const { sink, path, secret } = await subscribe()
    const { body } = await act(path, 'POST', 'rotate-secret/', { overlap_seconds: 3600 })
    await makeBusiness()
    await succeeds(sink, path, 1)
    // Sent one after the other: the clock of the library is the system's, and ours was not moved yet.
    for (const one of [secret, body.secret]) verify(sink, 0, one)
    pass(2 * hour)
    await makeBusiness()
    await succeeds(sink, path, 2)
    const signatures = String(sink.received[1]?.headers['webhook-signature']).split(' ')
    expect(signatures).toHaveLength(1)
    expect((await read(path)).signing.previous_expires_at).toBeNull()
  })

  test('a second rotation keeps the overlap that the first one promised; one without an overlap ends all earlier secrets', async () => {
    const { sink, path, secret } = await subscribe()
    const rotate = async (overlap_seconds: number) =>
      (await act(path, 'POST', 'rotate-secret/', { overlap_seconds })).body.secret
    const [second, third] = [await rotate(3600), await rotate(36_000)]
    await makeBusiness()
    await succeeds(sink, path, 1)
    const signaturesAt = (index: number) => String(sink.received[index]?.headers['webhook-signature']).split(' ')
    // Signed anew, because the library refuses the time of a clock that was moved.
    const { body, headers } = sink.received[0] ?? expect.fail('nothing was received')
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const sign = (one: string) => new Webhook(one).sign(String(headers['webhook-id']), at, body)
    expect(signaturesAt(0)).toEqual([third, second, secret].map(sign))
    pass(2 * hour)
    await makeBusiness()
    await succeeds(sink, path, 2)
    expect(signaturesAt(1)).toHaveLength(2)
    await rotate(0)
    await makeBusiness()
    await succeeds(sink, path, 3)
    expect(signaturesAt(2)).toHaveLength(1)
  })

  test('200 for its deletion; what was still to be sent is cancelled, and nothing arrives any more', async () => {
    const { sink, path } = await subscribe()
    sink.answer = (response) => response.writeHead(500).end()
    await makeBusiness()
    await arrives(sink, 1)
    expect((await act(path, 'DELETE', '')).body.is_deleted).toBe(true)
    expect((await portal.call('GET', path)).status).toBe(404)
    pass(hour)
    await makeBusiness()
    expect(sink.received).toHaveLength(1)
  })
})

function verify(sink: Sink, index: number, secret: string) {
  const { body, headers } = sink.received[index] ?? expect.fail('nothing was received')
  // safe because the headers of a signature are single texts
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}

describe('deliveries', () => {
  test('only the event types that were asked for', async () => {
    const { sink, path } = await subscribe({ event_types: ['business.archived'] })
    const { url } = await makeBusiness()
    await act(url, 'POST', 'archive/')
    await arrives(sink, 1)
    expect(sink.received.map(({ event }) => event.type)).toEqual(['business.archived'])
    expect(await deliveriesOf(path)).toHaveLength(1)
  })

  test('a failed delivery is tried again on schedule under the same id, until it succeeds', async () => {
    const { sink, path } = await subscribe()
    let isDown = true
    sink.answer = (response) => (isDown ? response.writeHead(503).end('down') : response.end())
    await makeBusiness()
    await arrives(sink, 1)
    await expect.poll(async () => (await deliveriesOf(path))[0].state).toBe('retrying')
    pass(6 * second)
    await arrives(sink, 2)
    isDown = false
    await expect.poll(async () => (await deliveriesOf(path))[0].attempt_count).toBe(2)
    pass(6 * minute)
    await arrives(sink, 3)
    await expect.poll(async () => (await deliveriesOf(path))[0].state).toBe('succeeded')
    expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const { items } = await read((await deliveriesOf(path))[0].attempts_url)
    expect(items.map((one: { response_status: number }) => one.response_status)).toEqual([503, 503, 200])
    await expect.poll(async () => (await read(path)).failing_since).toBeNull()
  })

  test('what waits for an endpoint is skipped when the endpoint says that it is gone', async () => {
    const { sink, path } = await subscribe()
    sink.answer = (response) => response.writeHead(500).end()
    for (let count = 0; count < 3; count++) await makeBusiness()
    await expect.poll(async () => (await deliveriesOf(path, '?state=retrying')).length).toBe(3)
    sink.answer = (response) => response.writeHead(410).end()
    await makeBusiness()
    await becomes(path, 'disabled')
    await expect.poll(async () => (await deliveriesOf(path, '?state=retrying')).length).toBe(0)
    expect((await deliveriesOf(path, '?state=skipped')).length).toBeGreaterThanOrEqual(3)
  })

  test('an attempt that is under way when its delivery is asked for again stays in the log', async () => {
    const { sink, path } = await subscribe()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    sink.answer = (response) => void held.then(() => response.writeHead(500).end('first'))
    await makeBusiness()
    await arrives(sink, 1)
    sink.answer = (response) => response.end('second')
    const [{ url, attempts_url }] = await deliveriesOf(path)
    expect((await portal.call('POST', `${url}redeliver/`)).status).toBe(202)
    await arrives(sink, 2)
    await becomes(url, 'succeeded')
    release()
    await expect
      .poll(async () =>
        (await read(attempts_url)).items.map((one: { response_body: string }) => one.response_body).sort(),
      )
      .toEqual(['first', 'second'])
    expect((await read(url)).attempt_count).toBe(2)
  })

  test('a redirect is a failure and is not followed', async () => {
    const { sink, path } = await subscribe()
    sink.answer = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
    await makeBusiness()
    await arrives(sink, 1)
    await expect.poll(async () => (await deliveriesOf(path))[0].last_error_code).toBe('redirect')
  })

  test('410 disables the webhook at once; later events are skipped, and recovered on demand', async () => {
    const { sink, path } = await subscribe()
    sink.answer = (response) => response.writeHead(410).end()
    await makeBusiness()
    await becomes(path, 'disabled')
    expect((await read(path)).state_reason).toContain('410')
    await makeBusiness()
    await expect.poll(async () => (await deliveriesOf(path, '?state=skipped')).length).toBeGreaterThanOrEqual(1)
    expect((await read('events/?type=webhook.disabled')).items).toHaveLength(1)
    sink.answer = (response) => response.end()
    expect((await act(path, 'POST', 'resume/')).body.state).toBe('active')
    const before = sink.received.length
    const since = new Date(server.clock.now() - day).toISOString()
    const recovery = await portal.call('POST', `${path}recover/`, { body: { since } })
    expect(recovery.status, recovery.text).toBe(202)
    await becomes(recovery.body.url, 'completed')
    await arrives(sink, before + 2)
    await expect.poll(async () => (await deliveriesOf(path, '?state=succeeded')).length).toBeGreaterThanOrEqual(2)
  })

  test('an endpoint without a success for five days is disabled, and its Portal is told', async () => {
    const { sink, path } = await subscribe()
    sink.answer = (response) => response.writeHead(500).end()
    await makeBusiness()
    await arrives(sink, 1)
    await expect.poll(async () => (await read(path)).failing_since).not.toBeNull()
    pass(6 * day)
    await becomes(path, 'disabled')
    expect((await read('events/?type=webhook.disabled')).items).toHaveLength(1)
  })

  test('202 for a redelivery and a test; 409 for both while the webhook is paused', async () => {
    const { sink, path } = await subscribe()
    await makeBusiness()
    await arrives(sink, 1)
    const [delivery] = await deliveriesOf(path)
    expect((await portal.call('POST', `${path}deliveries/${delivery.id}/redeliver/`)).status).toBe(202)
    await arrives(sink, 2)
    expect(sink.received[1]?.body).toBe(sink.received[0]?.body)
    const ping = await portal.call('POST', `${path}test/`)
    expect([ping.status, ping.body.event_type]).toEqual([202, 'webhook.ping'])
    await arrives(sink, 3)
    expect(sink.received[2]?.event).toMatchObject({ type: 'webhook.ping', sequence: null })
    const events: { type: string }[] = (await read('events/')).items
    expect(events.map(({ type }) => type)).not.toContain('webhook.ping')
    for (const filter of [
      'events/?type=webhook.ping',
      'events/?type=deal.lost_and_found',
      `${path}deliveries/?event_type=deal`,
    ]) {
      const { status, body } = await portal.call('GET', filter)
      expect([status, body.code], filter).toEqual([400, 'invalid_query_parameter'])
    }
    await act(path, 'POST', 'pause/')
    for (const rest of ['test/', `deliveries/${delivery.id}/redeliver/`]) {
      const refused = await portal.call('POST', `${path}${rest}`)
      expect([refused.status, refused.body.code]).toEqual([409, 'webhook_not_active'])
    }
  })

  test('a receiver that hangs, drips or pours is cut off, and delays no other', async () => {
    const slow = await subscribe()
    slow.sink.answer = (response) => response.write('.')
    const other = await startSink()
    sinks.push(other)
    const { body } = await portal.call('POST', 'webhooks/', { body: { url: other.url, event_types: ['*'] } })
    await becomes(`webhooks/${body.id}/`, 'active')
    for (let n = 0; n < 20; n++) await makeBusiness()
    await arrives(other, 20)
    expect((await deliveriesOf(slow.path, '?state=succeeded')).length).toBe(0)
  })
})

describe('the wall', () => {
  test('both parties of a deal get its events, each its own: with its own number and version, and only its own request', async () => {
    const sent = await subscribe()
    const sender = portal
    const lender = await newLender(server)
    const sink = await startSink()
    sinks.push(sink)
    const created = await lender.call('POST', 'webhooks/', { body: { url: sink.url, event_types: ['*'] } })
    await expect.poll(async () => (await lender.call('GET', `webhooks/${created.body.id}/`)).body.state).toBe('active')
    const deal = await newDeal(sender, lender)
    await lender.call('POST', `deals/${deal.id}/hold/`, {
      headers: { 'if-match': (await lender.call('GET', `deals/${deal.id}/`)).body.etag },
    })
    // The sender hears of its new business besides.
    await arrives(sent.sink, 3)
    await arrives(sink, 2)
    const ofDeal = ({ received }: Sink) =>
      received
        .map(({ event }) => event)
        .filter(({ data }) => data.resource.id === deal.id)
        .sort((a, b) => a.sequence - b.sequence)
    for (const [heard, id] of [
      [ofDeal(sent.sink), sender.id],
      [ofDeal(sink), lender.id],
    ] as const) {
      expect(heard.map(({ type }) => type)).toEqual(['deal.created', 'deal.on_hold'])
      expect(new Set(heard.map(({ portal_id }) => portal_id))).toEqual(new Set([id]))
    }
    const asked = (sink: Sink) => ofDeal(sink).map(({ data }) => data.request_id !== undefined)
    expect([asked(sent.sink), asked(sink)]).toEqual([
      [true, false],
      [false, true],
    ])
    const ids = [...ofDeal(sent.sink), ...ofDeal(sink)].map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  test('404 for webhooks, deliveries and recoveries of another Portal', async () => {
    const { sink, path } = await subscribe()
    await makeBusiness()
    await arrives(sink, 1)
    const [delivery] = await deliveriesOf(path)
    portal = await newPortal(server)
    for (const rest of ['', 'deliveries/', `deliveries/${delivery.id}/`, `deliveries/${delivery.id}/attempts/`])
      expect((await portal.call('GET', `${path}${rest}`)).status).toBe(404)
    expect((await portal.call('POST', `${path}test/`)).status).toBe(404)
  })
})
