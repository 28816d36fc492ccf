// What Autofill makes of a document that is plain text.
import { findFacts } from '../../src/building-blocks/autofill/documents/facts/find-facts.ts'
import { readPlainText } from '../../src/building-blocks/autofill/documents/formats/plain-text.ts'

/** `Legal name` of the business that the texts are about, as their first line. */
export const ownName = 'Legal name: Harbor Lane Bakery LLC\n'

export function factsIn(text: string, country = 'US', legal_name = 'Harbor Lane Bakery') {
  return findFacts(readPlainText(Buffer.from(text)), { legal_name, trading_name: null, country }, '2026-11-16').facts
}

/** Everything that is filled but the name, each with its value. */
export function filledIn(text: string, country?: string, legal_name?: string): string[][] {
  return factsIn(text, country, legal_name).flatMap(({ fact, text: value, confidence }) =>
    confidence >= 0.85 && fact !== 'business.legal_name' ? [[fact.slice(fact.indexOf('.') + 1), value]] : [],
  )
}

/** A text about the business, and what is filled from it but its name. */
export interface FilledCase {
  text: string
  country?: string
  name?: string
  filled: string[][]
}

/** What is filled of an owner. */
export const ownerFilled = (first: string, last: string, share: string) => [
  ['first_name', first],
  ['last_name', last],
  ['ownership_percent', share],
]
