// What the log says of a request, from the request itself to the deliveries that it caused.
import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBackground } from '../src/app.ts'
import { openRawLane } from './faults/raw-exchange.ts'
import { declarationOf, newIntake, upload } from './fixtures.ts'
import { newProject } from './funding-fixtures.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { cleanUp, cleanups } from './real-servers.ts'
import { startSink } from './webhook-sink.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer({
    PORTICO_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
    PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true',
    PORTICO_RATE_LIMITS: 'on',
    PORTICO_RATE_LIMIT_HEAVY: '2/60',
  })
  portal = await newPortal(server)
})
afterAll(() => server.stop())
afterEach(cleanUp)

/** The lines about a request, each as an object. */
const linesOf = (requestId: string | null) =>
  server.logLines
    .map((line) => JSON.parse(line))
    .filter(({ request_id }) => request_id === requestId && requestId !== null)
const requestIdOf = ({ headers }: { headers: Headers }) => headers.get('request-id')
const forwarded = { 'x-forwarded-for': '192.0.2.66, 198.51.100.7, 10.1.1.1' }

test('a line names the Portal, the key and the address of the client, whatever came of the request', async () => {
  const limited = await newKey(server, portal.id, { grants: ['webhooks:read'] })
  const { calculations_url } = await newProject(portal)
  const heavy = (path: string) => portal.call('POST', path, { headers: forwarded })
  const answers = [
    await portal.call('GET', 'businesses/', { headers: forwarded }),
    await portal.call('GET', 'businesses/biz_00000000000000000000000000/', { headers: forwarded }),
    await portal.call('GET', 'businesses/?page_size=0', { headers: forwarded }),
    await portal.call('PATCH', 'businesses/biz_00000000000000000000000000/', { headers: forwarded, body: {} }),
    await server.call('GET', 'businesses/', { key: limited.key, headers: forwarded }),
    ...(await Promise.all([1, 2, 3].map(() => heavy(calculations_url)))),
  ]
  const seen = answers.map((answer) => {
    const [line, ...more] = linesOf(requestIdOf(answer))
    expect(more).toEqual([])
    expect(line).toMatchObject({ portal_id: portal.id, client_address: '198.51.100.7', status: answer.status })
    expect(line.code).toBe(answer.body.code)
    return [line.status, line.code, line.key_id === portal.key_id]
  })
  expect(seen).toEqual([
    [200, undefined, true],
    [404, 'not_found', true],
    [400, 'invalid_query_parameter', true],
    [428, 'precondition_required', true],
    [403, 'resource_not_granted', false],
    [202, undefined, true],
    [202, undefined, true],
    [429, 'rate_limited', true],
  ])
})

test('an error that is replayed has its code in the line, too', async () => {
  const body = portal.business({ external_reference: 'ERP-1' })
  await portal.call('POST', 'businesses/', { body })
  const headers = { 'idempotency-key': 'the-same-key-twice' }
  for (const replayed of [null, 'true']) {
    const answer = await portal.call('POST', 'businesses/', { body, headers })
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([409, replayed])
    expect(linesOf(requestIdOf(answer))).toMatchObject([{ code: 'already_exists', key_id: portal.key_id }])
  }
})

test('a request without a key has a line with its code and address, and of no Portal', async () => {
  const answer = await server.call('GET', 'businesses/', { headers: forwarded })
  const [line] = linesOf(requestIdOf(answer))
  expect(line).toMatchObject({ status: 401, code: 'authentication_required', client_address: '198.51.100.7' })
  expect(Object.keys(line)).not.toContain('portal_id')
})

test('what cannot be parsed has a line with its code and the address of the peer', async () => {
  const lane = openRawLane(Number(new URL(server.origin).port))
  const answer = await lane.exchange({ fault: 'no HTTP', bytes: Buffer.from('nonsense\r\n\r\n'), framing: 'alone' })
  expect(linesOf(answer?.headers.get('request-id') ?? null)).toMatchObject([
    { status: 400, code: 'invalid_request', client_address: '127.0.0.1' },
  ])
})

test('headers that no proxy would send are never a 5xx, and the address in the line stays an address', async () => {
  const odd = [',', ', ,', '"', 'unknown', '::', '[::1', '[]:80', '1.2.3.4.5', '10.0.0.1%"', 'x'.repeat(15_000)]
  const many = ['10.0.0.1,'.repeat(1700), '['.repeat(15_000), ' '.repeat(15_000), '1'.repeat(15_000)]
  for (const value of [...odd, ...many]) {
    const answer = await portal.call('GET', 'businesses/', { headers: { 'x-forwarded-for': value } })
    expect(answer.status, value.slice(0, 20)).toBe(200)
    const [line] = linesOf(requestIdOf(answer))
    expect(line.client_address, value.slice(0, 20)).toMatch(/^(127\.0\.0\.1|10\.0\.0\.1|::)$/)
  }
})

test('a transfer names the Portal, and a full or broken file store leaves its reason with the 503', async () => {
  const { files } = server.context.config
  if (files.kind !== 'disk') throw new Error('these files are on disk')
  const application = await newIntake(portal)
  const bytes = Buffer.from('a,b\n1,2\n')
  const { body: file } = await portal.call('POST', application.files_url, {
    body: { question_key: 'bank_statements', ...declarationOf(bytes, 'statement.csv', 'text/csv') },
    headers: { 'if-match': application.etag },
  })
  // A file where the directory should be.
  rmSync(files.directory, { recursive: true, force: true })
  writeFileSync(files.directory, '')
  const refused = await upload(file.upload, bytes)
  expect(refused.status).toBe(503)
  const [reason, line] = linesOf(requestIdOf(refused))
  expect(reason).toMatchObject({ level: 'warn', portal_id: portal.id, code: 'service_unavailable' })
  expect(reason.client_address).toBe('127.0.0.1')
  expect(reason.err.message).toContain('The file directory cannot be used')
  expect(line).toMatchObject({ status: 503, portal_id: portal.id, code: 'service_unavailable' })
  rmSync(files.directory)
  expect((await upload(file.upload, bytes)).status).toBe(200)
})

test('a request is found by its id in its line, its job, the event of the job and every attempt to deliver it', async () => {
  const own = await newPortal(server)
  const sink = await startSink()
  const background = startBackground(server.context, server.metrics)
  cleanups.push(async () => {
    await background.stop()
    await sink.close()
  })
  const made = await own.call('POST', 'webhooks/', {
    body: { url: sink.url, event_types: ['business.created', 'match_calculation.completed'] },
  })
  const state = async () => (await own.call('GET', `webhooks/${made.body.id}/`)).body.state
  await expect.poll(state).toBe('active')
  // The job ends a moment after what it has done can be seen.
  await expect
    .poll(() => linesOf(requestIdOf(made)))
    .toContainEqual(
      expect.objectContaining({ kind: 'webhooks.verify', portal_id: own.id, outcome: 'done', msg: 'job ended' }),
    )

  const project = await newProject(own)
  const started = await own.call('POST', project.calculations_url)
  const id = requestIdOf(started)
  const completed = () =>
    sink.received.map(({ event }) => event).find(({ type }) => type === 'match_calculation.completed')
  await expect.poll(completed).toBeDefined()
  expect(completed().data.request_id).toBe(id)
  await expect.poll(() => linesOf(id).length).toBe(3)
  const [request, ...later] = linesOf(id)
  expect(request).toMatchObject({ method: 'POST', status: 202, key_id: own.key_id })
  expect(later).toContainEqual(expect.objectContaining({ kind: 'funding_recommendations.calculate', outcome: 'done' }))
  expect(later).toContainEqual(
    expect.objectContaining({
      msg: 'webhook attempt',
      portal_id: own.id,
      webhook_id: made.body.id,
      event_id: completed().id,
      outcome: 'succeeded',
      response_status: 200,
    }),
  )
})
