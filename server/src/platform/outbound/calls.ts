// Calls to addresses that a Portal chose, so that nobody reaches our own network through us. Each call goes this way:
// 1. the URL as written (public-addresses.ts); 2. its name is resolved once, and every answer must be public;
// 3. a socket is opened to one of those answers, as a literal, and must have ended there; 4. TLS, against the name;
// 5. the request, and the response up to its bound. A call has a connection of its own, new or kept from an earlier
// call to the same origin, and one deadline ends whatever it has open. Redirects are handed back: whoever follows one
// sends again and is checked again.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { createTurns } from '../turns.ts'
import {
  addressesOf,
  connectToOneOf,
  type Resolve,
  resolveLikeTheSystem,
  resolveThroughDns,
  startTls,
} from './connections.ts'
import { type Connection, isClosedConnection, keepConnections } from './kept-connections.ts'
import { codeOf, OutboundError } from './outbound-error.ts'
import { addressProblem, hostOf } from './public-addresses.ts'

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** For the whole call: waiting for a place, DNS, connection, TLS, headers and body. */
  timeout_ms: number
  maximum_response_bytes: number
  /** Ends the call early; it then fails with the signal's reason. */
  signal?: AbortSignal
}

interface OutboundResponse {
  status: number
  /** By lower-case name; repeated ones are joined with a comma. */
  headers: Record<string, string>
  body: Buffer
  is_truncated: boolean
  duration_ms: number
}

export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResponse>
  /** Takes no more calls and waits for those under way; their timeouts bound the wait. */
  close(): Promise<void>
}

export interface OutboundOptions {
  /** For development and tests: the own network may be called. */
  allowPrivate: boolean
  allowHttp?: boolean
  maximumConnections?: number
  resolve?: Resolve
  /**
   * How long a connection is kept for the next call to the same origin; 0 for one connection per call. Where they are
   * kept, a request is sent once more when its connection, used before, is closed under it: only for what may arrive twice.
   */
  keepAliveMs?: number
  /** A name may lead elsewhere by now: a connection older than this is not used again, and a new one is checked. */
  oldestConnectionMs?: number
  /** Whom to trust in place of the usual authorities, as PEM. */
  certificateAuthorities?: string
}

export function createOutbound({
  allowPrivate,
  allowHttp = allowPrivate,
  maximumConnections = 64,
  resolve = allowPrivate ? resolveLikeTheSystem : resolveThroughDns(),
  certificateAuthorities,
  keepAliveMs = 0,
  oldestConnectionMs = 60_000,
}: OutboundOptions): Outbound {
  const underWay = new Set<Promise<unknown>>()
  const turns = createTurns(maximumConnections)
  const connections = keepConnections({ idleMs: keepAliveMs, most: mostKeptConnections, oldestMs: oldestConnectionMs })
  let isClosed = false

  const openSocket = async (url: URL, signal: AbortSignal): Promise<Socket> => {
    const host = hostOf(url)
    const addresses = await addressesOf(host, { allowPrivate, resolve, signal })
    const socket = await connectToOneOf(addresses, { host, port: portOf(url), signal })
    return url.protocol === 'https:' ? await startTls(socket, host, certificateAuthorities) : socket
  }

  const call = async (wanted: OutboundRequest): Promise<OutboundResponse> => {
    const begun = performance.now()
    // A copy: what was checked must be what is called.
    const url = new URL(wanted.url)
    const host = hostOf(url)
    const problem = addressProblem(url, { allowPrivate, allowHttp })
    if (problem !== undefined) throw new OutboundError('address_not_allowed', problem)
    const headers = checkedHeaders(wanted.headers ?? {})

    wanted.signal?.throwIfAborted()
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(timedOut(host, wanted.timeout_ms)), wanted.timeout_ms)
    const endEarly = () => ending.abort(wanted.signal?.reason)
    wanted.signal?.addEventListener('abort', endEarly, { once: true })

    let interim = 0
    const onInfo = () => {
      if (++interim > mostInterimResponses) ending.abort(incomplete(host))
    }
    const make = () => connections.make(url.origin, () => openSocket(url, ending.signal))
    // What never becomes a body (a status line, the size of a chunk) has no bound of its own.
    let readBefore = 0
    const watch = setInterval(() => {
      const read = (connection?.socket?.bytesRead ?? 0) - readBefore
      if (read > wanted.maximum_response_bytes + mostOtherBytes) ending.abort(incomplete(host))
    }, watchMs)
    const ask = ({ client }: Connection) =>
      client.request({
        path: `${url.pathname}${url.search}`,
        method: wanted.method,
        headers,
        body: wanted.body ?? null,
        signal: ending.signal,
        onInfo,
      })
    let connection: Connection | undefined
    let leave: (() => void) | undefined
    try {
      leave = await turns.enter(ending.signal)
      connection = connections.take(url.origin) ?? make()
      readBefore = connection.socket?.bytesRead ?? 0
      const response = await ask(connection).catch((error) => {
        if (!connection?.hasServed || ending.signal.aborted || !isClosedConnection(error)) throw error
        // It was closed while this request was on its way: a new one shows whether anything is wrong.
        connection = make()
        readBefore = 0
        return ask(connection)
      })
      const read = await readUpTo(response.body, wanted.maximum_response_bytes)
      if (!read.is_truncated) connections.keep(connection)
      return {
        status: response.statusCode,
        headers: joinedHeaders(response.headers),
        ...read,
        duration_ms: Math.round(performance.now() - begun),
      }
    } catch (error) {
      // Whatever broke after the end was ordered broke because of it.
      if (ending.signal.aborted) throw ending.signal.reason
      if (error instanceof OutboundError) throw error
      throw incomplete(host, error)
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      wanted.signal?.removeEventListener('abort', endEarly)
      if (connection && !connections.isKept(connection)) await connections.end(connection)
      leave?.()
    }
  }

  return {
    async send(wanted) {
      if (isClosed) throw new OutboundError('connection_failed', 'The server is shutting down. Try again later.')
      const work = call(wanted)
      underWay.add(work)
      try {
        return await work
      } finally {
        underWay.delete(work)
      }
    },
    async close() {
      isClosed = true
      await Promise.allSettled(underWay)
      await connections.close()
    },
  }
}

/** Enough for every endpoint that is busy, and few enough for the system's table of open files. */
const mostKeptConnections = 512
/** Headers, chunks and TLS around a body. */
const mostOtherBytes = 1_000_000
const watchMs = 250
/** An endless row of them would never be a response. */
const mostInterimResponses = 20

async function readUpTo(
  body: AsyncIterable<Buffer>,
  maximum: number,
): Promise<{ body: Buffer; is_truncated: boolean }> {
  const chunks: Buffer[] = []
  let room = maximum
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, room))
    // Leaving the loop destroys the stream and with it the connection.
    if (chunk.length > room) return { body: Buffer.concat(chunks), is_truncated: true }
    room -= chunk.length
  }
  return { body: Buffer.concat(chunks), is_truncated: false }
}

/** A wrong header is a mistake of our own code, not of the address: hence no OutboundError. Values are not repeated. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (ownHeaders.has(name.toLowerCase())) throw new TypeError(`The header ${name} is set automatically. Remove it.`)
  }
  return { ...headers, 'accept-encoding': 'identity' }
}

/** `host` above all: it would decide which name the certificate is checked for. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function joinedHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

function portOf(url: URL): number {
  return url.port !== '' ? Number(url.port) : url.protocol === 'https:' ? 443 : 80
}

function incomplete(host: string, error?: unknown): OutboundError {
  return new OutboundError('response_broken', `${host} did not send a complete and valid response${codeOf(error)}.`)
}

function timedOut(host: string, timeoutMs: number): OutboundError {
  return new OutboundError('timed_out', `${host} did not send a complete response within ${timeoutMs} ms.`)
}
