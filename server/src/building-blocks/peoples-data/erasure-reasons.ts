// The record of an erasure stays, with its reason, so that nothing of the business may stand in it.
import type { Context } from '../../platform/context.ts'
import { AdministrationError } from '../portals/commands.ts'
import type { findBusinessToErase } from './queries.ts'

type Business = NonNullable<Awaited<ReturnType<typeof findBusinessToErase>>>

export function requireAnonymous({ vault }: Pick<Context, 'vault'>, reason: string | null, business: Business): void {
  if (reason === null) return
  if (!/^[\p{L}\p{N} .,:;#/()_-]{1,100}$/u.test(reason))
    throw new AdministrationError(
      'The reason must have 1 to 100 characters: letters, digits, spaces and . , : ; # / ( ) _ -. Use a ticket number.',
    )
  const { id, portal_id, tax_id_sealed } = business
  const tax_id = tax_id_sealed === null ? null : vault.open('tax_id', tax_id_sealed, `${portal_id} ${id}`)
  const { legal_name, trading_name, email, phone, website, registration_number, owners, addresses } = business
  const site = website?.replace(/^https?:\/\/(www\.)?|\.\w+\/?$/g, '')
  const names = [legal_name, trading_name, email, phone, site, registration_number, tax_id]
  const known = [...names, ...textsIn(owners), ...textsIn(addresses)].flatMap((text) => text ?? [])
  const found = repeated(reason, known)
  if (found !== undefined)
    throw new AdministrationError(
      `The reason must not contain data of the business, but contains "${found}". The reason is kept after the erasure: use a ticket number.`,
    )
}

/** What a reason has of known texts: a word, or all of one however it is written, as a number with other dashes. */
function repeated(reason: string, known: readonly string[]): string | undefined {
  const words = new Set(known.flatMap(wordsIn))
  const whole = plain(reason)
  return (
    wordsIn(reason).find((word) => words.has(word)) ??
    known.map(plain).find((text) => text.length >= shortestNumber && whole.includes(text)) ??
    partsOf(digitsIn(reason)).find((part) => known.some((text) => digitsIn(text).includes(part)))
  )
}

/** Codes such as those of countries, and the kinds of addresses, say nothing. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 2 ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => (name === 'kind' ? [] : textsIn(member)))
}

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const digitsIn = (text: string) => text.replace(/[^\p{N}]/gu, '')
/** A ticket may share a few digits with a phone number, but not that many. */
const partsOf = (digits: string) =>
  Array.from({ length: Math.max(0, digits.length - shortestNumber + 1) }, (_, at) =>
    digits.slice(at, at + shortestNumber),
  )
const shortestNumber = 6
