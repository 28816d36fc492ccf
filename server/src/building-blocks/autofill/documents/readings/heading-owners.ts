// Whose details a heading announces: those of the client, of another party, or nobody says.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import {
  clientSections,
  courts,
  currentWords,
  formerHeadings,
  namelessKinds,
  parties as partyWords,
} from '../words/vocabulary.ts'

import { withoutLineNumber } from './labels.ts'

export type PlaceOwner = 'client' | 'other' | 'unknown'

export function isHeadingText({ text }: Cell): boolean {
  return wordsOf(text).length <= 9 && !/\d{3}|@/.test(text)
}

/** Of whom what stands below a heading tells. */
export function ownerOfHeading({ text }: Cell): PlaceOwner {
  const words = wordsOf(text.slice(0, 200))
  if (clientSections.at(words, 0)) return 'client'
  // `Grupo NIIF: II`: how somebody keeps the books.
  const isKind = isNamelessKind(text)
  // `Prepared by: …`, however long it is.
  if (partyWords.others.at(words, 0) && /^[^:]{2,40}:/.test(text)) return isKind ? 'unknown' : 'other'
  if (words.length > 12) return 'unknown'
  const isHeading = isHeadingText({ text, left: 0, right: 0 }) || text.trim().endsWith(':')
  if (!isHeading) return 'unknown'
  // `Address details – previous`
  // and `Previous name of company` asks for a name.
  const isCaption = words.length > 2 && words.some((word) => word === 'name' || word === 'names')
  if (isOfBefore(words) && !isCurrent(words) && !isCaption) return 'other'
  const other = isCount(text) || isKind ? undefined : partyWords.others.in(words)
  // `Banque-Carrefour des Entreprises` keeps a register, and is no bank.
  if (other && (courts.at(words, other.begin)?.length ?? 0) > other.length) return 'unknown'
  // `Ann Lee, director` signs, and says nothing of what stands below.
  if (other && other.begin > 0 && /^[^,]{3,40},\s*[\p{L} ]+$/u.test(text)) return 'unknown'
  if (other) return isClientFirst(text, other) ? 'client' : 'other'
  return partyWords.client.in(words) && words.length <= 6 ? 'client' : 'unknown'
}

/** `10 Zahl der gesetzlichen Vertreter` tells how many there are. */
function isCount(text: string): boolean {
  return /^\s*(?:\d{1,3}[a-z]?[.)]?\s+)?(?:(?:an)?zahl der|number of(?! the))\s/i.test(text)
}

/** `3 Personal service corp.`, `Grupo NIIF: II`: nothing else stands before it. */
export function isNamelessKind(text: string): boolean {
  return namelessKinds.at(wordsOf(withoutLineNumber(text)), 0) !== undefined
}

/** `Previous name`, `Denominación anterior` */
export function isOfBefore(words: readonly string[]): boolean {
  return [words[0], words.at(-1)].some((word) => formerHeadings.has(word ?? ''))
}

/** `Current and historical details` */
function isCurrent(words: readonly string[]): boolean {
  return words.some((word) => currentWords.has(word))
}

/** Whether words for the client come first, or hold those for the other one: `Account owner`. */
export function isClientFirst(text: string, other: { begin: number; length: number }): boolean {
  const client = partyWords.client.in(wordsOf(text.slice(0, 200)))
  const holds = client !== undefined && client.begin + client.length >= other.begin + other.length
  return client !== undefined && (client.begin < other.begin || (client.begin === other.begin && holds))
}
