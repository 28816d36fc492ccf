// What was found, as an answer: as it is where it already fits, else read from its text by the type of the question.
// A reader may offer several readings; the first that fits the question's own rules is the answer.

import { addressFields } from '../../platform/values/fields.ts'
import { valueProblem } from '../contracts/answer-values.ts'
import { type ContractModel, optionsOf } from '../contracts/contract-model.ts'
import type { GroupedQuestion, Option, Question, QuestionType } from '../contracts/contract-schema.ts'
import { readAddress, readCountry, readRegion } from './address-texts.ts'
import { readAmount, readPercent, readQuantity, toInteger, toNumber } from './amount-texts.ts'
import { readDate, readMonth } from './date-texts.ts'
import { legalFormIn, legalFormsOf, plainWords, widerForms } from './legal-form-names.ts'
import { readPhone } from './phone-texts.ts'

export interface ReadingHints {
  /** ISO code of the country of the business. */
  country: string | null
  /** 1000 where amounts are given in thousands. */
  scale?: number
}

/** The found thing as an answer to this question; undefined when it cannot be read as one, or does not fit its rules. */
export function readAs(
  model: ContractModel,
  question: Question | GroupedQuestion,
  found: unknown,
  hints: ReadingHints,
  today: string,
): unknown {
  return readingsOf(model, question, found, hints).find(
    (value) => value !== undefined && valueProblem(model, question, value, today) === undefined,
  )
}

function readingsOf(
  model: ContractModel,
  question: Question | GroupedQuestion,
  found: unknown,
  hints: ReadingHints,
): unknown[] {
  const { type, allow_other = false } = question
  // Files are uploaded, and a declaration is made by a person.
  if (type === 'file' || type === 'group' || type === 'display' || type === 'declaration') return []
  if (type === 'text' || type === 'identifier') return [plainText(found, type === 'text' ? longestInput : longestShort)]
  if (type === 'long_text') return [linesOf(found)]
  if (typeof found === 'string' && found.length > longestShort) return []
  if (type === 'single_choice') return [readChoice(namedOptions(model, question), found, allow_other)]
  if (type === 'multi_choice') return [readChoices(namedOptions(model, question), found, allow_other)]
  if (type === 'address') return addressesIn(found, hints)
  if (typeof found === 'number' && type !== 'phone') return type === 'money' ? [amountOf(found, hints)] : [found]
  const text = plainText(found, longestShort)
  // A link is always spelt the same way, however a document writes its scheme.
  const given = type === 'url' ? undefined : typeof found === 'string' ? found.trim() : found
  return text === undefined ? [given] : [given, ...readers[type](text, hints)]
}

/** A number has a point wherever it comes from: further digits say that no thousands follow it. */
function amountOf(found: number, { country, scale }: ReadingHints): unknown {
  const text = String(found)
  return readAmount(text.includes('.') ? `${text}000` : text, country, scale)
}

const longestInput = 100_000
const longestShort = 500

type TextReader = (text: string, hints: ReadingHints) => unknown[]
type TypeReadFromText = Exclude<
  QuestionType,
  | 'text'
  | 'identifier'
  | 'long_text'
  | 'single_choice'
  | 'multi_choice'
  | 'address'
  | 'file'
  | 'group'
  | 'display'
  | 'declaration'
>

const readers: Record<TypeReadFromText, TextReader> = {
  boolean: (text) => [truths.get(text.toLowerCase().replace(/[.!]$/, ''))],
  integer: (text, { country }) => {
    const number = readQuantity(text, country, true)
    return [number && toInteger(number)]
  },
  decimal: (text, { country }) => {
    const number = readQuantity(text, country, false)
    return [number && toNumber(number)]
  },
  percent: (text, { country }) => {
    const number = readPercent(text, country)
    return [number && toNumber(number)]
  },
  money: (text, { country, scale }) => [readAmount(text, country, scale)],
  date: (text, { country }) => [readDate(text, country)],
  year_month: (text, { country }) => [readMonth(text, country)],
  email: (text) => [emailIn(text)],
  phone: (text, { country }) => [readPhone(text, country)],
  url: linksIn,
  country: (text) => [readCountry(text)],
  region: (text, { country }) => [readRegion(text, country)],
  industry: () => [],
}

const truths = new Map([
  ...['yes', 'y', 'true'].map((word) => [word, true] as const),
  ...['no', 'n', 'false'].map((word) => [word, false] as const),
])

/** One line without what cannot be seen; numbers as text. */
function plainText(found: unknown, longest: number): string | undefined {
  if (typeof found === 'number') return Number.isFinite(found) ? String(found) : undefined
  if (typeof found !== 'string' || found.length > longest) return undefined
  return found.replace(unseen, '').replace(/\s+/g, ' ').trim()
}

/** The lines of a text, each tidied, with at most one empty line between them. */
function linesOf(found: unknown): string | undefined {
  if (typeof found !== 'string' || found.length > longestInput) return plainText(found, longestInput)
  const lines = found.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => plainText(line, longestInput) ?? '')
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()
}

/** Controls, soft hyphens, spaces without width, halves of characters. */
const unseen = /(?!\s)[\p{Cc}\p{Cs}\u00ad\u200b]/gu

/** The one address in the text, as in `Ann Lee <ann@example.com>`. */
function emailIn(text: string): string | undefined {
  const words = text.split(/[\s<>()[\],;]+/).filter((word) => word.includes('@'))
  return words.length === 1 ? words[0]?.replace(/^mailto:/i, '').replace(/[.:]$/, '') : undefined
}

function linksIn(text: string): string[] {
  const link = text.replace(/^[<(]/, '').replace(/[>).,;]{1,3}$/, '')
  const isBare = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?::[0-9]{1,5})?(?:[/?#]\S*)?$/u.test(link)
  const whole = isBare ? `https://${link}` : link.replace(/^https?:\/\//i, (scheme) => scheme.toLowerCase())
  if (!/^https?:\/\/[^\s@]+$/.test(whole)) return []
  // The second is how browsers spell it: letters beyond ASCII as other letters, a slash before a question mark.
  return URL.canParse(whole) ? [whole, new URL(whole).href] : [whole]
}

/** Of an address that is an object already, what an address has, with its places as codes. */
function addressesIn(found: unknown, { country }: ReadingHints): unknown[] {
  if (typeof found === 'string') return [readAddress(linesOf(found) ?? '', country)]
  if (typeof found !== 'object' || found === null) return []
  const own = Object.fromEntries(
    Object.entries(found).filter(([name, value]) => Object.hasOwn(addressFields, name) && value !== undefined),
  )
  const named = typeof own.country === 'string' ? readCountry(own.country) : (own.country ?? country)
  const code = typeof named === 'string' ? named : null
  const region = typeof own.region === 'string' ? readRegion(own.region, code) : undefined
  return [own, { ...own, country: code, ...(region !== undefined && { region }) }]
}

interface NamedOption {
  value: string
  /** What it is called, in plain words. */
  names: ReadonlySet<string>
  /** The same, and what stands inside and outside of brackets. */
  looseNames: ReadonlySet<string>
  legalForms: ReadonlySet<string>
}

function namedOptions(model: ContractModel, question: Question | GroupedQuestion): NamedOption[] {
  return optionsOf(model, question).map(({ value, label }: Option) => {
    const looseNames = new Set([plainWords(value), ...looseNamesOf(label)].filter(Boolean))
    const names = new Set([plainWords(value), plainWords(label)].filter(Boolean))
    return { value, names, looseNames, legalForms: legalFormsOf(looseNames) }
  })
}

function readChoice(options: readonly NamedOption[], found: unknown, allowOther: boolean): unknown {
  const own = otherIn(found)
  const text = typeof found === 'boolean' ? (found ? 'yes' : 'no') : plainText(own ?? found, longestShort)
  if (text === undefined) return undefined
  const option = optionFor(options, text)
  if (option !== undefined || !allowOther || plainWords(text) === 'other') return option
  // A value of another list is put into words.
  return { other: /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(text) ? text.replaceAll('_', ' ') : text }
}

function readChoices(options: readonly NamedOption[], found: unknown, allowOther: boolean): unknown[] | undefined {
  const whole = readChoice(options, found, false)
  if (whole !== undefined) return [whole]
  const parts = typeof found === 'string' ? found.split(/[;\n]/.test(found) ? /[;\n]/ : ',') : found
  const list = Array.isArray(parts) ? parts : [parts]
  if (list.length > 500) return undefined
  const choices = list
    .filter((part) => typeof part !== 'string' || part.trim() !== '')
    .map((part) => readChoice(options, part, allowOther))
  // Half of a list is not the answer.
  if (choices.includes(undefined)) return undefined
  return [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()]
}

/** The one option the text names: by value, by its words, by a legal form of many names. */
function optionFor(options: readonly NamedOption[], text: string): string | undefined {
  const words = plainWords(text)
  const loose = new Set(looseNamesOf(text).filter(Boolean))
  const forms = legalFormsOf(loose)
  const within = legalFormIn(text)
  const ways: ((option: NamedOption) => boolean)[] = [
    ({ value }) => value === text,
    ({ names }) => names.has(words),
    ({ looseNames }) => !isApart(looseNames, loose),
    ({ legalForms }) => !isApart(legalForms, forms),
    ({ legalForms }) => within !== undefined && legalForms.has(within),
    ({ legalForms }) => [...forms].some((form) => legalForms.has(widerForms.get(form) ?? '')),
  ]
  for (const way of ways) {
    const [first, ...more] = options.filter(way)
    if (first) return more.length === 0 ? first.value : undefined
  }
  return undefined
}

function isApart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of b) if (a.has(one)) return false
  return true
}

function otherIn(found: unknown): unknown {
  return typeof found === 'object' && found !== null && 'other' in found ? found.other : undefined
}

/** `Limited liability company (LLC)` has three names. */
function looseNamesOf(text: string): string[] {
  const [outside = '', inside = ''] = text.split(/[()]/)
  return [plainWords(text), plainWords(outside), plainWords(inside)]
}
