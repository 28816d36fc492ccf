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
    for (const written of encodings(key)) {
      await send('GET', `${written}/`, { key })
      await send('GET', `businesses/${written}/`, { key })
      await send('GET', `businesses/?${written}=1&cursor=${written}`, { key })
      await send('GET', `${server.origin}/transfers/${written}`, { key })
    }
  }
  expect(replies.length).toBeGreaterThan(400)
  const secret = (key: string) => key.slice(8, 36)
  const logged = decoded(server.logLines.join(''))
  expect(server.logLines.length).toBeGreaterThan(200)
  for (const key of canaries) expect(logged).not.toContain(secret(key))
  const metrics = await server.metrics.registry.metrics()
  expect(metrics).toContain('portico_http_request_duration_seconds')
  for (const key of canaries) expect(metrics).not.toContain(secret(key))
  const echoes = replies.filter((text) => decoded(text).includes(secret(portal.key)))
  expect(echoes).toEqual([])
})

/** The same key with some or all of its characters percent-encoded, once or several times. */
function encodings(key: string): string[] {
  const encode = (text: string, which: (index: number) => boolean) =>
    [...text].map((c, index) => (which(index) ? `%${c.charCodeAt(0).toString(16)}` : c)).join('')
  const separator = (index: number) => key[index] === '_'
  return [
    key.replace('_', '%5F'),
    encode(key, separator),
    encode(key, () => true),
    encode(key, () => true).toUpperCase(),
    encode(key, (index) => index % 3 === 0),
    encode(key, separator).replaceAll('%', '%25'),
    encode(key, () => true).replaceAll('%', '%2525'),
  ]
}

/** A text as somebody would read it who decodes it as often as it takes. */
function decoded(text: string): string {
  const once = text.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return once === text ? text : decoded(once)
}
