import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { readAnswer, uploadDirectly } from './direct-upload.ts'

test('200 for an upload whose length is announced, also where the package undici is loaded beside fetch', async () => {
  // It puts itself behind the fetch of Node.
  await import('undici')
  const received: { length: string | undefined; text: string }[] = []
  const server = createServer(async (request, response) => {
    received.push({ length: request.headers['content-length'], text: String(await buffer(request)) })
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // safe because it listens on a port
  const { port } = server.address() as AddressInfo
  const bytes = Buffer.from('the bytes')
  const headers = { 'content-type': 'text/plain', 'content-length': String(bytes.length) }
  const { status } = await uploadDirectly({ method: 'PUT', url: `http://127.0.0.1:${port}/`, headers }, bytes, 10_000)
  expect([status, received]).toEqual([200, [{ length: '9', text: 'the bytes' }]])
})

test('of an answer that never ends a beginning is read, and the connection is closed', async () => {
  let hasClosed = false
  const server = createServer((_, response) => {
    const flood = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(16 * 1024)
      })(),
    )
    flood.pipe(response).once('close', () => {
      hasClosed = true
      flood.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // safe because it listens on a port
  const { port } = server.address() as AddressInfo
  const text = await readAnswer(await fetch(`http://127.0.0.1:${port}/`), 10_000)
  expect(text).toMatch(/^x+$/)
  expect(text.length).toBeLessThan(1_000_000)
  await expect.poll(() => hasClosed).toBe(true)
})
