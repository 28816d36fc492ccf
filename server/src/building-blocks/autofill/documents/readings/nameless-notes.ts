// A few lines that name nobody: `Turnover 2025: £1,204,500`. Whoever hands them in for a business speaks of this business,
// as long as nothing in them may say that they are about somebody else: a name, a heading, a sentence.
import { type Phrases, wordsOf } from '../words/phrases.ts'
import {
  parties as partyWords,
  periods,
  proseWords,
  qualifiers,
  references,
  scaleHeadings,
  statements,
  statementTitles,
} from '../words/vocabulary.ts'
import { numbersIn } from './numbers.ts'
import type { Pair } from './pairs.ts'
import { isOther } from './place-owners.ts'
import type { PlacedLine, ReadDocument } from './places.ts'
import { currencyIn } from './units.ts'

const fewLines = 12
const longLine = 160

export function isNameless({ pages, mark }: ReadDocument, pairs: readonly Pair[]): boolean {
  const [page, ...others] = pages
  const filled = (page?.lines ?? []).filter(({ cells }) => cells.length > 0)
  if (others.length > 0 || filled.length > fewLines || filled.some(({ text }) => text.length > longLine)) return false
  // `Name: Ann Lee` above what follows.
  if (linesOf(pairs, (fact, isExact) => fact === 'business.legal_name' && isExact).size > 0) return false
  const told = linesOf(pairs, () => true)
  // `Legal form: worker co-operative` names nobody.
  const forms = linesOf(pairs, (fact, isExact) => fact === 'business.legal_form' && isExact)
  const last = filled.findLastIndex((line) => told.has(line) && !isOfOther(line))
  return filled.every((line, index) => {
    if (isSentence(line)) return false
    // What follows the name of somebody else, or a heading about them, may be theirs.
    if (isOfOther(line)) return index > last || (isRow(line, mark) && !isNaming(line))
    if (isNaming(line) && !forms.has(line)) return false
    return told.has(line) || isRow(line, mark) || isPlainHeading(line)
  })
}

/** The lines of labels with values. */
function linesOf(pairs: readonly Pair[], isMeant: (fact: string, isExact: boolean) => boolean): Set<PlacedLine> {
  const found = pairs.filter(
    ({ labels, values }) => values.length > 0 && labels.some(({ fact, is_exact }) => isMeant(fact, is_exact)),
  )
  return new Set(found.flatMap(({ line, value_line }) => [line, value_line]))
}

/** What it says is somebody else's, and says so itself. */
function isOfOther({ text }: PlacedLine): boolean {
  return partyWords.others.in(wordsOf(text)) !== undefined
}

function isNaming({ cells }: PlacedLine): boolean {
  return cells.some(({ text }) => [text, ...text.split(/[,;:]\s/)].some(isOther))
}

function isSentence({ text }: PlacedLine): boolean {
  return !/^[^:]{2,50}:\s/.test(text) && wordsOf(text).some((word) => proseWords.has(word))
}

/** `Members: 340`, `Returns and allowances  1,204`: a label that is not known has its value beside it. */
function isRow({ cells, text }: PlacedLine, mark: ReadDocument['mark']): boolean {
  return cells.length > 1 || /^[^:]{2,50}:\s*\S/.test(text) || numbersIn(text, mark).some(({ is_year }) => !is_year)
}

const known: readonly Pick<Phrases<unknown>, 'at'>[] = [
  periods.year,
  periods.part,
  periods.actual,
  periods.newer,
  periods.titles,
  scaleHeadings,
  statements,
  statementTitles,
]

/** `Year ended 31 March 2026`, `Business account ending 4471`: at most two words that no heading of figures has. */
function isPlainHeading({ text }: PlacedLine): boolean {
  const words = wordsOf(text)
  if (periods.plan.in(words) !== undefined) return false
  let unknown = 0
  let hasPhrase = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const found = known.map((phrases) => phrases.at(words, at)).find((one) => one !== undefined)
    if (found) {
      hasPhrase = true
      at += found.length - 1
    } else if (!isKnownWord(word)) unknown++
  }
  return unknown === 0 || (hasPhrase && unknown <= 2)
}

function isKnownWord(word: string): boolean {
  const isNumber = /^\d+[a-z]{0,2}$|^[a-z]$/.test(word)
  return (
    isNumber ||
    qualifiers.has(word) ||
    references.has(word) ||
    periods.months.has(word) ||
    currencyIn(word) !== undefined
  )
}
