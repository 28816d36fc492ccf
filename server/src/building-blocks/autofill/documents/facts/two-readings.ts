// A tagged PDF is read twice: as its pages are drawn, and as it says itself what belongs together. What one reading is sure
// of counts where the other is not. Where both are sure and differ, a person decides, unless the tags show the value of
// the other and why it is not the one.
import { confidences } from '../../confidence.ts'
import { type DocumentPage, textOf } from '../formats/document-text.ts'
import { isFullerName, nameWords } from '../readings/company-names.ts'
import { wordsOf } from '../words/phrases.ts'
import type { FoundFact } from './found-fact.ts'
import type { CompanyOwnerFound } from './owner-facts.ts'
import { isSameText, sameValue } from './same-values.ts'

export interface FoundFacts {
  facts: FoundFact[]
  /** Owners that are companies: nobody's first and last name. */
  company_owners: CompanyOwnerFound[]
}

export function together(drawn: FoundFacts, tagged: FoundFacts, pages: readonly DocumentPage[]): FoundFacts {
  const shown = placedOn(pages, tagged)
  const names = new Set([...drawn.facts, ...shown.facts].map(({ fact }) => fact).filter((fact) => !isOwner({ fact })))
  const of = ({ facts }: FoundFacts, name: string) => facts.filter(({ fact }) => fact === name)
  const isListed = drawn.facts.some((one) => isOwner(one) && isSure(one))
  const isListedThere = shown.facts.some((one) => isOwner(one) && isSure(one))
  const owners = isListedThere && !isListed ? shown : drawn
  const known = new Set(drawn.company_owners.map(({ name }) => nameOf(name)))
  return {
    facts: [
      ...[...names].flatMap((name) => settled(of(drawn, name), of(shown, name))),
      ...owners.facts.filter(isOwner),
    ],
    company_owners: [...drawn.company_owners, ...shown.company_owners.filter(({ name }) => !known.has(nameOf(name)))],
  }
}

/** All values of one fact, the best first. */
function settled(drawn: readonly FoundFact[], tagged: readonly FoundFact[]): FoundFact[] {
  const [ours, theirs] = [drawn.find(isSure), tagged.find(isSure)]
  if (!ours || !theirs || isOne(ours, theirs)) {
    const best = ours && theirs ? fuller(ours, theirs) : (ours ?? theirs)
    // What is sure and differs is a part of it.
    const others = [...drawn, ...tagged].filter((one) => !isSure(one))
    return withoutRepeats([...(best ? [best] : []), ...others])
  }
  const hasReason = tagged.some((one) => isSameText(one.fact, one.text, ours.text))
  const left = hasReason ? [theirs] : []
  const doubted = [...drawn, ...tagged].map((one) =>
    isSure(one) ? { ...one, confidence: confidences.one_doubt } : one,
  )
  return withoutRepeats([...left, ...doubted])
}

/** The same, or the whole of what the other has a part of. */
function isOne(a: FoundFact, b: FoundFact): boolean {
  return isSameText(a.fact, a.text, b.text) || isPart(a, b) || isPart(b, a)
}

/** `12 High Street` of `12 High Street, Leeds`. */
function isPart(part: FoundFact, whole: FoundFact): boolean {
  if (part.fact === 'business.registered_address') return isPartOfAddress(part.text, whole.text)
  return worded.has(part.fact) && sameValue(whole.text).startsWith(sameValue(part.text))
}
const worded = new Set(['business.legal_form', 'business.website'])

/** Every number of one is in the other, and so is every word but those of one place: `Louisiana` is `LA`. */
function isPartOfAddress(part: string, whole: string): boolean {
  const words = new Set(wordsOf(whole))
  const missing = wordsOf(part).filter((word) => !words.has(word))
  return missing.length <= 1 && !missing.some((word) => /\d/.test(word))
}

/** `Lee Bakery Ltd` of `Lee Bakery` and `Lee Bakery Ltd`. */
function fuller(a: FoundFact, b: FoundFact): FoundFact {
  const isFuller = isPart(a, b) || (a.fact === 'business.legal_name' && isFullerName(b.text, a.text))
  return isFuller && b.text.length > a.text.length ? b : a
}

function withoutRepeats(found: readonly FoundFact[]): FoundFact[] {
  const kept: FoundFact[] = []
  for (const one of found) if (!kept.some(({ fact, text }) => isSameText(fact, text, one.text))) kept.push(one)
  return kept.sort((a, b) => b.confidence - a.confidence)
}

function isSure({ confidence }: FoundFact): boolean {
  return confidence >= confidences.sure
}

function isOwner({ fact }: { fact: string }): boolean {
  return fact.startsWith('owner.')
}

function nameOf(name: string): string {
  return nameWords(name).join(' ')
}

/** Where a person finds it: the line of the page, as it is drawn, that has most of the words. */
function placedOn(pages: readonly DocumentPage[], { facts, company_owners }: FoundFacts): FoundFacts {
  const lines = new Map<string, number>()
  const lineOf = (page: number, words: string): number | undefined => {
    const key = `${page} ${words}`
    const at =
      lines.get(key) ??
      bestLine(
        pages.find(({ number }) => number === page),
        words,
      )
    if (at !== undefined) lines.set(key, at)
    return at
  }
  return {
    facts: facts.map((one) => ({ ...one, line: lineOf(one.page, one.words) ?? one.line })),
    company_owners: company_owners.map((one) => ({ ...one, line: lineOf(one.page, one.name) ?? one.line })),
  }
}

function bestLine(page: DocumentPage | undefined, words: string): number | undefined {
  const wanted = new Set(wordsOf(words))
  let [best, most] = [undefined as number | undefined, 0]
  for (const [index, line] of (page?.lines ?? []).entries()) {
    const shared = new Set(wordsOf(textOf(line)).filter((word) => wanted.has(word))).size
    if (shared > most) [best, most] = [index + 1, shared]
  }
  return best
}
