// E-mail and web addresses, international ones included: kept as they were given, checked by what they become in ASCII.
import { domainToASCII } from 'node:url'

/** RFC 5321 with the characters of RFC 6531: dots between atoms, no quoted local parts, a domain of two labels. */
export function isEmail(text: string): boolean {
  if (Buffer.byteLength(text) > 254) return false
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  if (local === '' || Buffer.byteLength(local) > 64) return false
  return local.split('.').every((atom) => atomForm.test(atom)) && isDomain(text.slice(at + 1))
}

/** An http or https URL without a user name, as people write it: its host and path may be in any script. */
export function isWebAddress(text: string): boolean {
  // Bounded: a URL parser needs time that grows with the square of some host names, and a body may have 1 MiB.
  if (text.length > longestWebAddress || !webAddressForm.test(text)) return false
  try {
    const { username, password, hostname } = new URL(text)
    return username === '' && password === '' && hostname !== ''
  } catch {
    return false // no URL at all
  }
}

/** The part of the rule for e-mail addresses that a pattern can say. */
export const emailPattern = '^[^\\s@]+@[^\\s@.]+([.][^\\s@.]+)+$'
/** The same for web addresses. */
export const webAddressPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+([/?#][^\\s\\\\]*)?$'

function isDomain(text: string): boolean {
  // Nothing that a URL parser would decode, or take for something else than a name.
  if (!domainForm.test(text)) return false
  const ascii = plainDomain.test(text) ? text : domainToASCII(text)
  const labels = ascii.split('.')
  return (
    ascii.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => labelForm.test(label)) &&
    !numberForm.test(labels.at(-1) ?? '')
  )
}

// Beyond ASCII every letter, digit, mark and symbol; nothing invisible.
const atomForm = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\p{L}\p{N}\p{M}\p{S}]+$/u
const domainForm = /^[A-Za-z0-9.\-\p{L}\p{N}\p{M}]+$/u
// What has no label to decode stays as it is.
const plainDomain = /^(?!.*xn--)[A-Za-z0-9.-]+$/i
// A last label that a URL parser would take for a part of an IPv4 address.
const numberForm = /^(\d+|0x[0-9a-f]*)$/i
const longestWebAddress = 2048
const labelForm = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const webAddressForm = /^https?:\/\/[^\s\p{Cc}\p{Cf}\p{Zs}\\<>"^`{|}]+$/iu
