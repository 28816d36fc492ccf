// Which addresses may be called when a Portal, not the operator, chose them. Pure.
// The rule names what is allowed: ordinary unicast of the public Internet. All else is refused, known or not.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether an IP address, in any notation, belongs to the public Internet. What is no IP address does not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // `::192.0.2.1` is the old compatible form; the parser would take it for the mapped one.
  if (/^::[^:]+\./.test(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv4 ? isPublicIpv4(parsed) : isPublicIpv6(parsed)
}

interface AddressRules {
  /** For development and tests: addresses and names of the own network are fine. */
  allowPrivate: boolean
  allowHttp: boolean
}

/** What is wrong with a URL as it is written, as a sentence. What its name leads to is checked when it is called. */
export function addressProblem(url: URL, { allowPrivate, allowHttp }: AddressRules): string | undefined {
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    return allowHttp ? 'The URL must start with https:// or http://.' : 'The URL must start with https://.'
  if (url.username !== '' || url.password !== '')
    return 'The URL must not contain a user name or password. Remove them.'
  // An empty fragment is seen only in the whole text.
  if (url.href.includes('#')) return 'The URL must not have a fragment. Remove the # and everything after it.'
  if (url.port !== '' && isPortOfAnotherProtocol(Number(url.port)))
    return `The URL must not use port ${url.port}, which belongs to a different protocol. Use 443 or another web server port.`
  if (hostOf(url).length > longestHost)
    return `The host must have at most ${longestHost} characters. Letters other than a–z count in their punycode form.`
  return allowPrivate ? undefined : hostProblem(hostOf(url))
}

/** No longer name can be looked up. */
const longestHost = 253

/** The host to look up or connect to: without the brackets of IPv6 and the dot that ends a full name, or several. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

/** One text for one address, so that two can be compared: `::ffff:192.0.2.1` and `192.0.2.1` are the same. */
export function canonicalAddress(address: string): string | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address).toNormalizedString() : undefined
}

function hostProblem(host: string): string | undefined {
  if (isIP(host) !== 0)
    return isPublicAddress(host) ? undefined : 'The address must be on the public Internet. Use a public host name.'
  if (!host.includes('.')) return 'The host must be a fully qualified public name, such as api.example.com.'
  if (privateEndings.some((ending) => host.endsWith(ending)))
    return 'The host must not be a name of a private network. Use a public host name.'
  return undefined
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !platformAddresses.has(address.toString())
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  // A zone names an interface of this machine.
  if (address.zoneId !== undefined) return false
  const holdsIpv4 = ipv4Prefixes.some((prefix) => address.match(prefix, 96))
  if (holdsIpv4) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  // 6to4, Teredo, local NAT64 and the like lead through tunnels to an IPv4 address: never public, whatever it is.
  return address.match(globalUnicast, 3) && address.range() === 'unicast'
}

function isPortOfAnotherProtocol(port: number): boolean {
  return port === 0 || foreignPorts.has(port)
}

/** IPv4-mapped and the well-known NAT64: the only forms in which a public IPv4 address is met in practice. */
const ipv4Prefixes = [ipaddr.IPv6.parse('::ffff:0:0'), ipaddr.IPv6.parse('64:ff9b::')]
const globalUnicast = ipaddr.IPv6.parse('2000::')

/** In public ranges, and yet answered by the machine's own platform: Azure's metadata and wire server. */
const platformAddresses = new Set(['168.63.129.16'])

const privateEndings = ['.localhost', '.internal', '.local', '.localdomain', '.home.arpa']

/** Mail, shells, files, names, directories, databases, caches, queues, chat: a request there is read as commands. */
const foreignPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526,
  530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989, 990, 993, 995, 1080, 1433, 1521, 1719, 1720, 1723,
  1883, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4222, 4369, 5060, 5061, 5432, 5433, 5671, 5672,
  5900, 6000, 6379, 6380, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 8883, 9042, 9092, 10080, 10250, 11211, 25672, 26379,
  27017, 27018, 27019,
])
