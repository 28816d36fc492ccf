// Connections that wait for the next call to the same origin. A call has its connection alone, so that what one call
// meets (a slow connection, a response that breaks off) concerns no other. undici ends what has waited too long.
import type { Socket } from 'node:net'
import { Client } from 'undici'

export interface Connection {
  readonly client: Client
  readonly origin: string
  readonly madeAt: number
  socket: Socket | undefined
  /** The other side may close a connection that has carried a response at any moment. */
  hasServed: boolean
}

interface Bounds {
  /** How long one may wait for its next call; 0 for one connection per call. */
  idleMs: number
  /** All origins together. */
  most: number
  oldestMs: number
}

export function keepConnections({ idleMs, most, oldestMs }: Bounds) {
  /** By origin; the one that was used last stands last. */
  const waiting = new Map<string, Set<Connection>>()
  /** All of them; the one that has waited longest comes first. */
  const all = new Set<Connection>()

  const remove = (connection: Connection) => {
    if (!all.delete(connection)) return
    const own = waiting.get(connection.origin)
    own?.delete(connection)
    if (own?.size === 0) waiting.delete(connection.origin)
  }
  const end = (connection: Connection) => {
    remove(connection)
    return connection.client.destroy()
  }
  return {
    /** A new connection to an origin; `openSocket` is called once. */
    make(origin: string, openSocket: () => Promise<Socket>): Connection {
      let isOpened = false
      const client = new Client(origin, {
        connect: (_, done) => {
          // undici would quietly connect anew, outside the call that the socket was checked for.
          if (isOpened) return done(new SocketClosed(), null)
          isOpened = true
          openSocket().then(
            (socket) => {
              connection.socket = socket
              done(null, socket)
            },
            (error) => done(error, null),
          )
        },
        pipelining: idleMs > 0 ? 1 : 0,
        ...(idleMs > 0 && { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }),
        // The deadline of a call is the only timer.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const connection: Connection = { client, origin, madeAt: performance.now(), socket: undefined, hasServed: false }
      client.once('disconnect', () => void end(connection))
      return connection
    },
    take(origin: string): Connection | undefined {
      for (const connection of [...(waiting.get(origin) ?? [])].reverse()) {
        remove(connection)
        if (performance.now() - connection.madeAt < oldestMs) return connection
        void end(connection)
      }
      return undefined
    },
    keep(connection: Connection): void {
      if (idleMs === 0 || connection.client.destroyed) return void end(connection)
      connection.hasServed = true
      all.add(connection)
      waiting.set(connection.origin, (waiting.get(connection.origin) ?? new Set()).add(connection))
      const [first] = all
      if (all.size > most && first) void end(first)
    },
    isKept: (connection: Connection) => all.has(connection),
    end,
    async close(): Promise<void> {
      await Promise.allSettled([...all].map(end))
    },
  }
}

/** Whether a connection went away under a request, and nothing else was wrong with the response. */
export function isClosedConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && closedCodes.has(String(error.code))
}

class SocketClosed extends Error {
  readonly code = 'UND_ERR_SOCKET'
}

const closedCodes = new Set(['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'ECONNRESET', 'EPIPE'])
