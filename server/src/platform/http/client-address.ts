// Whose request it is, by address. Anybody can write anything into X-Forwarded-For, so it is read from the right, from
// the address that the nearest proxy has added, and only as long as every address so far is that of a trusted proxy.
// `Forwarded` (RFC 7239) is not read: a proxy that does not know it passes on whatever a client wrote there.
import type { IncomingMessage } from 'node:http'
import { type IpRange, isInRange, parseIpAddress } from '../values/ip-addresses.ts'

interface Hop {
  address: string
  isTrusted: boolean
}

/** The address that logs show, and by which anything that goes by addresses must go. */
export function createClientAddresses(trusted: readonly IpRange[]): (request: IncomingMessage) => string {
  const known = new Map<string, Hop>()
  const hopOf = (text: string): Hop | undefined => {
    const seen = known.get(text)
    if (seen) return seen
    const address = parseIpAddress(withoutPort(text.trim()))
    if (!address) return undefined
    if (known.size >= mostKnown) known.clear()
    const hop = { address: address.toString(), isTrusted: trusted.some((range) => isInRange(address, range)) }
    known.set(text, hop)
    return hop
  }
  return ({ socket, headers }) => {
    let hop = hopOf(socket.remoteAddress ?? '') ?? nobody
    if (!hop.isTrusted) return hop.address
    // Node joins repeated ones with commas.
    const header = String(headers['x-forwarded-for'] ?? '')
    let end = header.length
    for (let hops = 0; hop.isTrusted && end > 0 && hops < mostHops; hops++) {
      const start = header.lastIndexOf(',', end - 1) + 1
      const next = end - start > longestEntry ? undefined : hopOf(header.slice(start, end))
      // Whatever stands further to the left is no proxy's word any more.
      if (!next) break
      hop = next
      end = start - 1
    }
    return hop.address
  }
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
}

/** A connection that was gone before anybody asked for its address. */
const nobody: Hop = { address: '', isTrusted: false }
const mostKnown = 4096
const mostHops = 32
const longestEntry = 80
