// A text as a label: what it names, and whether it is nothing but a label.

import { isMonthOfDate, periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { remembered } from '../words/remembered.ts'
import {
  instructions,
  isMisled,
  type Label,
  labels,
  labelWords,
  limits,
  proseWords,
  qualifiers,
  takenFrom,
} from '../words/vocabulary.ts'

export interface ReadLabel extends Label {
  /** Everything around the name of the fact only says which, when or where; else it may be a sentence. */
  is_exact: boolean
}

/** What a text is the label of; several facts only when one label names them all. */
export const readLabel = remembered((text: string): readonly ReadLabel[] => {
  // The end of a bracket that another line has opened explains something.
  if (text.length > 160 || (/\)\s*$/.test(text) && !text.includes('('))) return []
  // `Revenue 2025 (per tax return)`: where it was taken from.
  const bare = withoutInstructions(withoutLineNumber(text)).replace(/\s\(([^()]{5,60})\)/, (whole, remark) =>
    isSource(remark) ? ' ' : whole,
  )
  // `Turnover (per shop)`, `Revenue 2025 (from all four companies)`
  const [limit] = [...bare.matchAll(remarks)].filter(([, remark = '']) => isLimit(remark))
  if (limit)
    return readLabel(bare.replace(limit[0], ' ')).map((label) =>
      ofBusiness.has(label.fact) ? { ...label, is_exact: false } : label,
    )
  const words = wordsOf(bare)
  if (words.length === 0 || words.length > 16) return []
  // `Name (not your trade name)`: what stands in brackets only explains, also where they end in the next line.
  const outside = wordsOf(bare.replace(/\([^()]*\)/g, ' ').replace(openBracket, ' '))
  const found = (outside.length < words.length ? labelAmong(outside, words) : undefined) ?? longestLabel(words)
  const listed = found ? listedLabels(bare, words, found) : []
  if (listed.some(({ is_exact }) => is_exact)) return listed
  // `Turnover – the takings, fees or money earned`: behind a dash stands what is meant by it.
  const [named = ''] = bare.split(/(?:\s[–—]\s|—)(?=\p{Ll})/u)
  const short = named.length < bare.length && named !== '' ? readLabel(named).filter(({ is_exact }) => is_exact) : []
  const byWords = labelByWords(outside)?.filter(({ fact }) => fact !== 'business.employee_count' || !isPay(bare))
  return byWords ?? (short.length > 0 ? short : (contactLabels(bare) ?? firstOfTwo(bare) ?? listed))
})

const remarks = /\s\(([^()]{3,80})\)/g
/** Parts of a business have them, too. */
const ofBusiness = new Set(['business.annual_revenue', 'business.annual_profit', 'business.employee_count'])

function isLimit(remark: string): boolean {
  return remark.split(/,\s/).some((part) => limits.at(wordsOf(part), 0) !== undefined)
}

/** `per tax return`, `laut Jahresabschluss 2025`, and nothing else. */
function isSource(remark: string): boolean {
  const words = wordsOf(remark).filter((word) => !/^(?:19|20)\d\d$/.test(word))
  return takenFrom.at(words, 0)?.length === words.length
}

/** `Sales 2025 (NZ$ excl.`, and `GST)` below it. */
const openBracket =
  /\((?:[A-Z]{2,3}\$?|[$£€]|in|excl|ex|incl|net|before|after|inkl|zzgl|ohne|hors|sin)(?!\p{L})[^()]*$/u

/** `Geschäftsbezeichnung / Name des Geschäfts`: the same in other words. */
function firstOfTwo(text: string): readonly ReadLabel[] | undefined {
  const [first = '', second, ...more] = text.length <= 80 ? text.split(/\s\/\s/) : []
  if (second === undefined || more.length > 0 || !/^\p{L}[\p{L} ]{3,40}$/u.test(second)) return undefined
  const own = readLabel(first).filter(({ is_exact }) => is_exact)
  const facts = new Set(own.map(({ fact }) => fact))
  return own.length > 0 && readLabel(second).every(({ fact }) => facts.has(fact)) ? own : undefined
}

/** `E-mail / Website`: the form of each value tells which is which. */
function contactLabels(text: string): ReadLabel[] | undefined {
  const parts = text.length <= 40 ? text.split('/') : []
  if (parts.length !== 2) return undefined
  const found = parts.map((part) => readLabel(part).filter(({ fact, is_exact }) => is_exact && contacts.has(fact)))
  return found.every((labels) => labels.length > 0) ? found.flat() : undefined
}

/** Numbers that authorities give to a business. */
export const taxAndRegister = new Set(['business.tax_id', 'business.registration_number'])

/** Ways to reach somebody. */
export const contacts = new Set(['business.phone', 'business.email', 'business.website'])

interface FoundLabel {
  begin: number
  length: number
  labels: Label[]
}

function listedLabels(bare: string, words: readonly string[], found: FoundLabel): ReadLabel[] {
  const around = [...words.slice(0, found.begin), ...words.slice(found.begin + found.length)]
  const inBrackets = new Set([...bare.matchAll(/\(([^()]*)\)/g)].flatMap((match) => wordsOf(match[1] ?? '')))
  const facts = new Set(found.labels.map(({ fact }) => fact))
  const same = wordsOfLabels(words, facts)
  const isExact =
    around.every((word, index) => isQualifier(around, word, index) || inBrackets.has(word) || same.has(word)) &&
    !around.some((word, at) => proseWords.has(word) && !qualifiers.has(word) && !isMonthOfDate(around, at))
  const byFact = new Map<string, ReadLabel>()
  for (const label of found.labels) {
    // The same words in two languages are one label.
    const isBetter = byFact.get(label.fact)?.certainty !== 'sure'
    if (label.fact === 'business.employee_count' && isPay(bare)) continue
    if (isBetter && !isMisled(label.fact, words, found.begin, found.length))
      byFact.set(label.fact, { ...label, is_exact: isExact })
  }
  return [...byFact.values()]
}

/** `Salaries` in English, which is `salariés` in French without its accent. */
function isPay(text: string): boolean {
  return /(?<!\p{L})salaries(?!\p{L})/iu.test(text) && !/nombre|nbre|effectif|moyen|\b(?:nb|des)\b/i.test(text)
}

/** `Address of the main office`, `Name (legal) of company`: words that belong to one fact, in an order no list has. */
function labelByWords(words: readonly string[]): ReadLabel[] | undefined {
  if (words.length > 10) return undefined
  const fitting = labelWords.filter(({ fact, heads, sure, own }) => {
    const rest = words.filter((word) => !own.has(word))
    return (
      words.some((word) => heads.has(word)) &&
      words.some((word) => sure.has(word)) &&
      rest.every((word, index) => isQualifier(rest, word, index) && !proseWords.has(word)) &&
      !isMisled(fact, rest, rest.length, 0)
    )
  })
  const [fact, ...more] = new Set(fitting.map((one) => one.fact))
  return fact === undefined || more.length > 0
    ? undefined
    : [{ fact, certainty: 'sure', is_loss: false, is_plain: false, is_exact: true }]
}

/** `Best Bread. Registered in Ireland No. 497305`: what stands before a sentence that begins with a label. */
export function beforeNextLabel(text: string): string {
  const ends = text.slice(0, 300).matchAll(/\.\s+(?=\p{Lu})/gu)
  const end = [...ends].find(({ index }) => labels.at(wordsOf(text.slice(index, index + 80)), 0) !== undefined)
  return end ? text.slice(0, end.index) : text
}

/** Whether a text is a label of anything. */
export function isLabel(text: string): boolean {
  return readLabel(text).some(({ is_exact }) => is_exact)
}

/** The label of the words outside of brackets, at its place among all of them. */
function labelAmong(outside: readonly string[], words: readonly string[]) {
  const found = longestLabel(outside)
  const own = found && outside.slice(found.begin, found.begin + found.length)
  const begin = own ? words.findIndex((_, at) => own.every((word, index) => words[at + index] === word)) : -1
  return found && begin !== -1 ? { ...found, begin } : undefined
}

function longestLabel(words: readonly string[]): FoundLabel | undefined {
  let best: FoundLabel | undefined
  for (let begin = 0; begin < words.length; begin++) {
    const found = labels.at(words, begin)
    if (!found) continue
    const isSurer = best?.length === found.length && !best.labels.some(isSure) && found.meaning.some(isSure)
    if (found.length > (best?.length ?? 0) || isSurer) best = { begin, length: found.length, labels: found.meaning }
  }
  return best
}

function isSure({ certainty }: Label): boolean {
  return certainty === 'sure'
}

/** `Umsatzerlöse / Revenue`: the same label twice is still one. */
function wordsOfLabels(words: readonly string[], facts: ReadonlySet<string>): Set<string> {
  const known = new Set<string>()
  for (let begin = 0; begin < words.length; begin++) {
    const found = labels.at(words, begin)
    if (found?.meaning.some(({ fact }) => facts.has(fact)))
      for (const word of words.slice(begin, begin + found.length)) known.add(word)
  }
  return known
}

function isQualifier(words: readonly string[], word: string, index: number): boolean {
  if (qualifiers.has(word) || /^\d+[a-z]?$/.test(word) || /^[a-z]$/.test(word) || /^fy\d\d/.test(word)) return true
  if (periods.months.has(word)) return true
  return [periods.year, periods.part, periods.plan, periods.actual, periods.newer].some((phrases) => {
    for (let begin = Math.max(0, index - 3); begin <= index; begin++) {
      const found = phrases.at(words, begin)
      if (found && begin + found.length > index) return true
    }
    return false
  })
}

/** What a form tells to do is not a part of the label. */
function withoutInstructions(text: string): string {
  const [first = '', ...rest] = text.split(/(?<=[.)])\s+(?=\p{Lu})/u)
  // `Regd. Office` is no sentence.
  const isShort = /^\p{L}{1,5}\.$/u.test(first)
  return rest.length > 0 && !isShort && instructions.at(wordsOf(rest.join(' ')), 0) ? first : text
}

/** Forms number their lines: `1a`, `22.`, `(b)`, `D`. Statements date them: `31.10. Closing balance`. */
export function withoutLineNumber(text: string): string {
  return text
    .replace(/^\s*\d{1,2}[./]\d{1,2}(?:[./](?:\d{2}|\d{4})?)?\s+(?=\p{L})/u, '')
    .replace(/^\s*(?:\(?\d{1,3}[a-z]?\)?[.)]?(?: [–-])?|\(?[a-zA-Z]\)?[.)]|[A-Z]\d{1,2}[a-z]?[.)]?)\s+(?=\p{L})/u, '')
    .replace(/[._·…]{3,}/g, ' ')
    .replace(/(?:\. ){2,}/g, ' ')
}
