import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBodies } from './bodies.ts'

const megabyte = 1024 * 1024
const headers = { 'content-length': String(megabyte) }
const server = createServer()
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

/** The response to a request whose client can leave. */
async function newResponse(): Promise<{ response: ServerResponse; leave(): Promise<unknown> }> {
  const { port } = server.address() as AddressInfo // safe because the server listens on a port
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers })
  sent.on('error', () => undefined).write('{')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse] // safe because that is what it emits
  const leave = () => {
    sent.destroy()
    return once(response, 'close')
  }
  return { response, leave }
}

test('whoever has left before there is room for its body takes none', async () => {
  const bodies = createBodies()
  const { response, leave } = await newResponse()
  await leave()
  expect([bodies.hold('ptl_a', headers, response), bodies.heldBytes]).toEqual([true, 0])
})

test('a body takes its room until its client has left and nobody works with it, in either order', async () => {
  const bodies = createBodies()
  const [first, second] = [await newResponse(), await newResponse()]
  for (const { response } of [first, second]) {
    bodies.hold('ptl_a', headers, response)
    expect(bodies.arrived(response, megabyte)).toBe(true)
  }
  await first.leave()
  bodies.letGo(second.response)
  expect(bodies.heldBytes).toBe(2 * megabyte)
  bodies.letGo(first.response)
  await second.leave()
  expect(bodies.heldBytes).toBe(0)
})

test('a Portal takes half of what the others leave, and no more', async () => {
  const bodies = createBodies(4 * megabyte)
  const held: boolean[] = []
  for (const portal of ['ptl_a', 'ptl_a', 'ptl_a', 'ptl_b', 'ptl_b']) {
    const { response } = await newResponse()
    held.push(bodies.hold(portal, headers, response))
  }
  expect(held).toEqual([true, true, false, true, false])
  server.closeAllConnections()
})
