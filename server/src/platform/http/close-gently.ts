// Node closes a listening socket at once: whoever waits in its queue is cut off and cannot know whether the request was
// carried out. So requests that come at the very end are held, which leaves the process nothing to do but let callers
// in; the door is closed when nobody waits in front of it; and when all who are in have spoken, those held are answered
// like everybody else. Who never speaks is shown out: Node waits for them, and no longer looks at the clock.
import { connect, Server, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { conversationOf } from './parser-errors.ts'

/** Returns what a request has to wait for, if anything. `furtherDoors` of the same server are closed with it. */
export function closeGently(app: FastifyInstance, furtherDoors: { close(): void }): () => Promise<void> | undefined {
  const { server } = app
  const inside = new Set<Socket>()
  const silent = new Set<Socket>()
  let held: Promise<void> | undefined
  server.on('connection', (socket) => {
    inside.add(socket)
    silent.add(socket)
    socket.once('close', () => {
      inside.delete(socket)
      silent.delete(socket)
    })
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  app.addHook('preClose', async () => {
    let release = (): void => undefined
    held = new Promise((resolve) => {
      release = resolve
    })
    // Whatever Node may have changed there, those who are in are answered.
    await takeLastPlace(server, performance.now() + longestHoldMs).catch(() => undefined)
    furtherDoors.close()
    // An HTTP server's own `close`, which Fastify calls afterwards, looks for idle connections first.
    Server.prototype.close.call(server)
    const latest = performance.now() + longestHoldMs
    while (silent.size > 0 && performance.now() < latest) await wait(lookMs)
    // What arrived while the process was at work has been read then.
    await turn()
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
    const showOut = () => {
      for (const socket of inside) if (!conversationOf(socket).pending) socket.destroy()
    }
    setTimeout(showOut, longestHeadMs).unref()
    // After Fastify, which closes connections that are idle as soon as this hook has ended.
    setImmediate(release)
  })
  return () => held
}

/**
 * Until nobody waits to be let in, and nobody can come before the closing. The queue is made one place long, and a caller
 * of our own takes the place: as soon as it is in, it is alone. Linux leaves whoever knocks then without an answer, and
 * they knock again by themselves. Only a caller from another machine whose connection is half made at that moment is cut
 * off. Where this does not work, the time goes by, and nearly everybody is let in.
 */
async function takeLastPlace(server: Server, latest: number): Promise<void> {
  const handle = handleOf(server)
  const address = server.address()
  if (!handle || address === null || typeof address === 'string') return
  const hosts = sameMachine.get(address.address) ?? [address.address]
  handle.listen(0)
  for (let tries = 0; performance.now() < latest; tries++) {
    const own = connect(address.port, hosts[tries % hosts.length]).on('error', () => undefined)
    // It has knocked then, and cannot have been let in: the loop goes on after that.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (handleOf(own)?.getpeername({}) === 0) return void server.once('close', () => own.destroy())
    own.destroy()
    // Somebody else has the place.
    await turn()
  }
}

interface Handle {
  listen(places: number): number
  /** 0 if there is a connection. */
  getpeername(found: object): number
}

function handleOf(part: Server | Socket): Handle | null | undefined {
  // safe because Node keeps what the system knows as a socket there; a canary watches over its members
  return (part as { _handle?: Handle | null })._handle
}

/** Where a server can be reached that listens everywhere. */
const sameMachine = new Map([
  ['0.0.0.0', ['127.0.0.1']],
  ['::', ['::1', '127.0.0.1']],
])
const lookMs = 5
const longestHoldMs = 300
/** For what was begun before the closing. */
const longestHeadMs = 5000
