// Canaries: a few pieces of code lean on what libraries do inside (decision 0017 lists them with their gain and how to
// take them out). When a library changes there, these tests fail by name, before anything else does in stranger ways.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
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

  test('V8: rows are made by code that is put together at run time', () => {
    expect(createRowMaker(['a', 'b"c'])([1, 'x']), advice).toEqual({ a: 1, 'b"c': 'x' })
  })
})
