// Addresses of the Internet Protocol and ranges of them. Pure. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is
// that IPv4 address: what listens on both protocols gets all of its peers in that form.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

export interface IpRange {
  address: IpAddress
  bits: number
}

/** An address in any usual notation; undefined for everything else. The zone of a link-local one does not count. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > longestAddress) return undefined
  const [plain = ''] = text.split('%', 1)
  return isIP(plain) === 0 ? undefined : ipaddr.process(plain)
}

/** `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`. Throws a sentence that says what is wrong. */
export function parseIpRange(text: string): IpRange {
  const [written = '', length, ...rest] = text.split('/')
  const address = isIP(written) === 0 || written.includes('%') ? undefined : ipaddr.parse(written)
  const most = address instanceof ipaddr.IPv4 ? 32 : 128
  const bits = length === undefined ? most : Number(length)
  if (!address || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)) || bits > most)
    throw new Error(`must be IP addresses or ranges such as 10.0.0.0/8, separated by commas, not "${text}"`)
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress()) return { address, bits }
  if (bits < mappedBits) throw new Error(`must not have a range of mapped IPv4 addresses beyond /96, as "${text}" is`)
  return { address: address.toIPv4Address(), bits: bits - mappedBits }
}

export function isInRange(address: IpAddress, { address: first, bits }: IpRange): boolean {
  if (address instanceof ipaddr.IPv4) return first instanceof ipaddr.IPv4 && address.match(first, bits)
  return first instanceof ipaddr.IPv6 && address.match(first, bits)
}

/** An IPv6 address with the longest IPv4 notation in it has 45 characters; a zone has a few more. */
const longestAddress = 64
const mappedBits = 96
