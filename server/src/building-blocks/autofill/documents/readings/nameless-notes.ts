// A few lines that name nobody: `Turnover 2025: £1,204,500`. Whoever hands them in for a business speaks of this business,
// as long as nothing in them may say that they are about somebody else: a name, a heading, a sentence.

import { periods, scaleHeadings } from '../words/figure-words.ts'
import { type Phrases, wordsOf } from '../words/phrases.ts'
import {
  courts,
  nothing,
  parties as partyWords,
  personalWords,
  proseWords,
  qualifiers,
  references,
  statements,
  statementTitles,
  tableHeads,
  vague,
} from '../words/vocabulary.ts'
import { datesIn } from './dates.ts'
import { numbersIn } from './numbers.ts'
import { isOther } from './other-companies.ts'
import type { Pair } from './pair.ts'
import { periodIn } from './periods.ts'
import type { PlacedLine, ReadDocument } from './places.ts'
import { currencyIn } from './units.ts'

const fewLines = 12
const longLine = 160

export function isNameless({ pages, mark }: ReadDocument, pairs: readonly Pair[]): boolean {
  const [page, ...others] = pages
  const filled = (page?.lines ?? []).filter(({ cells }) => cells.length > 0)
  if (others.length > 0 || filled.length > fewLines || filled.some(({ text }) => text.length > longLine)) return false
  // `Name: Ann Lee` above what follows; `Date of birth` among what is a person's.
  if (linesOf(pairs, (fact, isExact) => fact === 'business.legal_name' && isExact).size > 0) return false
  if (filled.some(({ text }) => personalWords.in(wordsOf(text)) !== undefined)) return false
  const told = linesOf(pairs, (_fact, isExact) => isExact)
  // `Legal form: worker co-operative` names nobody.
  const forms = linesOf(pairs, (fact, isExact) => fact === 'business.legal_form' && isExact)
  const last = filled.findLastIndex((line) => told.has(line) && !speaksOfOther(line))
  return filled.every((line, index) => {
    if (isProse(line)) return false
    if (forms.has(line)) return true
    // What follows the name of somebody else, or a heading about them, may be theirs.
    if (index > last && speaksOfOther(line)) return true
    if (isNaming(line)) return false
    if (told.has(line) && !speaksOfOther(line)) return true
    return isRow(line, mark) || (!speaksOfOther(line) && isPlainHeading(line.text))
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
function speaksOfOther({ text }: PlacedLine): boolean {
  return partyWords.others.in(wordsOf(text)) !== undefined
}

function isNaming({ cells }: PlacedLine): boolean {
  return cells.some(({ text }) => [text, ...text.split(/[,;:]\s/)].some(isOther))
}

/** Behind a colon stands a value, unless it is a sentence: `Note: these are those of a friend`. */
function isProse({ text }: PlacedLine): boolean {
  const told = text.replace(/^[^:]{2,50}:\s/, '')
  // `14 May 2026`
  return wordsOf(told).some((word) => proseWords.has(word) && !periods.months.has(word))
}

/**
 * `Members: 340`, `Returns and allowances  1,204`, `Note  2025  2024`: a label that is not known has a number beside it,
 * and no name; a row of headings has nothing but headings.
 */
function isRow({ cells, text }: PlacedLine, mark: ReadDocument['mark']): boolean {
  const words = wordsOf(text)
  // `Months covered: 9`
  const isPart = periodIn(text, null)?.kind === 'part' && datesIn(text).length === 0
  const [, behind] = /^[^:]{2,50}:\s*(\S.*)$/.exec(text) ?? []
  const isUnsure = vague.in(wordsOf(behind ?? text)) !== undefined
  if (periods.plan.in(words) !== undefined || isUnsure || isPart) return false
  if (behind !== undefined) return isPlainValue(behind)
  const [, ...values] = cells
  const isAmount = (one: string) => numbersIn(one, mark).some(({ is_year }) => !is_year) && isPlainValue(one)
  if (values.length === 0) return numbersIn(text, mark).some(({ is_formatted, is_year }) => is_formatted && !is_year)
  return values.some((cell) => isAmount(cell.text)) || cells.every((cell) => isPlainHeading(cell.text))
}

/** Nothing, a few letters, an office, or a number before any word that begins as names do. */
function isPlainValue(text: string): boolean {
  const words = wordsOf(text)
  if (/^\p{Lu}{2,3}$/u.test(text) || nothing.has(words.join(' ')) || courts.in(words) !== undefined) return true
  const [before = ''] = text.split(/\d/, 1)
  return /\d/.test(text) && !/\p{Lu}\p{Ll}{2}/u.test(withoutMonths(before))
}

function withoutMonths(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => (periods.months.has(wordsOf(word).join('')) ? '' : word))
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

/** `Year ended 31 March 2026`, `Business account ending 4471`: every word that no heading of figures has may be a name. */
function isPlainHeading(text: string): boolean {
  if (/:\s*\S/.test(text)) return false
  const raw = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const words = raw.map((word) => wordsOf(word)[0] ?? '')
  if (periods.plan.in(words) !== undefined) return false
  for (let at = 0; at < words.length; at++) {
    const found = known.map((phrases) => phrases.at(words, at)).find((one) => one !== undefined)
    if (found) at += found.length - 1
    else if (!isKnownWord(words[at] ?? '') && !/^\p{Ll}/u.test(raw[at] ?? '')) return false
  }
  return true
}

function isKnownWord(word: string): boolean {
  const isNumber = /^\d+[a-z]{0,2}$|^[a-z]$/.test(word)
  return (
    isNumber ||
    tableHeads.has(word) ||
    qualifiers.has(word) ||
    references.has(word) ||
    periods.months.has(word) ||
    currencyIn(word) !== undefined
  )
}
