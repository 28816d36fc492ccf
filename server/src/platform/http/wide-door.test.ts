import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Logger } from '../logging.ts'
import { backlog, widenDoor } from './wide-door.ts'

const lines: string[] = []
const note = (_about: object, text: string) => void lines.push(text)
const app = fastify({ forceCloseConnections: 'idle' })
/** Requests that wait to be answered. */
const held: (() => void)[] = []
app.get('/held', (_request, reply) => {
  held.push(() => reply.header('connection', 'close').send('held'))
})
let port: number

beforeAll(async () => {
  // safe because nothing else of the log is used
  widenDoor(app, { info: note, warn: note } as Logger)
  await app.listen({ host: '127.0.0.1', port: 0, backlog })
  // safe because the server listens on a port
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

/** So many connections at once, and how many rounds of the event loop it took until all were let in. */
async function crowd(size: number): Promise<{ sockets: Socket[]; rounds: number }> {
  let letIn = 0
  const count = () => letIn++
  app.server.on('connection', count)
  const sockets = Array.from({ length: size }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  let rounds = 0
  for (; letIn < size; rounds++) await new Promise((resolve) => setImmediate(resolve))
  app.server.removeListener('connection', count)
  return { sockets, rounds }
}

test('a crowd opens further doors; then each round lets in many connections, and an end waits for their requests', {
  timeout: 30_000,
}, async () => {
  const few = await crowd(20)
  expect(lines).toEqual([])
  const first = await crowd(300)
  await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['many connections: further doors were opened'])
  const second = await crowd(300)
  expect(second.rounds).toBeLessThan(first.rounds / 4)
  for (const socket of [...few.sockets, ...first.sockets]) socket.destroy()

  const answers = second.sockets.map(async (socket) => {
    socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n')
    let text = ''
    for await (const piece of socket) text += piece
    return text.slice(0, 12)
  })
  await expect.poll(() => held.length).toBe(300)
  const closing = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  for (const answer of held) answer()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']))
  await closing
  const late = connect(port, '127.0.0.1')
  expect(await once(late, 'error').catch((error) => [error])).toMatchObject([{ code: 'ECONNREFUSED' }])
})
