import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { revokeKey, rotateKey, setPortalState } from '../src/building-blocks/portals/commands.ts'
import { newKeyText } from '../src/building-blocks/portals/key-text.ts'
import { housekeepingJobs } from '../src/platform/background/housekeeping.ts'
import { day, hour, second } from '../src/platform/clock.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal

beforeAll(async () => {
  server = await startTestServer({ PORTICO_RATE_LIMITS: 'on' })
  portal = await newPortal(server)
})
afterAll(() => server.stop())

/** Everything the server says to these bytes: until it closes the connection, or a whole response that leaves it open. */
function exchange(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const finish = () => {
      socket.destroy()
      resolve(received)
    }
    socket.on('data', (data) => {
      received += data
      if (!/connection: close/i.test(received) && isWholeResponse(received)) finish()
    })
    socket.on('close', finish)
    socket.on('error', finish)
  })
}

function isWholeResponse(received: string): boolean {
  const end = received.indexOf('\r\n\r\n') + 4
  const length = Number(/^content-length: (\d+)\r$/im.exec(received)?.[1])
  return end >= 4 && Buffer.byteLength(received.slice(end)) >= length
}

describe('bytes that are not a request', () => {
  test.each([
    ['400', 'no HTTP at all', 'NOT HTTP AT ALL\r\n\r\n'],
    ['431', 'headers over 16 KiB', `GET /v1/ HTTP/1.1\r\nHost: x\r\nX-Fat: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      '400',
      'two different lengths',
      'POST /v1/businesses/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    ],
    ['400', 'no Host', 'GET /v1/ HTTP/1.1\r\n\r\n'],
    ['400', 'two Hosts', 'GET /v1/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['414', 'an address of 20 KiB', `GET /v1/?x=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['405', 'CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      '400',
      'a broken chunk',
      'POST /v1/businesses/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nIdempotency-Key: chunk-0123456789ab\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['414', 'an address of 40,000 characters', `GET /v1/?x=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['431', 'headers of 40,000 characters', `GET /v1/ HTTP/1.1\r\nHost: x\r\nX-Fat: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['414', 'an address over 8 KiB', `GET /v1/?x=${'a'.repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['400', 'a path that is not UTF-8', 'GET /v1/businesses/%ff/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['401', 'an expectation nobody has', 'GET /v1/ HTTP/1.1\r\nHost: x\r\nExpect: cake\r\n\r\n'],
    ['404', 'a route that does not exist', 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['405', 'a method nobody routes', 'PROPFIND /v1/businesses/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      '400',
      'a GET with a body',
      `GET /v1/businesses/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Length: 2\r\n\r\n{}`,
    ],
  ])('%s for %s, with Request-Id and the error shape', async (status, _, bytes) => {
    const answer = await exchange(server.origin, bytes.replace('KEY', portal.key))
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const id = /^request-id: (req_[0-9a-z]{26})\r$/im.exec(answer)?.[1]
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    expect(body).toMatchObject({ status: Number(status), request_id: id })
    expect(Object.keys(body)).toEqual([
      'type',
      'title',
      'status',
      'code',
      'message',
      'details',
      'request_id',
      'retryable',
      'docs_url',
    ])
  })
})

describe('rubbish on a connection', () => {
  const post = (key: string, body: string, id: string) =>
    `POST /v1/businesses/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${id}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test('behind a request does not take away its answer', async () => {
    const request = post(portal.key, JSON.stringify(portal.business()), 'rubbish-behind-0123')
    const answer = await exchange(server.origin, `${request}GARBAGE\r\n\r\n`)
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 201'])
  })

  test('behind an answer gets no second one', async () => {
    const head = 'POST /v1/nothing/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    const answer = await exchange(server.origin, `${head}zz\r\n`)
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)?.length).toBe(1)
  })

  test('many small headers lose none of the others', async () => {
    const many = 'a:b\r\n'.repeat(1950)
    const answer = await exchange(
      server.origin,
      `GET /v1/ HTTP/1.1\r\nHost: x\r\n${many}Authorization: Bearer ${portal.key}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('bodies made to hurt', () => {
  test.each([
    ['a list of 340,000 empty entries', `{"addresses":[${'{},'.repeat(340_000)}{}]}`, 400],
    ['a list of 15,000 texts', `{"tags":[${'"",'.repeat(15_000)}""]}`, 422],
    ['15,000 unknown fields', `{${Array.from({ length: 15_000 }, (_, i) => `"f${i}":1`).join()}}`, 422],
    ['a field name of 900,000 characters', `{"${'x'.repeat(900_000)}":1}`, 422],
  ])('%s are refused in few words, with little more work than any body of this size', async (_, raw, status) => {
    const send = async (body: string) => {
      const started = performance.now()
      const answer = await portal.call('POST', 'businesses/', {
        raw: body,
        headers: { 'content-type': 'application/json' },
      })
      return { answer, milliseconds: performance.now() - started }
    }
    const plain = JSON.stringify({ legal_name: 'x'.repeat(raw.length) })
    let [hurtful, harmless] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    // The least of several: whatever else the machine does only adds.
    for (let round = 0; round < 30 && !(hurtful / harmless < 30); round++) {
      const { answer, milliseconds } = await send(raw)
      expect(answer.status).toBe(status)
      expect(answer.text.length).toBeLessThan(20_000)
      hurtful = Math.min(hurtful, milliseconds)
      harmless = Math.min(harmless, (await send(plain)).milliseconds)
    }
    // Unbounded checking takes hundreds of times as long.
    expect(hurtful / harmless).toBeLessThan(30)
  })
})

test('400 names a byte order mark, which nobody can see in a message', async () => {
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await portal.call('POST', 'businesses/', { raw: '\ufeff{}', headers })
  expect([status, body.message]).toEqual([400, 'The request body must not begin with a byte order mark (EF BB BF).'])
})

describe('order of checks', () => {
  const broken = { raw: '{', headers: { 'content-type': 'text/plain', accept: 'text/html', 'idempotency-key': null } }

  test('each check answers before the ones after it', async () => {
    const limited = await newKey(server, portal.id, { grants: ['businesses:read'] })
    const throttled = await newKey(server, portal.id, {
      grants: ['businesses:read'],
      rate_limits: { write: { quota: 1, window_seconds: 1000 } },
    })
    const post = (sent: object, path = 'businesses/?colour=red') => server.call('POST', path, { ...broken, ...sent })
    const code = async (answer: ReturnType<typeof post>) => (await answer).body.code
    expect(await code(post({}, 'nothing/'))).toBe('route_not_found')
    expect(await code(post({}))).toBe('authentication_required')
    await post({ key: throttled.key })
    expect(await code(post({ key: throttled.key }))).toBe('rate_limited')
    expect(await code(post({ key: limited.key }))).toBe('action_not_granted')
    expect(await code(post({ key: portal.key }))).toBe('unsupported_media_type')
    const json = { 'content-type': 'application/json', 'idempotency-key': null }
    expect(await code(post({ key: portal.key, headers: { ...json, accept: 'text/html' } }))).toBe('not_acceptable')
    expect(await code(post({ key: portal.key, headers: json }))).toBe('unsupported_query_parameter')
    expect(await code(post({ key: portal.key, headers: json }, 'businesses/'))).toBe('idempotency_key_required')
    expect(await code(post({ key: portal.key, headers: { 'content-type': 'application/json' } }, 'businesses/'))).toBe(
      'malformed_json',
    )
  })

  test('a replay comes before If-Match and state: after the first success both would refuse', async () => {
    const made = await portal.call('POST', 'businesses/', { body: portal.business() })
    const headers = { 'if-match': made.body.etag, 'idempotency-key': randomUUID() }
    const first = await portal.call('POST', `${made.body.url}archive/`, { headers })
    const again = await portal.call('POST', `${made.body.url}archive/`, { headers })
    expect([again.status, again.text]).toEqual([200, first.text])
  })
})

describe('keys', () => {
  test('401 api_key_expired once its time has come', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    const { key } = await newKey(clocked, own.id, { expires_at: new Date(clocked.clock.now() + hour).toISOString() })
    expect((await clocked.call('GET', '', { key })).status).toBe(200)
    clocked.clock.advance(hour + second)
    expect((await clocked.call('GET', '', { key })).body.code).toBe('api_key_expired')
    await clocked.stop()
  })

  test('401 api_key_revoked soon after it was revoked, also for a key that was just in use', async () => {
    const { id, key } = await newKey(server, portal.id)
    expect((await server.call('GET', '', { key })).status).toBe(200)
    await server.context.database.transaction((tx) => revokeKey(tx, server.context, id))
    // That a second is enough is measured by the times of sending, in faults/revoked-key.test.ts.
    await expect
      .poll(async () => (await server.call('GET', '', { key })).body.code, { timeout: 30_000 })
      .toBe('api_key_revoked')
  })

  test('401 environment_mismatch for a production key on staging', async () => {
    const answer = await server.call('GET', '', { key: newKeyText('production') })
    expect([answer.status, answer.body.code, answer.body.details[0].code]).toEqual([
      401,
      'invalid_api_key',
      'environment_mismatch',
    ])
  })

  test('401 for a well-formed key nobody made, a broken scheme and an empty header', async () => {
    expect((await server.call('GET', '', { key: newKeyText('staging') })).body.code).toBe('invalid_api_key')
    expect((await server.call('GET', '', { headers: { authorization: `Basic ${portal.key}` } })).body.code).toBe(
      'authentication_required',
    )
    expect((await server.call('GET', '', { headers: { authorization: '' } })).body.code).toBe('authentication_required')
    expect((await server.call('GET', '', { headers: { authorization: `bearer ${portal.key}` } })).status).toBe(200)
  })

  test('a key rotated twice gives successors that do not end with it', async () => {
    const own = await newPortal(server)
    const rotate = () =>
      server.context.database.transaction((tx) => rotateKey(tx, server.context, { key_id: own.key_id, overlap: '24h' }))
    const [first, second_] = [await rotate(), await rotate()]
    expect([first.expires_at, second_.expires_at]).toEqual([null, null])
    const root = (await server.call('GET', '', { key: second_.key })).body
    expect(root.key.expires_at).toBeNull()
    expect((await own.call('GET', '')).body.key.expires_at).toBe(first.old_key_ends_at)
  })

  test('a rotated key works beside its successor for the overlap and no longer', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    const next = await clocked.context.database.transaction((tx) =>
      rotateKey(tx, clocked.context, { key_id: own.key_id, overlap: '24h' }),
    )
    expect((await own.call('GET', '')).status).toBe(200)
    expect((await clocked.call('GET', '', { key: next.key })).body.key.id).toBe(next.id)
    clocked.clock.advance(day + second)
    await expect.poll(async () => (await own.call('GET', '')).body.code).toBe('api_key_expired')
    expect((await clocked.call('GET', '', { key: next.key })).status).toBe(200)
    await clocked.stop()
  })

  test('403 portal_suspended, and in again when it is resumed', async () => {
    const own = await newPortal(server)
    const set = (state: 'suspended' | 'active') =>
      server.context.database.transaction((tx) => setPortalState(tx, server.context, own.id, state))
    await set('suspended')
    await expect
      .poll(async () => (await own.call('GET', 'businesses/')).body.code, { timeout: 2000 })
      .toBe('portal_suspended')
    await set('active')
    await expect.poll(async () => (await own.call('GET', 'businesses/')).status, { timeout: 2000 }).toBe(200)
  })

  test('the last use of a key is noted', async () => {
    const own = await newPortal(server)
    await own.call('GET', '')
    const lastUsed = async () =>
      (
        await server.context.database.read
          .selectFrom('api_keys')
          .select('last_used_at')
          .where('id', '=', own.key_id)
          .executeTakeFirstOrThrow()
      ).last_used_at
    await expect.poll(lastUsed).not.toBeNull()
  })

  test('200 the root shows the Portal, the key without its value, grants and limits', async () => {
    const { key } = await newKey(server, portal.id, {
      grants: ['businesses:read'],
      rate_limits: { read: { quota: 7, window_seconds: 70 } },
    })
    const { body, text } = await server.call('GET', '', { key })
    expect(body).toMatchObject({
      portal: { id: portal.id },
      environment: 'staging',
      api_version: 'v1',
      resources: [{ name: 'businesses', url: `${server.base}businesses/`, actions: ['read'] }],
    })
    expect(body.rate_limits).toContainEqual({ name: 'read', quota: 7, window_seconds: 70 })
    expect(text).not.toContain(key.slice(8, 30))
    for (const link of Object.values<string>(body.links))
      expect((await server.call('GET', link, { key })).status).toBe(200)
  })
})

describe('rates', () => {
  test('429 with Retry-After when the bucket is empty; whoever waits that long is let in', async () => {
    const { key } = await newKey(server, portal.id, { rate_limits: { read: { quota: 3, window_seconds: 30 } } })
    const get = () => server.call('GET', 'lead-sources/', { key })
    const first = await get()
    expect(first.headers.get('ratelimit-policy')).toBe('"read";q=3;w=30')
    expect(first.headers.get('ratelimit')).toBe('"read";r=2;t=10')
    await get()
    await get()
    const refused = await get()
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([429, 'rate_limited', true])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThanOrEqual(1)
    server.clock.advance(wait * second)
    expect((await get()).status).toBe(200)
    expect((await portal.call('GET', 'lead-sources/')).status).toBe(200)
  })

  test('reading and writing are counted apart', async () => {
    const { key } = await newKey(server, portal.id, { rate_limits: { write: { quota: 1, window_seconds: 1000 } } })
    const post = () => server.call('POST', 'businesses/', { key, body: portal.business() })
    expect([(await post()).status, (await post()).status]).toEqual([201, 429])
    expect((await server.call('GET', 'businesses/', { key })).status).toBe(200)
  })
})

describe('errors', () => {
  test('application/problem+json when the caller likes it better, with the same body', async () => {
    const problem = await server.call('GET', '', { headers: { accept: 'application/problem+json' } })
    expect(problem.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(problem.body.code).toBe('authentication_required')
    const json = await server.call('GET', '', {
      headers: { accept: 'application/json, application/problem+json;q=0.5' },
    })
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('the page an error names exists, for people and as Markdown', async () => {
    const { body } = await server.call('GET', '')
    const page = await server.call('GET', body.docs_url)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await server.call('GET', `${body.docs_url}.md`)).text).toContain('authentication_required')
  })
})

describe('idempotency', () => {
  test('a definitive refusal is replayed, under the new request id', async () => {
    const made = await portal.call('POST', 'businesses/', { body: portal.business() })
    const headers = { 'if-match': '"stale"', 'idempotency-key': randomUUID() }
    const first = await portal.call('POST', `${made.body.url}archive/`, { headers })
    const again = await portal.call('POST', `${made.body.url}archive/`, { headers })
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([412, 412, 'true'])
    expect(again.body.request_id).toBe(again.headers.get('request-id'))
    expect(again.headers.get('original-request-id')).toBe(first.headers.get('request-id'))
    const fresh = await portal.call('POST', `${made.body.url}archive/`, {
      headers: { ...headers, 'if-match': made.body.etag },
    })
    expect([fresh.body.code, fresh.body.details[0].meta.differs]).toEqual(['idempotency_key_reused', ['If-Match']])
  })

  test('a validation failure burns no key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    expect((await portal.call('POST', 'businesses/', { body: {}, headers })).status).toBe(422)
    expect(
      (
        await portal.call('POST', 'businesses/', {
          body: portal.business({ lead_source_id: `ldsrc_${'0'.repeat(26)}` }),
          headers,
        })
      ).status,
    ).toBe(422)
    expect((await portal.call('POST', 'businesses/', { body: portal.business(), headers })).status).toBe(201)
  })

  test('the same key text in another Portal is another key', async () => {
    const other = await newPortal(server)
    const headers = { 'idempotency-key': randomUUID() }
    const a = await portal.call('POST', 'businesses/', { body: portal.business(), headers })
    const b = await other.call('POST', 'businesses/', { body: other.business(), headers })
    expect([a.status, b.status, b.headers.get('idempotent-replayed')]).toEqual([201, 201, null])
  })

  test('a key is kept for 72 hours, and is new again once housekeeping has removed it', async () => {
    const clocked = await startTestServer()
    const own = await newPortal(clocked)
    const cleanUp = async () => {
      for (const job of housekeepingJobs)
        await job.run(clocked.context, {
          portal_id: own.id,
          request_id: null,
          payload: {},
          signal: new AbortController().signal,
        })
    }
    const sent = { body: own.business(), headers: { 'idempotency-key': randomUUID() } }
    const first = await own.call('POST', 'businesses/', sent)
    clocked.clock.advance(71 * hour)
    await cleanUp()
    expect((await own.call('POST', 'businesses/', sent)).body.id).toBe(first.body.id)
    clocked.clock.advance(2 * hour)
    expect((await own.call('POST', 'businesses/', sent)).body.id).toBe(first.body.id)
    await cleanUp()
    const later = await own.call('POST', 'businesses/', sent)
    expect([later.status, later.body.id === first.body.id]).toEqual([201, false])
    await clocked.stop()
  })

  test('the stored response is sealed: what it says is not in the table', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    await portal.call('POST', 'businesses/', { body: portal.business({ legal_name: 'Sealed Envelope Co' }), headers })
    const row = await server.context.database.read
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('key', '=', headers['idempotency-key'])
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('Sealed')
  })
})

describe('stopping', () => {
  test('a draining server is not ready, still answers, and closes the connection', async () => {
    const draining = await startTestServer()
    const own = await newPortal(draining)
    expect((await draining.call('GET', `${draining.origin}/readyz`)).status).toBe(200)
    draining.server.drain()
    const ready = await draining.call('GET', `${draining.origin}/readyz`)
    expect([ready.status, ready.body.code, ready.body.details[0].code]).toEqual([
      503,
      'service_unavailable',
      'draining',
    ])
    const answer = await own.call('GET', '')
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    expect((await draining.call('GET', `${draining.origin}/healthz`)).body).toEqual({ status: 'ok' })
    await draining.stop()
  })
})
