// Canaries: a few pieces of code lean on what libraries do inside (decision 0017 lists them with their gain and how to
// take them out). When a library changes there, these tests fail by name, before anything else does in stranger ways.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createRowMaker } from './database/row-maker.ts'

const advice = 'See docs/decisions/0017-private-internals.md: mend the piece, or take it out.'

describe('canary', () => {
  test('pg: a query is an object whose handlers the client calls', () => {
    const { handleRowDescription, handleDataRow, submit } = Object.getOwnPropertyDescriptors(pg.Query.prototype)
    expect([typeof handleRowDescription?.value, typeof handleDataRow?.value, typeof submit?.value], advice).toEqual([
      'function',
      'function',
      'function',
    ])
  })

  test('pg: the stream of a connection can be ended at once', () => {
    expect(typeof new pg.Client().connection.stream.destroy, advice).toBe('function')
  })

  test('Node: a socket knows its response under way and the message being read', async () => {
    const server = createServer((message, response) => {
      // safe because absent members stay undefined
      const socket = message.socket as unknown as { _httpMessage?: unknown; parser?: { incoming?: unknown } }
      const isKnown = socket._httpMessage === response && socket.parser?.incoming === message
      response.end(String(isKnown))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // safe because the server listens on a port
    const { port } = server.address() as AddressInfo
    // A body that is still on its way: the parser has not let go of the message.
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 4 } })
    sent.write('ab')
    const [response] = await once(sent, 'response')
    const [text] = await once(response, 'data')
    sent.destroy()
    server.close()
    expect(String(text), advice).toBe('true')
  })

  test('Node: the queue of a listening socket can be made shorter, and a caller is in it at once', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    // safe because the server listens on a port
    const { port } = server.address() as AddressInfo
    const caller = connect(port, '127.0.0.1')
    // Not a round of the loop later: that would let it in.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    // safe because an absent member fails the test
    const { _handle: listening } = server as unknown as { _handle: { listen(places: number): number } }
    // safe because an absent member fails the test
    const { _handle: connected } = caller as unknown as { _handle: { getpeername(found: object): number } }
    expect([listening.listen(0), connected.getpeername({})], advice).toEqual([0, 0])
    caller.destroy()
    server.close()
  })

  test('V8: rows are made by code that is put together at run time', () => {
    expect(createRowMaker(['a', 'b"c'])([1, 'x']), advice).toEqual({ a: 1, 'b"c': 'x' })
  })
})
