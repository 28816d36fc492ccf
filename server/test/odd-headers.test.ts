// Headers that no client should send, to everything that listens: an answer in the one error shape, never a 5xx.
import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveMetrics } from '../src/platform/http/metrics-listener.ts'
import { openRawLane } from './faults/raw-exchange.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { freePort } from './postgres-cluster.ts'

let server: TestServer
let portal: TestPortal
let metrics: Server
let metricsPort: number
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  metricsPort = await freePort()
  metrics = await serveMetrics(server.context, server.metrics, server.server.probes, { port: metricsPort })
})
afterAll(async () => {
  metrics.close()
  await server.stop()
})

const values = [
  '',
  ' ',
  ',',
  ';',
  '"',
  '*',
  '/',
  'nonsense',
  'a/b/c',
  '\u00ff\u00fe',
  '\u0080\u00c3\u0028',
  'application/json; charset=utf-16',
  'application/json;;;',
  'multipart/form-data; boundary=',
  'bytes=9-1,--',
  'bytes=99999999999999999999-',
  'bytes=-0',
  'W/"',
  '"a" "b"',
  'Bearer',
  'Bearer \u00ff',
  'Basic Og==',
  'Bearer ptt_%%%',
  'gzip, chunked',
  'identity',
  '100-continue',
  '200-nonsense',
  '-1',
  '1e3',
  '[::1',
  'a:b:c',
  'x'.repeat(4000),
]
const headers = [
  'Content-Type',
  'Content-Encoding',
  'Content-Length',
  'Transfer-Encoding',
  'Accept',
  'Authorization',
  'Expect',
  'Host',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Range',
  'Idempotency-Key',
  'Connection',
  'Upgrade',
]
const targets = [
  'GET /v1/businesses/',
  'POST /v1/businesses/',
  'PUT /transfers/fil_01jcz3v0v2fd6tqvh1m8r5k9wx',
  'GET /transfers/fil_01jcz3v0v2fd6tqvh1m8r5k9wx',
  'GET /llms.txt',
  'GET /readyz',
  'GET http://example.com/v1/businesses/',
  'OPTIONS *',
  'GET /metrics',
]

test.each(targets)('%s answers every odd header, and none with a 5xx', async (target) => {
  const lane = openRawLane(target === 'GET /metrics' ? metricsPort : Number(new URL(server.origin).port))
  const wrong: string[] = []
  for (const name of headers) {
    for (const value of values) {
      const own = [`${name}: ${value}`]
      if (name !== 'Host') own.push('Host: x')
      if (name !== 'Authorization') own.push(`Authorization: Bearer ${portal.key}`)
      if (name !== 'Content-Length' && name !== 'Transfer-Encoding' && /^(POST|PUT)/.test(target))
        own.push('Content-Length: 2')
      const bytes = Buffer.from(`${target} HTTP/1.1\r\n${own.join('\r\n')}\r\n\r\n{}`, 'latin1')
      const answer = await lane.exchange({ fault: own[0] ?? '', bytes, framing: 'alone' })
      const isWell = answer && answer.status >= 200 && answer.status < 500 && answer.headers.has('request-id')
      if (!isWell) wrong.push(`${name}: ${value} → ${answer?.status ?? 'nothing'}`)
    }
  }
  lane.close()
  expect(wrong).toEqual([])
})

describe('bodies', () => {
  test('401 for an upload without its credential, whatever its Content-Type', async () => {
    for (const key of [undefined, portal.key]) {
      const answer = await server.call('PUT', `${server.origin}/transfers/fil_01jcz3v0v2fd6tqvh1m8r5k9wx`, {
        raw: 'x',
        headers: { 'content-type': 'nonsense' },
        ...(key !== undefined && { key }),
      })
      expect([answer.status, answer.body.code]).toEqual([401, 'transfer_credential_invalid'])
    }
  })

  test('a chunked body that is empty needs no Content-Type, one that is not does', async () => {
    const made = await portal.call('POST', 'businesses/', { body: portal.business() })
    const lane = openRawLane(Number(new URL(server.origin).port))
    const send = async (path: string, key: string, chunks: string) => {
      const lines = [
        `POST ${path} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${portal.key}`,
        `If-Match: ${made.body.etag}`,
        `Idempotency-Key: ${key}`,
        'Transfer-Encoding: chunked',
      ]
      const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${chunks}0\r\n\r\n`)
      return lane.exchange({ fault: 'chunked', bytes, framing: 'alone' })
    }
    const path = new URL(made.body.url).pathname
    expect((await send(`${path}archive/`, 'chunked-with-a-body', '2\r\n{}\r\n'))?.status).toBe(415)
    expect((await send(`${path}archive/`, 'chunked-and-empty-1', ''))?.status).toBe(200)
  })
})

test('204 with Allow for OPTIONS on the metrics', async () => {
  const answer = await server.call('OPTIONS', `http://127.0.0.1:${metricsPort}/metrics`)
  expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  expect(answer.headers.get('request-id')).toMatch(/^req_/)
})
