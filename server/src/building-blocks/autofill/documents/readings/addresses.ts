// An address that begins behind, beside or below its label, joined into one line.
import { isLabel } from './labels.ts'
import type { Pair } from './pairs.ts'
import { overlap, type ReadDocument } from './places.ts'

const mostParts = 6

export function addressAt(document: ReadDocument, pair: Pair, pairs: readonly Pair[]): string | undefined {
  const { pages } = document
  const [first] = pair.values
  if (!first) return undefined
  const parts = [trimmed(first.text)]
  const lines = pages[pair.page]?.lines ?? []
  for (const { cells } of lines.slice(pair.value_line.number, pair.value_line.number + mostParts)) {
    const last = parts.at(-1) ?? ''
    const part = cells.find((cell) => overlap(cell, first) > 0 || Math.abs(cell.left - first.left) <= 6)?.text
    if (part === undefined || parts.length >= mostParts) break
    const isCountry = countries.has(part.toLowerCase().replaceAll('.', ''))
    if (hasPostcode(last) && !isCountry) break
    const rest = trimmed(part)
    if (rest === '' || part.includes(':') || isLabel(part) || part.length > 80 || /[$£€@%]/.test(part)) break
    parts.push(rest)
    if (isCountry) break
  }
  const address =
    parts.length === 1 && !hasPostcode(parts[0] ?? '')
      ? (addressOfParts(pair, pairs) ?? parts.join(', '))
      : parts.join(', ')
  // A street has a number, a place a postcode: without a digit it is a name.
  return /\d/.test(address) && /\p{L}{3}/u.test(address) && address.length <= 300 ? address : undefined
}

/** A form asks for the street and for the town, each under its own label. */
export function addressOfParts(street: Pair, pairs: readonly Pair[]): string | undefined {
  const town = pairs.find(
    ({ labels, page, index }) =>
      page === street.page &&
      index >= street.index &&
      index <= street.index + 8 &&
      labels.some(({ fact }) => fact === 'address.city'),
  )
  const [first, last] = [street.values[0]?.text, town?.values[0]?.text]
  if (first === undefined || last === undefined || !/\d/.test(first) || hasPostcode(first)) return undefined
  return [trimmed(first), trimmed(last)].filter((part) => part !== '').join(', ')
}

/** The last line of most addresses: a postcode at its end, or at its beginning where towns follow it. */
function hasPostcode(line: string): boolean {
  const end = line.slice(-12)
  return (
    /\d{5}(-\d{4})?$/.test(end) ||
    /[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(end) ||
    /[A-Z]\d[A-Z] ?\d[A-Z]\d$/.test(end) ||
    /(^|, |[A-Z]-)\d{4,5} \p{Lu}[\p{L} .'’()/-]+$/u.test(line)
  )
}

function trimmed(part: string): string {
  return part.replace(/[\s,;]+$/, '')
}

const countries = new Set(
  'united kingdom,uk,england,scotland,wales,northern ireland,ireland,united states,united states of america,usa,us,canada,australia,deutschland,germany,österreich,austria,schweiz,switzerland,france,españa,spain,espagne,allemagne'.split(
    ',',
  ),
)
