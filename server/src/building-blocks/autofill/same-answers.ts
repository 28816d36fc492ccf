// Whether two answers say the same: documents and records spell names, numbers and addresses differently.
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { isFullerName, isSameName, withBothNames } from './documents/readings/company-names.ts'

export function isSameAnswer(fact: string | undefined, a: unknown, b: unknown): boolean {
  if (canonicalJson(a) === canonicalJson(b)) return true
  if (typeof a === 'string' && typeof b === 'string') {
    if (fact === 'business.legal_name') {
      // `Ann Lee dba Lee Bakery` in the record
      const [one, other] = [a, b].map((name) => withBothNames({ legal_name: name, trading_name: null, country: null }))
      return isSameLegalName(one?.legal_name ?? a, other?.legal_name ?? b)
    }
    if (fact === 'business.trading_name') return isSameName(a, b)
    if (fact === 'business.tax_id' || fact === 'business.registration_number') return isSameNumber(a, b)
    if (fact === 'business.website') return bareLink(a) === bareLink(b)
    return fact === 'business.email' && a.toLowerCase() === b.toLowerCase()
  }
  return isAddress(a) && isAddress(b) && isSameAddress(a, b)
}

function isSameLegalName(a: string, b: string): boolean {
  return isSameName(a, b) || isFullerName(a, b) || isFullerName(b, a)
}

/** `GB 123 4567 89` and `123456789`: the country may stand before it, and zeros may be left out. */
export function isSameNumber(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) =>
    text
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, '')
      .replace(/^(?:HR[AB]|[A-Z]{2})(?=\d)/, '')
      .replace(/^0+/, ''),
  )
  return one === other
}

interface Address {
  line1: string
  postal_code?: string
}

function isAddress(value: unknown): value is Address {
  return typeof value === 'object' && value !== null && 'line1' in value && typeof value.line1 === 'string'
}

/** The same number of a house under the same postal code. */
export function isSameAddress(a: Address, b: Address): boolean {
  const [codeA, codeB] = [a, b].map(({ postal_code }) => postal_code?.replace(/\s/g, '').toUpperCase())
  const [houseA, houseB] = [a, b].map(({ line1 }) => /\d+/.exec(line1)?.[0])
  return codeA !== undefined && codeA === codeB && houseA === houseB
}

function bareLink(text: string): string {
  return text
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?|^www\./, '')
    .replace(/\/$/, '')
}
