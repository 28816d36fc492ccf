// A connection to one of the checked addresses of a name, and TLS against the name. Nothing is resolved twice.
import { lookup, Resolver } from 'node:dns/promises'
import { connect as connectSocket, isIP, isIPv4, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { codeOf, OutboundError } from './outbound-error.ts'
import { canonicalAddress, isPublicAddress } from './public-addresses.ts'

/** All addresses of a name. The signal ends the search. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

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
export const resolveLikeTheSystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map((answer) => answer.address)

/** One address that is not public refuses the whole name: such a name is a trap or a mistake. */
export async function addressesOf(
  host: string,
  { allowPrivate, resolve, signal }: { allowPrivate: boolean; resolve: Resolve; signal: AbortSignal },
): Promise<readonly string[]> {
  const addresses = isIP(host) !== 0 ? [host] : await orAborted(resolve(host, signal), signal).catch(() => [])
  signal.throwIfAborted()
  // Only literals: anything else would be resolved a second time, unchecked.
  if (addresses.length === 0 || addresses.some((address) => isIP(address) === 0))
    throw new OutboundError(
      'dns_failed',
      `The host name ${host} could not be resolved. Check its spelling and its DNS records.`,
    )
  if (!allowPrivate && !addresses.every(isPublicAddress))
    throw new OutboundError(
      'address_not_allowed',
      `${host} resolves to an address that is not on the public Internet. Use a public host.`,
    )
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

export async function connectToOneOf(addresses: readonly string[], { host, port, signal }: Target): Promise<Socket> {
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
  throw new OutboundError('connection_failed', `Could not connect to ${host} on port ${port}${codeOf(last)}.`)
}

function connectTo(address: string, { host, port, signal }: Target, attemptTimeoutMs?: number): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const socket = connectSocket({ host: address, port, signal, noDelay: true })
    const giveUp = () => socket.destroy(new Error('The connection attempt timed out.'))
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
      const message = `The connection to ${host} reached a different address than the one that was checked. Use a different host.`
      socket.destroy(new OutboundError('address_not_allowed', message))
    })
  })
}

export function startTls(socket: Socket, host: string, ca: string | undefined): Promise<TLSSocket> {
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
      const message = `The TLS connection to ${host} failed${codeOf(error)}. Its certificate must be valid for this host name.`
      reject(new OutboundError('tls_failed', message))
      socket.destroy()
    }
    secured.once('secureConnect', () => fulfil(secured))
    secured.on('error', fail)
    // Should the socket end without an error, nobody may be left waiting.
    secured.once('close', () => fail())
  })
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((fulfil, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(fulfil, reject)
  })
}

/** An address that swallows packets must not use up the whole timeout while others wait. */
const attemptMs = 2000
