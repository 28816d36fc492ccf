// Walks every operation there is: what the protocol promises holds for each, the moment it is listed.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../src/app.ts'
import { allGrants } from '../src/building-blocks/portals/resources.ts'
import { ErrorBody } from '../src/platform/protocol/errors.ts'
import { checkAgainst } from '../src/platform/protocol/validation.ts'
import { createKeyDocuments } from '../src/reference/publish-documents.ts'
import type { Answer } from './client.ts'
import { prepareRequest, withUnknownIds } from './fixtures.ts'
import { engine, newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
let other: TestPortal

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  other = await newPortal(server)
})
afterAll(() => server.stop())

const isError = checkAgainst(ErrorBody)
function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.code]).toEqual([status, code])
  expect(isError(answer.body)).toEqual([])
  expect(answer.body.request_id).toBe(answer.headers.get('request-id'))
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
}
/** A test only where it says something: what does not apply is not there, rather than skipped. */
const testIf = (applies: unknown) => (applies ? test : () => undefined)
/** What is decided before any record is looked for is looked at on one engine. */
const testOnceIf = (applies: unknown) => testIf(applies && engine === 'sqlite')
const testOnce = testOnceIf(true)
const documentOf = createKeyDocuments({ operations, events: [], others: [], descriptions: {} })
const strip = (answer: Answer) => answer.text.replaceAll(answer.headers.get('request-id') ?? '', '')

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  /** A request with records of its own. */
  const send = async () => {
    const { path, sent } = await prepareRequest(operation, portal)
    return {
      path,
      sent,
      call: (more: typeof sent = {}) =>
        portal.call(operation.method, path, { ...sent, ...more, headers: { ...sent.headers, ...more.headers } }),
    }
  }
  /** A request that is never accepted as it is, or that only reads: whatever is refused leaves its records for the next test. */
  let kept: ReturnType<typeof send> | undefined
  const sendUnchanged = () => {
    kept ??= send()
    return kept
  }

  const isRead = operation.method === 'GET'
  /** The one request that is accepted: what it is answered, and what its Idempotency-Key is good for afterwards. */
  let accepted: ReturnType<typeof accept> | undefined
  const accept = async () => {
    const request = await (isRead ? sendUnchanged() : send())
    const key = randomUUID()
    const more = operation.idempotency === 'none' ? {} : { headers: { 'idempotency-key': key } }
    return { ...request, key, first: await request.call(more) }
  }
  const acceptOnce = () => {
    accepted ??= accept()
    return accepted
  }

  test(`${operation.status} with a Request-Id and a body that fits its schema`, async () => {
    const { first: answer } = await acceptOnce()
    expect(answer.status, answer.text).toBe(operation.status)
    expect(answer.headers.get('request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    expect(answer.headers.get('cache-control')).toBe(
      operation.isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    )
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(checkAgainst(operation.response)(answer.body)).toEqual([])
    if (!operation.collection && answer.body.etag) expect(answer.headers.get('etag')).toBe(answer.body.etag)
    if (operation.status === 201) expect(answer.headers.get('location')).toBe(answer.body.self_url ?? answer.body.url)
    // What changes something is in the audit log, with the key behind it; what only reads is not.
    const entries = await portal.call('GET', `audit-log/?request_id=${answer.headers.get('request-id')}`)
    const actors = entries.body.items.map(({ actor }: { actor: unknown }) => actor)
    const isWrite = operation.handler.kind === 'write'
    expect(actors.slice(0, 1)).toEqual(isWrite ? [{ kind: 'api_key', id: portal.key_id }] : [])
  })

  testOnce('the same without the closing slash, and never a redirect', async () => {
    const { path, sent } = await (isRead ? sendUnchanged() : send())
    expect((await portal.call(operation.method, path.replace(/\/$/, ''), sent)).status).toBe(operation.status)
  })

  testOnce('401 without a key, with a broken key and with a key in the query', async () => {
    const { call, path, sent } = await sendUnchanged()
    const none = await server.call(operation.method, path, sent)
    expectError(none, 401, 'authentication_required')
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="portico"')
    expectError(await call({ key: `${portal.key.slice(0, -1)}!` }), 401, 'invalid_api_key')
    expect((await server.call(operation.method, `${path}?api_key=${portal.key}`, sent)).status).toBe(401)
  })

  testOnceIf(operation.grant.length > 0)('403 without the grant', async () => {
    const resources = operation.grant.map((grant) => grant.split(':')[0])
    const isOfResource = (grant: string) => resources.includes(grant.split(':')[0])
    const without = await newKey(server, portal.id, { grants: allGrants.filter((grant) => !isOfResource(grant)) })
    const { call } = await sendUnchanged()
    expectError(await call({ key: without.key }), 403, 'resource_not_granted')
    const sibling = allGrants.find((grant) => isOfResource(grant) && !operation.grant.includes(grant))
    if (sibling === undefined) return
    const refused = await call({ key: (await newKey(server, portal.id, { grants: [sibling] })).key })
    expectError(refused, 403, 'action_not_granted')
    expect(refused.body.details[0].meta).toEqual({ required: operation.grant, granted: [sibling] })
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  })

  testIf(operation.path.includes('{'))(
    "404 for another Portal's id, byte for byte as for an id that never was",
    async () => {
      const { path, sent } = await sendUnchanged()
      const foreign = await other.call(operation.method, path, sent)
      const unknown = await other.call(operation.method, withUnknownIds(operation, path), sent)
      expectError(foreign, 404, 'not_found')
      expect(strip(foreign)).toBe(strip(unknown))
      expect([...foreign.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort())
      for (const odd of ['x', '%00', '..%2f', `${'a'.repeat(300)}`, "'%20or%201=1--"]) {
        const answer = await other.call(operation.method, path.replace(/[a-z]+_[0-9a-z]{26}/, odd), sent)
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
      }
    },
  )

  testOnce('400 for a query parameter it does not know, naming those it does', async () => {
    const { path, sent } = await sendUnchanged()
    const answer = await portal.call(operation.method, `${path}?colour=red`, sent)
    expectError(answer, 400, 'unsupported_query_parameter')
    expect(answer.body.details[0]).toMatchObject({
      location: 'query',
      name: 'colour',
      meta: { allowed: Object.keys(operation.query.properties) },
    })
  })

  testOnce('405 with Allow for a method it does not take, 204 for OPTIONS', async () => {
    const { path } = await sendUnchanged()
    const wrong =
      ['DELETE', 'PUT', 'PATCH', 'POST'].find(
        (method) => !operations.some((one) => one.path === operation.path && one.method === method),
      ) ?? 'DELETE'
    const answer = await portal.call(wrong, path)
    expectError(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toContain(operation.method)
    const options = await server.call('OPTIONS', path)
    expect([options.status, options.headers.get('allow')]).toEqual([204, answer.headers.get('allow')])
    expect(options.headers.get('request-id')).toMatch(/^req_/)
  })

  testOnce('406 when the caller accepts no JSON', async () => {
    expectError(await (await sendUnchanged()).call({ headers: { accept: 'text/html' } }), 406, 'not_acceptable')
  })

  testIf(isRead)('HEAD answers like GET, without the body', async () => {
    const { path, call } = await sendUnchanged()
    const head = await portal.call('HEAD', path)
    const get = await call()
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
    expect(head.headers.get('request-id')).toMatch(/^req_/)
  })

  testIf(isRead && !operation.collection)('304 when the caller has this version', async () => {
    const { call } = await sendUnchanged()
    const etag = (await call()).headers.get('etag') ?? ''
    expect(etag).toMatch(/^".+"$/)
    const answer = await call({ headers: { 'if-none-match': etag } })
    expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag])
    expect((await call({ headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  testOnceIf(operation.idempotency === 'required')('400 without an Idempotency-Key or with a bad one', async () => {
    const { call } = await sendUnchanged()
    expectError(await call({ headers: { 'idempotency-key': null } }), 400, 'idempotency_key_required')
    for (const bad of [
      'short',
      'x'.repeat(256),
      'has spaces in it 123456',
      '"unclosed-0123456789',
      'umlaut-ü-0123456789',
    ]) {
      expectError(await call({ headers: { 'idempotency-key': bad } }), 400, 'invalid_idempotency_key')
    }
  })

  testOnceIf(operation.ifMatch)(
    '428 without If-Match, 400 for a wildcard or an unquoted tag, 412 for a weak or a stale one',
    async () => {
      const { call, sent } = await send()
      const current = sent.headers?.['if-match'] ?? ''
      const withTag = (tag: string | null) => call({ headers: { 'if-match': tag, 'idempotency-key': randomUUID() } })
      expectError(await withTag(null), 428, 'precondition_required')
      expectError(await withTag('*'), 400, 'invalid_if_match')
      expectError(await withTag('abc'), 400, 'invalid_if_match')
      expectError(await withTag(current.slice(0, -1)), 400, 'invalid_if_match')
      expectError(await withTag(`W/${current}`), 412, 'precondition_failed')
      const stale = await withTag('"stale"')
      expectError(stale, 412, 'precondition_failed')
      expect(stale.headers.get('etag')).toBeNull()
      expect((await withTag(`"stale", ${current}`)).status).toBe(operation.status)
    },
  )

  testIf(operation.idempotency !== 'none')(
    'replays the first response for the same Idempotency-Key, refuses it for another request',
    async () => {
      const { call, path, sent, key, first } = await acceptOnce()
      const again = await call({ headers: { 'idempotency-key': key } })
      expect([again.status, again.text]).toEqual([first.status, first.text])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.headers.get('original-request-id')).toBe(first.headers.get('request-id'))
      expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
      expect((await call({ headers: { 'idempotency-key': `"${key}"` } })).text).toBe(first.text)
      const changed = {
        ...sent,
        raw: `${JSON.stringify(sent.body ?? {})} `,
        body: undefined,
        headers: { ...sent.headers, 'content-type': 'application/json', 'idempotency-key': key },
      }
      const reused = await portal.call(operation.method, path, changed)
      expectError(reused, 422, 'idempotency_key_reused')
      expect(reused.body.details[0].meta).toEqual({ differs: ['body'] })
      const blind = await newKey(server, portal.id, { grants: ['projects:read'] })
      expect((await call({ key: blind.key, headers: { 'idempotency-key': key } })).status).toBe(403)
    },
  )

  testOnceIf(!isRead)(
    '415 for another media type or an encoding, 400 for broken JSON, 413 for too much of it',
    async () => {
      const { path, sent } = await sendUnchanged()
      const raw = (bytes: string, headers: Record<string, string>) =>
        portal.call(operation.method, path, { raw: bytes, headers: { ...sent.headers, ...headers } })
      expectError(await raw('{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
      expectError(await raw('{}', { 'content-type': 'application/jsonx' }), 415, 'unsupported_media_type')
      expectError(
        await raw('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
        415,
        'unsupported_media_type',
      )
      expectError(await raw('{"a":', { 'content-type': 'application/json' }), 400, 'malformed_json')
      expectError(await raw('{"a":1,"a":2}', { 'content-type': 'application/json' }), 400, 'malformed_json')
      expectError(await raw('[]', { 'content-type': 'application/json; charset=utf-8' }), 422, 'validation_failed')
      expectError(
        await raw(`{"a":"${'x'.repeat(1024 * 1024)}"}`, { 'content-type': 'application/json' }),
        413,
        'payload_too_large',
      )
    },
  )

  testOnceIf(operation.collection)(
    'page_size is taken in its range, and rejected with the range outside it',
    async () => {
      const { path } = await sendUnchanged()
      const maximum = operation.collection?.page_size.maximum ?? 0
      expect((await portal.call('GET', `${path}?page_size=1`)).status).toBe(200)
      expect((await portal.call('GET', `${path}?page_size=${maximum}`)).status).toBe(200)
      for (const size of ['0', '-1', 'x', '1.5', '', 'Infinity', '0x10', '1e1', '5.0', String(maximum + 1)]) {
        const answer = await portal.call('GET', `${path}?page_size=${size}`)
        expectError(answer, 400, 'invalid_query_parameter')
        expect(answer.body.details[0]).toMatchObject({
          location: 'query',
          name: 'page_size',
          meta: { minimum: 1, maximum },
        })
      }
      expectError(await portal.call('GET', `${path}?page_size=5&page_size=5`), 400, 'repeated_query_parameter')
      expectError(await portal.call('GET', `${path}?cursor=nonsense`), 400, 'invalid_cursor')
    },
  )

  testOnce('is in the OpenAPI document of a key that may use it, and not in that of one that may not', () => {
    const has = (grants: readonly string[]) => {
      const { paths } = JSON.parse(documentOf(server.context, new Set(grants)).text)
      return Boolean(paths[operation.path]?.[operation.method.toLowerCase()])
    }
    expect(has(operation.grant)).toBe(true)
    if (operation.grant.length > 0) expect(has([])).toBe(false)
  })
})
