// One connection to Redis for a few short commands that nobody waits long for. It is opened at once and again whenever
// it breaks. A server that says nothing, or something that makes no sense, is given up like one that is away.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { RedisAddress } from './redis-url.ts'
import { createReplyReader, type RedisReply, writeCommand } from './resp.ts'

interface RedisClient {
  /** Whether a command would be sent at once. */
  readonly isReady: boolean
  /** Rejects when there is no answer, or an error instead of one. */
  send(...command: string[]): Promise<RedisReply>
  /** Gives up on the present connection and opens another one. */
  giveUp(error: Error): void
  close(): void
}

interface RedisEvents {
  /** A command that must succeed before it is used. */
  greeting: readonly string[]
  ready(): void
  /** Once for each time it was ready, and once if the first connection fails. */
  lost(error: Error): void
}

interface Awaited {
  resolve(reply: RedisReply): void
  reject(error: Error): void
}

export function openRedis(address: RedisAddress, events: RedisEvents): RedisClient {
  let socket: Socket | undefined
  let awaited: Awaited[] = []
  let isReady = false
  let isClosed = false
  let isReached = false
  let isLossTold = false
  let retrying: NodeJS.Timeout | undefined
  let readyAt = 0
  let retryMs = shortestRetryMs

  const open = () => {
    const { host, port } = address
    // The name of a server is never an address.
    const servername = isIP(host) === 0 ? host : ''
    const own = address.isTls ? connectTls({ host, port, servername }) : connect({ host, port })
    socket = own
    isReached = false
    own.setNoDelay(true)
    own.once('connect', () => {
      if (own === socket) isReached = true
    })
    // Until it has greeted us; after that whoever waits for an answer notices.
    const greeting = setTimeout(() => lose(own, new Error('no answer in time')), greetingMs).unref()
    own.on('error', (error) => lose(own, error))
    own.on('close', () => lose(own, new Error('the connection was closed')))
    const read = createReplyReader((reply) => {
      const first = awaited.shift()
      if (!first) lose(own, new Error('an answer came that nobody asked for'))
      else if (reply instanceof Error) first.reject(reply)
      else first.resolve(reply)
    })
    own.on('data', (bytes) => {
      if (own !== socket) return
      try {
        read(bytes)
      } catch (error) {
        lose(own, error as Error) // safe because only errors are thrown
      }
    })
    own.once(address.isTls ? 'secureConnect' : 'connect', () =>
      greet(own).then(
        () => {
          clearTimeout(greeting)
          if (own !== socket) return
          isReady = true
          readyAt = performance.now()
          isLossTold = false
          events.ready()
        },
        (error) => lose(own, error),
      ),
    )
  }

  const greet = async (own: Socket): Promise<void> => {
    const { username, password, database } = address
    const greetings: (readonly string[])[] = []
    if (password !== undefined) greetings.push(['AUTH', ...(username === undefined ? [] : [username]), password])
    if (database !== 0) greetings.push(['SELECT', String(database)])
    greetings.push(events.greeting)
    await Promise.all(greetings.map((command) => write(own, command)))
  }

  const write = (own: Socket, command: readonly string[]): Promise<RedisReply> =>
    new Promise((resolve, reject) => {
      awaited.push({ resolve, reject })
      own.write(writeCommand(command))
    })

  const lose = (own: Socket, error: Error) => {
    if (own !== socket) return
    socket = undefined
    // Whoever comes and goes is asked less and less often, and so is whoever refuses us: a wrong password stays wrong.
    const wasSteady = isReady && performance.now() - readyAt >= steadyMs
    if (wasSteady) retryMs = shortestRetryMs
    else if (isReached) retryMs = Math.min(2 * retryMs, longestRetryMs)
    isReady = false
    own.destroy()
    const left = awaited
    awaited = []
    for (const { reject } of left) reject(error)
    if (isClosed) return
    if (!isLossTold) events.lost(error)
    isLossTold = true
    retrying = setTimeout(open, retryMs).unref()
  }

  open()
  return {
    get isReady() {
      return isReady
    },
    send: (...command) =>
      socket && isReady ? write(socket, command) : Promise.reject(new Error('Redis cannot be reached')),
    giveUp(error) {
      if (socket) lose(socket, error)
    },
    close() {
      isClosed = true
      clearTimeout(retrying)
      if (socket) lose(socket, new Error('closed'))
    },
  }
}

const greetingMs = 1000
const shortestRetryMs = 250
const longestRetryMs = 30_000
const steadyMs = 10_000
