// Node closes a listening socket at once: whoever waits in its queue, or is in and has not spoken yet, is cut off and
// cannot know whether the request was carried out. So requests that come at the very end are held, which leaves the
// process nothing to do but let callers in; when all have spoken and no other came for a moment, the server is closed.
// Those held are then answered like everybody inside.
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Returns what a request has to wait for, if anything. */
export function closeGently(app: FastifyInstance): () => Promise<void> | undefined {
  const silent = new Set<Socket>()
  let arrivals = 0
  let held: Promise<void> | undefined
  app.server.on('connection', (socket) => {
    arrivals++
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.server.on('request', ({ socket }) => silent.delete(socket))
  app.addHook('preClose', async () => {
    const latest = performance.now() + longestHoldMs
    let release = (): void => undefined
    held = new Promise((resolve) => {
      release = resolve
    })
    for (let seen = -1; (seen !== arrivals || silent.size > 0) && performance.now() < latest; ) {
      seen = arrivals
      await wait(quietMs)
      // Where the process itself had to wait, the timer comes before those who knocked meanwhile: let them in first.
      await turn()
    }
    // Fastify closes the server as soon as this hook has ended.
    setImmediate(release)
  })
  return () => held
}

const quietMs = 20
const longestHoldMs = 300
