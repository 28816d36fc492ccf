// Refuses requests on the bare socket, as soon as Node's parser has read their head. What Node does for any other answer
// (an object for the request, one for the response, headers, streams) costs twice as much as all the rest of a refusal.
// The parser goes on and drops whatever body follows, so the connection stays in step and is kept.
// A refusal is quickly made, and whoever sends again at once would get nothing but refusals, as many as a processor can
// write. So who comes back on the same connection before the time that it was told waits a little for the next one.
// Only plain requests are refused here, on connections with nothing else under way; all others take the usual way, and so
// does everything on a Node that has changed inside.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Turns } from './pipelining.ts'
import { bodyLimitBytes } from './request-line.ts'

/** The head of a plain request, as far as it matters here. */
interface Head {
  method: string
  url: string
  authorization: string | undefined
  accept: string | undefined
}

interface Desk {
  /** Asked first, and for every request. */
  mayRefuse(): boolean
  /** Writes the whole response to a request that is refused, when it is sent; undefined lets the request go on. */
  refuse(head: Head, socket: Socket): (() => string) | undefined
  /** How long whoever was refused has to wait for the next refusal. */
  delayMs?: number
  /** How long a refused connection may wait for the rest of its body. */
  bodyMs?: number
}

export interface SocketRefusals {
  /** Sends the refusal that this connection waits for, if there is one. */
  settle(socket: Duplex): void
  settleAll(): void
  /** Whether the message that is being read on this connection has been refused. */
  isRefused(socket: Duplex): boolean
  /** Cuts the connection off if the rest of its refused message does not come in time. */
  awaitBody(socket: Socket): void
}

/** Node's parser of one connection. It is used again for others, of clients as well. */
interface Parser {
  socket: ServerSocket | null
  incoming: object | null
  /** How long the message has been under way that is being read, in milliseconds; 0 between messages. */
  duration?(): number
  constructor: { kOnHeadersComplete?: number }
  [slot: number]: OnHead | undefined
}

interface ServerSocket extends Socket {
  /** The response under way. */
  _httpMessage?: object | null
  [guardOf]?: Guard
  /** When it was refused last. */
  [refusedAt]?: number
  /** The refusal that it waits for, and among which it is sent. */
  [heldBack]?: (() => string) | undefined
  [batchOf]?: Batch | undefined
}

/** Connections that wait for their refusals since nearly the same time. */
interface Batch {
  since: number
  sockets: ServerSocket[]
}

interface Guard {
  settle(socket: ServerSocket): void
  mayRefuse(): boolean
  refuse(socket: ServerSocket, method: string, url: string, headers: readonly string[]): boolean
}

interface OnHead {
  isGuarded?: boolean
  (
    this: Parser,
    major: number,
    minor: number,
    headers: string[] | undefined,
    method: number | undefined,
    url: string | undefined,
    status: number | undefined,
    message: string | undefined,
    isUpgrade: boolean,
    isKept: boolean,
  ): unknown
}

const guardOf = Symbol('guard')
const refusedAt = Symbol('refused at')
const heldBack = Symbol('held back')
const batchOf = Symbol('batch')

export function refuseOnSocket(server: Server, { isHeld }: Turns, desk: Desk): SocketRefusals {
  const delayed = createDelayed(desk.delayMs ?? 200)
  const bodies = createBodyWatch(desk.bodyMs ?? 5000)
  const refuse = (socket: ServerSocket, method: string, url: string, headers: readonly string[]): boolean => {
    // Behind an answer that has not left, the usual way keeps the order, and a client that does not read is not read from.
    if (socket._httpMessage || !socket.writable || socket.writableLength > 0 || isHeld(socket)) return false
    const head: Head = { method, url, authorization: undefined, accept: undefined }
    let hasBody = false
    for (let i = 0; i < headers.length; i += 2) {
      const value = headers[i + 1] ?? ''
      switch (headers[i]?.toLowerCase()) {
        case 'authorization':
          head.authorization ??= value
          break
        case 'accept':
          head.accept = head.accept === undefined ? value : `${head.accept}, ${value}`
          break
        case 'content-length':
          if (Number(value) > bodyLimitBytes) return false
          hasBody = value !== '0'
          break
        case 'transfer-encoding':
        case 'expect':
          return false
      }
    }
    const response = desk.refuse(head, socket)
    if (response === undefined) return false
    const now = performance.now()
    if (now - (socket[refusedAt] ?? -Infinity) < shortestRetryAfterMs) delayed.add(socket, response, now)
    else socket.write(response(), 'latin1')
    socket[refusedAt] = now
    if (hasBody) bodies.watch(socket)
    // As after any other answer: proxies keep idle connections for a minute.
    if (socket.timeout !== server.keepAliveTimeout) socket.setTimeout(server.keepAliveTimeout)
    return true
  }
  function settleOnEnd(this: Socket): void {
    delayed.settle(this)
  }
  const guard: Guard = { settle: delayed.settle, mayRefuse: desk.mayRefuse, refuse }
  server.on('connection', (socket: ServerSocket) => {
    const parser = parserOf(socket)
    const slot = parser?.constructor.kOnHeadersComplete
    const original = slot === undefined ? undefined : parser?.[slot]
    if (!parser || slot === undefined || !original) return
    socket[guardOf] = guard
    // Node ends its side as soon as the client has ended its own.
    socket.prependListener('end', settleOnEnd)
    if (!original.isGuarded) parser[slot] = guarded(original)
  })
  return {
    settle: delayed.settle,
    settleAll: delayed.settleAll,
    isRefused: bodies.isWatched,
    awaitBody(socket: ServerSocket) {
      socket[refusedAt] = performance.now()
      bodies.watch(socket)
    },
  }
}

/** Asks the guard of the connection that the parser reads just now, if it has one, before Node makes a request of the head. */
function guarded(original: OnHead): OnHead {
  const onHead: OnHead = function (major, minor, headers, method, url, status, message, isUpgrade, isKept) {
    const guard = this.socket?.[guardOf]
    if (guard && this.socket) guard.settle(this.socket)
    // An older client keeps a connection only if the answer says that it is kept.
    const isPlain = isKept && !isUpgrade && major === 1 && minor >= 1
    if (guard?.mayRefuse() && headers && url !== undefined && isPlain && this.incoming === null) {
      const name = methods[method ?? -1]
      if (name && this.socket && guard.refuse(this.socket, name, url, headers)) return 0
    }
    return original.call(this, major, minor, headers, method, url, status, message, isUpgrade, isKept)
  }
  onHead.isGuarded = true
  return onHead
}

function parserOf(socket: Socket): Parser | undefined {
  // safe because Node keeps the parser of a connection there, and an absent one stays undefined
  return (socket as Socket & { parser?: Parser | null }).parser ?? undefined
}

/**
 * Refusals that are sent after a while, one for each connection. Their text is made when they are sent: what lives as
 * long as a delay is moved about by the collector, and in a flood that was much of what a refusal cost.
 */
function createDelayed(delayMs: number) {
  const batches: Batch[] = []
  let isLooking = false
  const look = () => {
    if (!isLooking) setTimeout(sendDue, lookEveryMs)
    isLooking = true
  }
  const settle = (socket: ServerSocket) => {
    const response = socket[heldBack]
    if (!response) return
    socket[heldBack] = undefined
    socket[batchOf] = undefined
    if (socket.writable) socket.write(response(), 'latin1')
  }
  const send = (batch: Batch) => {
    // Whoever has had its refusal since may wait for another one.
    for (const socket of batch.sockets) if (socket[batchOf] === batch) settle(socket)
  }
  const sendDue = () => {
    const latest = performance.now() - delayMs
    for (let first = batches[0]; first && first.since <= latest; first = batches[0]) {
      batches.shift()
      send(first)
    }
    isLooking = false
    if (batches.length > 0) look()
  }
  return {
    add(socket: ServerSocket, response: () => string, now: number): void {
      let batch = batches.at(-1)
      if (!batch || now - batch.since >= lookEveryMs) {
        batch = { since: now, sockets: [] }
        batches.push(batch)
      }
      batch.sockets.push(socket)
      socket[heldBack] = response
      socket[batchOf] = batch
      look()
    },
    // safe because nothing is held back on anything but the sockets of a server
    settle: (socket: Duplex) => settle(socket as ServerSocket),
    settleAll(): void {
      for (const batch of batches.splice(0)) send(batch)
    },
  }
}

/** Cuts off whoever was refused and does not send the rest of its body in time, or in twice the time. */
function createBodyWatch(bodyMs: number) {
  const refused = new Set<ServerSocket>()
  // A message that was begun later is none of those that were refused. It may have been so a microsecond later, so the time
  // is asked for before and after: where the process stood still in between and both are possible, once more.
  const isComplete = (socket: ServerSocket) => {
    const refusal = socket[refusedAt] ?? 0
    for (let attempt = 0; attempt < 100; attempt++) {
      const before = performance.now()
      const duration = parserOf(socket)?.duration?.() ?? 0
      if (duration === 0 || before - duration > refusal) return true
      if (performance.now() - duration <= refusal) return false
    }
    return false
  }
  const check = () => {
    const latest = performance.now() - bodyMs
    for (const socket of refused) {
      const isOver = isComplete(socket)
      if (!isOver && (socket[refusedAt] ?? 0) < latest) socket.destroy()
      if (isOver || socket.destroyed) refused.delete(socket)
    }
    if (refused.size > 0) setTimeout(check, bodyMs).unref()
  }
  return {
    watch(socket: ServerSocket): void {
      if (refused.size === 0) setTimeout(check, bodyMs).unref()
      refused.add(socket)
    },
    isWatched(socket: Duplex): boolean {
      // safe because only sockets of the server are among them
      return refused.has(socket as ServerSocket) && !isComplete(socket as ServerSocket)
    },
  }
}

/** Nobody is told to come back earlier (refusals.ts). */
const shortestRetryAfterMs = 1000
const lookEveryMs = 10
/** By their numbers in Node's parser. What is not among them (HEAD, whose answer has no body) takes the usual way. */
const methods: Readonly<Record<number, string>> = { 0: 'DELETE', 1: 'GET', 3: 'POST', 4: 'PUT', 28: 'PATCH' }
