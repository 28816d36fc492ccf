import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import type { Logger } from '../logging.ts'
import { backlog, widenDoor } from './wide-door.ts'

const directory = mkdtempSync(join(tmpdir(), 'portico-wide-door-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const patience = { timeout: 20_000 }
const opened = 'many connections: further doors were opened'
const failed = 'many connections: further doors could not be opened, so they are let in slowly'

/** A server that answers each request when it is told to. */
async function start(program?: string) {
  const lines: string[] = []
  const note = (_about: object, text: string) => void lines.push(text)
  const app = fastify({ forceCloseConnections: 'idle' })
  const held: (() => void)[] = []
  app.get('/held', (_request, reply) => {
    held.push(() => reply.header('connection', 'close').send('held'))
  })
  // safe because nothing else of the log is used
  const door = widenDoor(app, { info: note, warn: note } as Logger, program)
  app.addHook('preClose', async () => door.close())
  await app.listen({ host: '127.0.0.1', port: 0, backlog })
  // safe because the server listens on a port
  const { port } = app.server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    ...{ app, lines, held },
    /** So many connections at once, and how many rounds of the event loop it took until all were let in. */
    async crowd(size: number): Promise<{ sockets: Socket[]; rounds: number }> {
      let letIn = 0
      const count = () => letIn++
      app.server.on('connection', count)
      const crowd = Array.from({ length: size }, () => connect(port, '127.0.0.1'))
      sockets.push(...crowd)
      await Promise.all(crowd.map((socket) => once(socket, 'connect')))
      let rounds = 0
      for (; letIn < size; rounds++) await new Promise((resolve) => setImmediate(resolve))
      app.server.removeListener('connection', count)
      return { sockets: crowd, rounds }
    },
    async end(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await app.close()
    },
    /** Whether nobody listens there any more. */
    async isFree(): Promise<boolean> {
      const late = connect(port, '127.0.0.1')
      const outcome = await Promise.race([
        once(late, 'connect').then(() => 'in'),
        once(late, 'error').catch((error) => error.code),
      ]).catch((error) => error.code)
      late.destroy()
      return outcome === 'ECONNREFUSED'
    },
  }
}

test('a crowd opens further doors; then each round lets in many connections, and an end waits for their requests', {
  timeout: 60_000,
}, async () => {
  const { app, lines, held, crowd, isFree } = await start()
  const few = await crowd(20)
  expect(lines).toEqual([])
  const first = await crowd(300)
  await expect.poll(() => lines, patience).toEqual([opened])
  const second = await crowd(300)
  expect(second.rounds).toBeLessThan(first.rounds / 4)
  for (const socket of [...few.sockets, ...first.sockets]) socket.destroy()

  const answers = second.sockets.map(async (socket) => {
    socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n')
    let text = ''
    for await (const piece of socket) text += piece
    return text.slice(0, 12)
  })
  await expect.poll(() => held.length, patience).toBe(300)
  const closing = app.close()
  await expect.poll(() => app.server.listening, patience).toBe(false)
  for (const answer of held) answer()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']))
  await closing
  expect(await isFree()).toBe(true)
})

test('without the helper the server goes on, and says so', async () => {
  const { lines, crowd, end, isFree } = await start(join(directory, 'nothing'))
  await crowd(300)
  await expect.poll(() => lines, patience).toEqual([failed])
  expect((await crowd(100)).sockets).toHaveLength(100)
  await end()
  expect(await isFree()).toBe(true)
})

test('a helper that hangs does not hold the port beyond the end', async () => {
  const program = join(directory, 'hangs')
  writeFileSync(program, '#!/bin/sh\nexec sleep 600\n')
  chmodSync(program, 0o700)
  const { lines, crowd, end, isFree } = await start(program)
  await crowd(300)
  await end()
  expect(lines).toEqual([failed])
  expect(await isFree()).toBe(true)
})
