// Forms of American authorities, which nearly every business there has filed: their titles and captions are known word for
// word (`words/official-forms.json`). Where the box for the name holds the subject's own, the boxes beside it are its own,
// too, whatever else stands near them; and what the instructions behind a form say is said to everybody.

import forms from '../words/official-forms.json' with { type: 'json' }
import { wordsOf } from '../words/phrases.ts'
import { headingsOf } from './columns.ts'
import { isSubject, type Names } from './company-names.ts'
import { toCents } from './decimals.ts'
import { contacts } from './labels.ts'
import { numbersIn } from './numbers.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

interface OfficialForm {
  titles: string[]
  name: string[]
  facts: Record<string, string[] | undefined>
  street: string[]
  /** Nobody is asked how to reach the business: phones are those of whoever signs or prepares it. */
  is_return?: boolean
  /** The lines that hold them, by the numbers that the form gives them. */
  receipts?: string
  profit?: string
  employees?: string
}

const headLines = 8
const mostPages = 4
/** The document without the instructions that come with its form. */
export function withoutInstructions(document: ReadDocument): ReadDocument {
  const [first, ...rest] = document.pages
  if (!first || formOf(first.lines) === undefined) return document
  return {
    ...document,
    pages: [first, ...rest.map((page) => (isInstructions(page.lines) ? { ...page, lines: [] } : page))],
  }
}

function isInstructions(lines: readonly PlacedLine[]): boolean {
  const isFilled = lines.some(({ cells }) => cells.some(({ field, is_boxed }) => field !== undefined && !is_boxed))
  return !isFilled && lines.some(({ text }) => instructions.test(text)) && lines.filter(isSentence).length > 20
}

const instructions =
  /\b(?:(?:general|specific) instructions|purpose of form|future developments|privacy act|paperwork reduction act notice)\b/i

function isSentence({ text }: PlacedLine): boolean {
  return text.length > 60 && /\p{Ll}{3} \p{Ll}{2}/u.test(text)
}

/** What stands in the boxes of such a form, believed where the form is the subject's own. */
export function trustForms(document: ReadDocument, readings: readonly Reading[], names: Names): Reading[] {
  const own = new Map<number, OwnForm>()
  for (const [index, { number, lines }] of document.pages.slice(0, mostPages).entries()) {
    const form = formOf(lines)
    const name = form && nameOn(form, readings, number, names)
    if (form && name) own.set(number, { ...form, ...boundsOf(lines, name), page: index })
  }
  if (own.size === 0) return [...readings]
  const isReturn = [...own.values()].some((form) => form.is_return)
  const seen = new Set<string>()
  const trusted = readings.map((reading): Reading => {
    const form = own.get(reading.place.page)
    // Whoever signs, prepares or may be asked has a phone, too, and forms go on behind their first page.
    if (isReturn && contacts.has(reading.fact)) return { ...reading, doubts: [...reading.doubts, 'owner'] }
    if (!form) return reading
    // `Trade name (if any)`, and nothing in its box but the next one.
    if (/^[☐☒]/u.test(reading.value)) return { ...reading, doubts: [...reading.doubts, 'label'] }
    const isWithin = reading.place.line >= form.begin && reading.place.line < form.end
    // `C Business name` of a sole proprietor is what the business trades under.
    const trading = form.facts['business.trading_name'] ?? []
    const isTrading = reading.fact === 'business.legal_name' && startsWith(reading.label, trading)
    if (isTrading && isWithin && !startsWith(reading.label, form.name))
      return { ...reading, fact: 'business.trading_name', doubts: [] }
    if (!isWithin || !startsWith(reading.label, captionsOf(form, reading.fact))) return reading
    if (reading.fact === 'business.legal_name')
      return isSubject(reading.value, names) ? { ...reading, doubts: [] } : reading
    // The first box of its kind is the filer's; the next one may be anybody's.
    const key = `${reading.place.page} ${reading.fact}`
    const isFirst = !seen.has(key) || readings.some((one) => isTwin(one, reading))
    seen.add(key)
    if (!isFirst) return reading
    return { ...reading, doubts: reading.doubts.filter((doubt) => doubt !== 'owner' && doubt !== 'label') }
  })
  const figures = [...own].flatMap(([number, form]) => figuresIn(form, number, document, trusted))
  return [...trusted, ...figures]
}

interface OwnForm extends OfficialForm {
  page: number
  /** The lines that are about the filer. */
  begin: number
  end: number
}

/** The same value in the same line, found in two ways. */
function isTwin(one: Reading, other: Reading): boolean {
  const isSamePlace = one.place.page === other.place.page && one.place.line === other.place.line
  return one !== other && isSamePlace && one.fact === other.fact && one.value === other.value
}

function formOf(lines: readonly PlacedLine[]): OfficialForm | undefined {
  // safe because the list has this form
  const list = forms as OfficialForm[]
  const titled = (text: string) =>
    list.find(({ titles }) => titles.some((title) => ` ${wordsOf(text).join(' ')} `.includes(` ${title} `)))
  const head = titled(
    lines
      .slice(0, headLines)
      .map(({ text }) => text)
      .join(' \n '),
  )
  // Two forms on a page: nothing tells where the first one ends.
  const isSecond = lines.slice(headLines).some(({ text }) => text.length < longestTitle && titled(text) === head)
  return isSecond ? undefined : head
}

const longestTitle = 90

function nameOn(form: OfficialForm, readings: readonly Reading[], page: number, names: Names): Reading | undefined {
  // The business name of a sole proprietor says whose form it is, the trade name of a company does not.
  const captions =
    form.profit === undefined ? form.name : [...form.name, ...(form.facts['business.trading_name'] ?? [])]
  return readings.find(
    ({ fact, label, value, place }) =>
      (fact === 'business.legal_name' || fact === 'business.trading_name') &&
      place.page === page &&
      startsWith(label, captions) &&
      isSubject(value, names),
  )
}

/** From a little above the name to whoever else comes next. */
function boundsOf(lines: readonly PlacedLine[], { place }: Reading): { begin: number; end: number } {
  const others = lines.find(({ number, text }) => number > place.line && otherParties.test(text))
  return { begin: place.line - linesAbove, end: others?.number ?? Number.POSITIVE_INFINITY }
}

const linesAbove = 4
const otherParties =
  /\b(?:preparer|designee|reporting agent|ives participant|shareholder['’]s name|landlord|operating company|subsidiary|parent|affiliate)\b/i

function captionsOf(form: OfficialForm, fact: string): readonly string[] {
  if (fact === 'business.legal_name') return form.name
  return fact === 'business.registered_address' ? form.street : (form.facts[fact] ?? [])
}

/** `D Employer identification number`, `1a Legal name`: behind the letter or the number of the box, and of nobody else. */
function startsWith(label: string, captions: readonly string[]): boolean {
  const words = wordsOf(label)
  const bare = /^(?:\d{1,2}[a-z]?|[a-h])$/.test(words[0] ?? '') ? words.slice(1) : words
  const text = bare.join(' ')
  return captions.some(
    (caption) =>
      text === caption || (caption !== 'name' && text.startsWith(`${caption} `) && !text.startsWith(`${caption} of `)),
  )
}

/** Figures behind the numbers of their lines, where no label has given them: `31 Net profit … | 31 | 78,258`. */
function figuresIn(form: OwnForm, number: number, document: ReadDocument, readings: readonly Reading[]): Reading[] {
  const lines = document.pages[form.page]?.lines ?? []
  const numbered = [
    ['business.annual_revenue', form.receipts, /gross receipts/i],
    ['business.annual_profit', form.profit, /net profit/i],
    ['business.employee_count', form.employees, /number of employees/i],
  ] as const
  return numbered.flatMap(([fact, code, words]): Reading[] => {
    const isKnown = readings.some((one) => one.fact === fact && one.place.page === number && one.doubts.length === 0)
    const found = code === undefined || isKnown ? [] : figuresOf(code, words, lines, document)
    const [only, ...more] = found
    const isCount = fact === 'business.employee_count'
    if (!only || more.length > 0 || (isCount && !Number.isInteger(Number(only.value)))) return []
    const period = headingsOf(document, form.page).periodAt(only.line.number - 1)
    const value = isCount ? String(Number(only.value)) : only.value
    return [
      {
        ...{ fact, value, label: `line ${code}`, doubts: [], is_total: true, place: placeOf(only.line) },
        ...(period && { period }),
      },
    ]
  })
}

/** The number of the line stands before the amount, and the words of the line in it or above it. */
function figuresOf(code: string, words: RegExp, lines: readonly PlacedLine[], { mark }: ReadDocument) {
  return lines.flatMap((line, index) => {
    const last = line.cells.length - 2
    const at = last > 0 && line.cells[last]?.text.trim() === code ? last : -1
    const isSaid = lines.slice(Math.max(0, index - linesOfText), index + 1).some(({ text }) => words.test(text))
    const beside = at === -1 ? receiptsIn(line, code) : line.cells[at + 1]?.text
    const [number, ...more] = beside === undefined || !isSaid ? [] : numbersIn(beside, mark)
    return number && more.length === 0 && !number.is_percent ? [{ line, value: toCents(number.value, 1) }] : []
  })
}

/** The words of a line of the form may run over so many lines before its amount. */
const linesOfText = 2

/** `1a Gross receipts or sales 864902 b Less …`: the amount between the two parts of the line. */
function receiptsIn({ text }: PlacedLine, code: string): string | undefined {
  const [, amount] =
    /^(\S{1,3}) ?a? {1,2}Gross receipts or sales[\s.]{1,60}(\(?[\d,]{3,16}\.?\)?)(?=\s|$)/i.exec(text)?.slice(1) ?? []
  return code === '1a' ? amount : undefined
}
