// Calls to addresses that a Portal chose, so that nobody reaches our own network through us. Each call goes this way:
// 1. the URL as written (public-addresses.ts); 2. its name is resolved once, and every answer must be public;
// 3. a socket is opened to one of those answers, as a literal, and must have ended there; 4. TLS, against the name;
// 5. the request, and the response up to its bound. One call has one connection of its own, and one deadline ends
// whatever it has open. Redirects are handed back: whoever follows one sends again and is checked again.
import { lookup, Resolver } from 'node:dns/promises'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { connect as connectSocket, isIP, isIPv4, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Agent, type Dispatcher, request } from 'undici'
import { addressProblem, canonicalAddress, hostOf, isPublicAddress } from './public-addresses.ts'

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

export interface OutboundResponse {
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

/** The first four mean that the server has not seen the request; after the last two it may have acted on it. */
export type OutboundErrorCode =
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'response_broken'

/** The message is fit for the Portal: it tells no resolved address and nothing of the response. */
export class OutboundError extends Error {
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** All addresses of a name. The signal ends the search. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

export interface OutboundOptions {
  /** For development and tests: the own network may be called. */
  allowPrivate: boolean
  allowHttp?: boolean
  maximumConnections?: number
  resolve?: Resolve
  /** Whom to trust in place of the usual authorities, as PEM. */
  certificateAuthorities?: string
}

export function createOutbound({
  allowPrivate,
  allowHttp = allowPrivate,
  maximumConnections = 64,
  resolve = allowPrivate ? resolveLikeTheSystem : resolveThroughDns(),
  certificateAuthorities,
}: OutboundOptions): Outbound {
  const underWay = new Set<Promise<unknown>>()
  const places = createPlaces(maximumConnections)
  let isClosed = false

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

    const openSocket = async (): Promise<Socket> => {
      const addresses = await addressesOf(host, { allowPrivate, resolve, signal: ending.signal })
      const socket = await connectToOneOf(addresses, { host, port: portOf(url), signal: ending.signal })
      return url.protocol === 'https:' ? await startTls(socket, host, certificateAuthorities) : socket
    }
    const agent = new Agent({
      connect: (_, done) => {
        openSocket().then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
      connections: 1,
      pipelining: 0,
      // The deadline is the only timer.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    let leave: (() => void) | undefined
    try {
      leave = await places.enter(ending.signal)
      const response = await request(url, {
        dispatcher: agent,
        method: wanted.method,
        headers,
        body: wanted.body ?? null,
        signal: ending.signal,
      })
      const read = await readUpTo(response.body, wanted.maximum_response_bytes)
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
      throw new OutboundError('response_broken', `${host} did not send a complete, correct response${codeOf(error)}.`)
    } finally {
      clearTimeout(timer)
      wanted.signal?.removeEventListener('abort', endEarly)
      await agent.destroy()
      leave?.()
    }
  }

  return {
    async send(wanted) {
      if (isClosed) throw new OutboundError('connection_failed', 'The server is shutting down; call again later.')
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
    },
  }
}

/** Asks the name servers directly: unlike the system's lookup this can be cancelled and holds no thread. */
export function resolveThroughDns(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      // A name of one family alone is usual; with neither, the caller is told.
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** With the hosts file, for development: `localhost` and the names of containers. */
const resolveLikeTheSystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map((answer) => answer.address)

/** One address that is not public refuses the whole name: such a name is a trap or a mistake. */
async function addressesOf(
  host: string,
  { allowPrivate, resolve, signal }: { allowPrivate: boolean; resolve: Resolve; signal: AbortSignal },
): Promise<readonly string[]> {
  const addresses = isIP(host) !== 0 ? [host] : await orAborted(resolve(host, signal), signal).catch(() => [])
  signal.throwIfAborted()
  // Only literals: anything else would be resolved a second time, unchecked.
  if (addresses.length === 0 || addresses.some((address) => isIP(address) === 0))
    throw new OutboundError('dns_failed', `The name ${host} could not be resolved; check its spelling and its DNS.`)
  if (!allowPrivate && !addresses.every(isPublicAddress))
    throw new OutboundError('address_not_allowed', `${host} leads to an address that is not on the public Internet.`)
  return attemptsFor(addresses)
}

/** Two of each family in turn, so that a network without one of them still gets through. */
function attemptsFor(addresses: readonly string[]): string[] {
  const four = addresses.filter((address) => isIPv4(address))
  const six = addresses.filter((address) => !isIPv4(address))
  return [four[0], six[0], four[1], six[1]].filter((address) => address !== undefined)
}

interface Target {
  host: string
  port: number
  signal: AbortSignal
}

async function connectToOneOf(addresses: readonly string[], { host, port, signal }: Target): Promise<Socket> {
  let last: unknown
  for (const [index, address] of addresses.entries()) {
    try {
      const isLast = index === addresses.length - 1
      return await connectTo(address, { host, port, signal }, isLast ? undefined : attemptMs)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutboundError) throw error
      last = error
    }
  }
  throw new OutboundError('connection_failed', `No connection to ${host} on port ${port}${codeOf(last)}.`)
}

function connectTo(address: string, { host, port, signal }: Target, attemptTimeoutMs?: number): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const socket = connectSocket({ host: address, port, signal, noDelay: true })
    const giveUp = () => socket.destroy(new Error('The attempt took too long.'))
    const timer = attemptTimeoutMs === undefined ? undefined : setTimeout(giveUp, attemptTimeoutMs)
    // Stays on for the life of the socket: an error between two owners must not end the process.
    socket.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      const reached = socket.remoteAddress
      if (reached !== undefined && canonicalAddress(reached) === canonicalAddress(address)) return fulfil(socket)
      const message = `The connection to ${host} did not end at the address that was checked; use another address.`
      socket.destroy(new OutboundError('address_not_allowed', message))
    })
  })
}

function startTls(socket: Socket, host: string, ca: string | undefined): Promise<TLSSocket> {
  return new Promise((fulfil, reject) => {
    const secured = connectTls({
      socket,
      // The name that the certificate must carry; addresses have no place in the greeting.
      host,
      servername: isIP(host) === 0 ? host : '',
      ca,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    })
    const fail = (error?: Error) => {
      const message = `TLS with ${host} failed${codeOf(error)}; its certificate must be valid for this name.`
      reject(new OutboundError('tls_failed', message))
      socket.destroy()
    }
    secured.once('secureConnect', () => fulfil(secured))
    secured.on('error', fail)
    // Should the socket end without an error, nobody may be left waiting.
    secured.once('close', () => fail())
  })
}

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
    if (ownHeaders.has(name.toLowerCase()))
      throw new TypeError(`The header ${name} is set by the connection itself; leave it out.`)
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

/** At most `maximum` at once; the others wait their turn, no longer than their signal lets them. */
function createPlaces(maximum: number) {
  const waiting = new Set<() => void>()
  let taken = 0
  const leave = () => {
    taken -= 1
    const [next] = waiting
    next?.()
  }
  return {
    enter(signal: AbortSignal): Promise<() => void> {
      return new Promise((fulfil, reject) => {
        const takeTurn = () => {
          waiting.delete(takeTurn)
          signal.removeEventListener('abort', giveUp)
          taken += 1
          fulfil(leave)
        }
        const giveUp = () => {
          waiting.delete(takeTurn)
          reject(signal.reason)
        }
        if (taken < maximum) return takeTurn()
        waiting.add(takeTurn)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((fulfil, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(fulfil, reject)
  })
}

function portOf(url: URL): number {
  return url.port !== '' ? Number(url.port) : url.protocol === 'https:' ? 443 : 80
}

function timedOut(host: string, timeoutMs: number): OutboundError {
  return new OutboundError('timed_out', `${host} did not answer completely within ${timeoutMs} ms.`)
}

/** Only the code of a foreign error is told: its message may quote what the server sent. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? ` (${code})` : ''
}

/** An address that swallows packets must not use up the whole timeout while others wait. */
const attemptMs = 2000
