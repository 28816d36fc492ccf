// Two processes behind the nginx configuration that we hand out (deploy/nginx).
import { hash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { Agent, get, request } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { ErrorCode } from '../../src/platform/protocol/error-catalogue.ts'
import { ApiError, errorBody } from '../../src/platform/protocol/errors.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { type Nginx, startNginx } from '../nginx.ts'
import { cleanUp, serve } from '../real-servers.ts'
import { startBusyClients } from './busy-clients.ts'
import { type Deployment, newDeployment, readBusinessIds } from './deployment.ts'
import { createLoadClient, idOf, type LoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { faultTimeoutMs } from './scale.ts'

// Longer than nginx keeps an idle connection, as in deploy/systemd/portico.env, where these proxies are trusted, too.
const environment = {
  PORTICO_DRAIN_DELAY_MS: '2500',
  PORTICO_TRUSTED_PROXIES: '127.0.0.1,::1',
  PORTICO_LOG_LEVEL: 'info',
}

let deployment: Deployment
let servers: [RunningServer, RunningServer]
let nginx: Nginx
let client: LoadClient

beforeAll(async () => {
  deployment = await newDeployment({ files: 'directory' })
  const { context } = await openTestContext(readConfig(deployment.environment))
  const caller = { context, portal_id: deployment.portal_id, request_id: null }
  await context.database.transaction((tx) => publishContract(tx, caller, shortContract))
  await context.database.close()
  servers = (await deployment.startAll(environment)) as typeof servers // safe because on PostgreSQL there are two
  nginx = await startNginx([servers[0].port, servers[1].port])
  client = createLoadClient(nginx.origin, { key: deployment.key, sockets: 16, ca: nginx.certificate })
})
afterAll(async () => {
  client.close()
  await cleanUp()
  await deployment.remove()
})

test('200 with a strong ETag although the client accepts gzip, 304 for it, HSTS, and its Request-Id in the log of nginx', async () => {
  const headers = { 'accept-encoding': 'gzip' }
  const created = await create()
  const path = `/v1/businesses/${idOf(created)}/`
  const read = await client.send({ method: 'GET', path, headers })
  expect([read.status, read.headers.etag]).toEqual([200, JSON.parse(read.text).etag])
  expect(read.headers['content-encoding']).toBeUndefined()
  expect(read.headers['strict-transport-security']).toBe('max-age=31536000')
  const again = await client.send({ method: 'GET', path, headers: { 'if-none-match': String(read.headers.etag) } })
  expect([again.status, again.headers.etag]).toEqual([304, read.headers.etag])
  await expect
    .poll(() => lineOf(read), { timeout: 20_000 })
    .toMatchObject({ method: 'GET', path, status: 200, client: '127.0.0.1' })
})

test('the address that nginx sees is in the line of Portico, whatever the client says of itself', async () => {
  const elsewhere = createLoadClient(nginx.origin, {
    key: deployment.key,
    sockets: 1,
    ca: nginx.certificate,
    localAddress: '127.0.0.2',
  })
  const reply = await elsewhere.send({ method: 'GET', path: '/v1/', headers: { 'x-forwarded-for': '192.0.2.66' } })
  elsewhere.close()
  const request_id = reply.headers['request-id']
  await expect.poll(() => lineOf(reply), { timeout: 20_000 }).toMatchObject({ client: '127.0.0.2', status: 200 })
  const lines = () =>
    servers
      .flatMap((server) => server.output().split('\n'))
      .filter((line) => line.includes(`"${request_id}"`))
      .map((line) => JSON.parse(line))
  await expect.poll(lines, { timeout: 20_000 }).toMatchObject([{ client_address: '127.0.0.2', status: 200 }])
})

test('200 for an upload of 50 MiB, which is downloaded as it was', async () => {
  const bytes = Buffer.alloc(50 * 1024 * 1024, 'name,amount\n')
  const { download } = await uploaded(bytes)
  const kept = await transfer('GET', JSON.parse((await download()).text))
  expect([kept.status, hash('sha256', kept.bytes, 'hex')]).toEqual([200, hash('sha256', bytes, 'hex')])
})

test('500 of Portico passes as it is: nginx replaces its own errors only', async () => {
  const { id, download } = await uploaded(Buffer.from('name,amount\n'))
  const address = JSON.parse((await download()).text)
  rmSync(join(deployment.environment.PORTICO_DATA_DIR ?? '', 'files', deployment.portal_id, id))
  const { status, bytes } = await transfer('GET', address)
  expect([status, JSON.parse(bytes.toString())]).toMatchObject([500, { code: 'internal_error', status: 500 }])
})

test('503 in the form of the API where nginx has no connection left for a request, and 200 for the others', async () => {
  const small = await startNginx([servers[0].port, servers[1].port], 32)
  for (const { pid } of servers) process.kill(pid, 'SIGSTOP')
  // All on one connection to nginx, and each needs one of its own to Portico.
  const session = connect(small.origin, { ca: small.certificate })
  const replies = Array.from({ length: 64 }, () => {
    const stream = session.request({ ':path': '/v1/', authorization: `Bearer ${deployment.key}` })
    return new Promise<Reply>((resolve, reject) => {
      let text = ''
      stream.once('error', reject).once('response', ({ ':status': status = 0, ...headers }) =>
        stream
          .setEncoding('utf8')
          .on('data', (part) => {
            text += part
          })
          // safe because these headers are texts
          .once('end', () => resolve({ status, headers, text } as Reply)),
      )
    })
  })
  const firstRefusal = await Promise.race(replies).finally(() => {
    for (const { pid } of servers) process.kill(pid, 'SIGCONT')
  })
  expectOwnError(firstRefusal, 'service_unavailable')
  const all = await Promise.all(replies)
  session.close()
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 503]))
})

test('a large response waits for a slow reader in memory, never on the disk of nginx', async () => {
  const part = Buffer.alloc(64 * 1024, 'x')
  const parts = 1024
  let sent = 0
  // No response of Portico is larger than what the system itself holds between two programs.
  const { port } = await serve((_request, response) => {
    const content = function* () {
      for (; sent < parts; sent++) yield part
    }
    Readable.from(content()).pipe(response)
  })
  const own = await startNginx([port, port])
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${own.origin}/v1/`, { agent: new Agent({ ca: own.certificate }) }, resolve).once('error', reject),
  )
  let before = -1
  const isStalled = () => {
    const isSame = sent === before
    before = sent
    return isSame
  }
  await expect.poll(isStalled, { interval: 500 }).toBe(true)
  expect(own.overflowing()).toEqual([])
  expect(sent).toBeLessThan(parts)
  let length = 0
  for await (const bytes of response) length += bytes.length
  expect(length).toBe(parts * part.length)
})

test('429 for whoever asks for the probes all the time; not for anybody else, and not for a load balancer that passes it on', async () => {
  const probe = (path: string, headers = {}) => client.send({ method: 'GET', path, headers })
  const passedOn = { 'x-forwarded-for': '192.0.2.66' }
  const flood = await Promise.all(Array.from({ length: 100 }, () => probe('/readyz', passedOn)))
  expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([200, 429]))
  for (const reply of flood.filter(({ status }) => status === 429)) {
    expectOwnError(reply, 'rate_limited')
    expect(reply.headers['retry-after']).toBe('1')
  }
  for (const path of ['/healthz', '/readyz/']) expect((await probe(path)).status).toBe(200)
  const elsewhere = createLoadClient(nginx.origin, {
    key: deployment.key,
    sockets: 1,
    ca: nginx.certificate,
    localAddress: '127.0.0.2',
  })
  expect((await elsewhere.send({ method: 'GET', path: '/readyz', headers: passedOn })).status).toBe(200)
  elsewhere.close()
})

test('401 reaches the sender of a large upload with a wrong credential; 413 from nginx has the form of an error of the API', async () => {
  expect((await refusedUpload()).status).toBe(401)
  const tooLarge = await post('/v1/businesses/', { legal_name: 'x'.repeat(3 * 1024 * 1024) })
  expectOwnError(tooLarge, 'payload_too_large')
})

test('what nginx itself cannot read is answered in the form of the API, too', async () => {
  const long = 'x'.repeat(40_000)
  const requests: [ErrorCode, LoadRequest][] = [
    ['headers_too_large', { method: 'GET', path: '/v1/', headers: { long } }],
    ['uri_too_long', { method: 'GET', path: `/v1/?${long}` }],
    ['invalid_request', { method: 'GET', path: '/v1/', headers: { 'content-length': 'x' } }],
  ]
  for (const [code, request] of requests) expectOwnError(await client.send(request), code, '/docs')
})

test('no request fails while one process after the other is restarted', { timeout: faultTimeoutMs }, async () => {
  const busy = startBusyClients(deployment, client.send, 8)
  try {
    for (const place of [0, 1] as const) {
      await busy.answeredMore(40)
      // Bodies of refused uploads, which nobody reads, keep no process for the 30 seconds that a body may take.
      for (const _ of servers) expect((await refusedUpload()).status).toBe(401)
      let exit: number | null | undefined
      servers[place].kill('SIGTERM').then((code) => {
        exit = code
      })
      await expect.poll(() => exit, { timeout: 20_000 }).toBe(0)
      await busy.answeredMore(40)
      servers[place] = await deployment.start({ port: servers[place].port, environment })
    }
  } finally {
    await busy.finish()
  }
  const { failures, created } = await busy.finish()
  expect(failures).toEqual([])
  expect(await readBusinessIds(servers[0], deployment.key)).toEqual(expect.arrayContaining(created))
})

test('503 for a POST whose process dies: it is not sent to the other one, but a GET is', {
  timeout: faultTimeoutMs,
}, async () => {
  await untilBothAreAsked()
  process.kill(servers[0].pid, 'SIGSTOP')
  const writes = Array.from({ length: 8 }, () => ({
    method: 'POST',
    path: '/v1/businesses/',
    headers: { 'idempotency-key': randomUUID() },
    body: deployment.business(),
  }))
  const sent = writes.map((write) => client.send(write))
  const reads = Array.from({ length: 8 }, () => client.send({ method: 'GET', path: '/v1/businesses/?page_size=1' }))
  // The other process answers its share; what is left waits for the one that does not.
  await Promise.race(sent)
  await servers[0].kill('SIGKILL')
  const replies = await Promise.all(sent)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 503]))
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
  for (const reply of replies.filter(({ status }) => status === 503)) expectOwnError(reply, 'service_unavailable')
  const repeated = await Promise.all(writes.map((write) => client.send(write)))
  expect(new Set(repeated.map(({ status }) => status))).toEqual(new Set([201]))
  const ids = await readBusinessIds(servers[1], deployment.key)
  for (const id of repeated.map(idOf)) expect(ids.filter((other) => other === id)).toHaveLength(1)
  // With the last process away as well, the answer is the same.
  await servers[1].kill('SIGKILL')
  const nobody = await client.send({ method: 'GET', path: '/v1/businesses/?search=Zonkwort' })
  expectOwnError(nobody, 'service_unavailable')
  expect(nobody.headers['retry-after']).toBe('2')
  await expect
    .poll(() => lineOf(nobody))
    .toMatchObject({ status: 503, upstream_status: expect.stringContaining('502') })
  // What somebody looks for is in no log.
  expect(nginx.errors() + JSON.stringify(nginx.log())).not.toContain('Zonkwort')
})

/** What nginx says of a request; it writes its line after the answer. */
const lineOf = ({ headers }: Reply) => nginx.log().find(({ request_id }) => request_id === headers['request-id'])

/** Right after a restart nginx may have connections to one of them only. */
async function untilBothAreAsked(): Promise<void> {
  const before = nginx.log().length
  const asked = async () => {
    await client.send({ method: 'GET', path: '/v1/' })
    return nginx
      .log()
      .slice(before)
      .map(({ upstream }) => upstream)
  }
  const both = servers.map(({ port }) => `127.0.0.1:${port}`)
  await expect.poll(asked, { timeout: 20_000 }).toEqual(expect.arrayContaining(both))
}

/** An answer of nginx itself that looks like one of Portico. */
function expectOwnError(reply: Reply, code: ErrorCode, docs = 'https://127.0.0.1/docs'): void {
  const id = String(reply.headers['request-id'])
  expect(id).toMatch(/^req_[0-9a-z]{26}$/)
  const expected = errorBody(new ApiError(code), id, docs)
  expect([reply.status, JSON.parse(reply.text)]).toEqual([expected.status, expected])
  expect(reply.headers['content-type']).toBe('application/json')
  expect(reply.headers['strict-transport-security']).toBe('max-age=31536000')
}

function create(): Promise<Reply> {
  return post('/v1/businesses/', deployment.business())
}

function post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return client.send({ method: 'POST', path, body, headers: { 'idempotency-key': randomUUID(), ...headers } })
}

/** A file of an application, under its id. */
async function uploaded(bytes: Buffer): Promise<{ id: string; download: () => Promise<Reply> }> {
  const sha256 = hash('sha256', bytes, 'hex')
  const application = await post('/v1/client-intake-applications/', { business_id: idOf(await create()) })
  const declaration = { filename: 'a.csv', content_type: 'text/csv', size_bytes: bytes.length, sha256 }
  const declared = await post(
    `/v1/client-intake-applications/${idOf(application)}/files/`,
    { question_key: 'bank_statements', ...declaration },
    { 'if-match': String(application.headers.etag) },
  )
  const { id, url, upload } = JSON.parse(declared.text)
  expect((await transfer('PUT', upload, bytes)).status).toBe(200)
  return { id, download: () => post(`${new URL(url).pathname}download/`) }
}

function refusedUpload(): Promise<{ status: number }> {
  const url = `${nginx.origin}/transfers/fil_01m7j7p5j9esm96yfry37f5a6c`
  return transfer('PUT', { url, headers: { authorization: 'Bearer no' } }, Buffer.alloc(20 * 1024 * 1024))
}

/** Bytes to or from the address that was given, by way of nginx. */
function transfer(
  method: 'GET' | 'PUT',
  { url, headers }: { url: string; headers: Record<string, string> },
  body?: Buffer,
): Promise<{ status: number; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca: nginx.certificate })
    const length = body ? { 'content-length': String(body.length) } : {}
    request(nginx.origin + new URL(url).pathname, { method, agent, headers: { ...headers, ...length } })
      .once('error', reject)
      .once('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
        response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }))
      })
      .end(body)
  })
}
