// Refuses requests on the bare socket, as soon as Node's parser has read their head. What Node does for any other answer
// (an object for the request, one for the response, headers, streams) costs twice as much as all the rest of a refusal.
// The parser goes on and drops whatever body follows, so the connection stays in step and is kept.
// Only plain requests are refused here, on connections with nothing else under way; all others take the usual way, and so
// does everything on a Node that has changed inside.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
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
  /** The whole response to a request that is refused; undefined lets it go on. */
  refuse(head: Head, socket: Socket): string | undefined
  /** The body of a refused request may be still to come. */
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
}

interface Guard {
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

export function refuseOnSocket(server: Server, { isHeld }: Turns, desk: Desk): void {
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
    socket.write(response, 'latin1')
    if (hasBody) desk.awaitBody(socket)
    // As after any other answer: proxies keep idle connections for a minute.
    if (socket.timeout !== server.keepAliveTimeout) socket.setTimeout(server.keepAliveTimeout)
    return true
  }
  const guard: Guard = { mayRefuse: desk.mayRefuse, refuse }
  server.on('connection', (socket: ServerSocket) => {
    const parser = parserOf(socket)
    const slot = parser?.constructor.kOnHeadersComplete
    const original = slot === undefined ? undefined : parser?.[slot]
    if (!parser || slot === undefined || !original) return
    socket[guardOf] = guard
    if (!original.isGuarded) parser[slot] = guarded(original)
  })
}

/** Asks the guard of the connection that the parser reads just now, if it has one, before Node makes a request of the head. */
function guarded(original: OnHead): OnHead {
  const onHead: OnHead = function (major, minor, headers, method, url, status, message, isUpgrade, isKept) {
    const guard = this.socket?.[guardOf]
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

/** Cuts off whoever was refused and does not send the rest of its body in time, or in twice the time. */
export function createBodyWatch(bodyMs = 5000): (socket: Socket) => void {
  const refusedAt = new Map<Socket, number>()
  const check = () => {
    const now = performance.now()
    for (const [socket, at] of refusedAt) {
      const duration = parserOf(socket)?.duration?.() ?? 0
      // A message that was begun later is none of those that were refused.
      const isComplete = duration === 0 || now - duration > at
      if (!isComplete && now - at > bodyMs) socket.destroy()
      if (isComplete || socket.destroyed) refusedAt.delete(socket)
    }
    if (refusedAt.size > 0) setTimeout(check, bodyMs).unref()
  }
  return (socket) => {
    if (refusedAt.size === 0) setTimeout(check, bodyMs).unref()
    refusedAt.set(socket, performance.now())
  }
}

/** By their numbers in Node's parser. What is not among them (HEAD, whose answer has no body) takes the usual way. */
const methods: Readonly<Record<number, string>> = { 0: 'DELETE', 1: 'GET', 3: 'POST', 4: 'PUT', 28: 'PATCH' }
