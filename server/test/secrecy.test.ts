// A canary key goes through every way a request can fail; it must not be found again in any reply, log line or metric.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../src/app.ts'
import { newKeyText } from '../src/building-blocks/portals/key-text.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer({ PORTICO_LOG_LEVEL: 'trace' })
  portal = await newPortal(server)
})
afterAll(() => server.stop())

test('a key leaves no trace in replies, logs or metrics, whatever fails and wherever it is put', async () => {
  const replies: string[] = []
  const send = async (...args: Parameters<typeof server.call>) => {
    const answer = await server.call(...args)
    replies.push(answer.text, JSON.stringify([...answer.headers]))
    return answer
  }
  const canaries = [portal.key, newKeyText('staging'), newKeyText('production'), `${portal.key}x`]
  for (const key of canaries) {
    for (const { method, path } of operations) {
      const filled = path.slice(1).replace(/\{\w+\}/, key)
      await send(method, filled, { key })
      await send(method, `${filled}?${key}=1`, { key })
      await send(method, `${filled}?cursor=${key}&page_size=${key}`, { key })
      await send(method, filled, { key, headers: { 'idempotency-key': key, 'if-match': key, accept: key } })
      if (method !== 'GET')
        await send(method, filled, {
          key,
          raw: `{"legal_name":"${key}"`,
          headers: { 'content-type': 'application/json' },
        })
    }
    await send('POST', 'businesses/', { key, body: { [key]: 1, legal_name: key, country: key } })
    await send('GET', `${key}/`, { key })
  }
  expect(replies.length).toBeGreaterThan(400)
  const secret = (key: string) => key.slice(8, 36)
  const logged = server.logLines.join('')
  expect(server.logLines.length).toBeGreaterThan(200)
  for (const key of canaries) expect(logged).not.toContain(secret(key))
  const metrics = await server.metrics.registry.metrics()
  expect(metrics).toContain('portico_http_request_duration_seconds')
  for (const key of canaries) expect(metrics).not.toContain(secret(key))
  const echoes = replies.filter((text) => text.includes(secret(portal.key)))
  expect(echoes).toEqual([])
})
