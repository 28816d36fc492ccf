// What a heading says of everything below it: the period and the scale of the figures.
import type { Cell } from '../formats/document-text.ts'
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { isWholeName } from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import { isLabel } from './labels.ts'
import { numbersIn } from './numbers.ts'
import { isOrganisation } from './organisations.ts'
import { type Period, periodIn, withoutEditions, withoutForms } from './periods.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'
import { scaleIn } from './units.ts'

const longestHeading = 8

/** `Form 1120-S (2025)`, the return of a year. */
const yearlyReturn = /^(?:U\.?S\.? )?Form (?:1040(?:-SR)?|1041|1065|1120(?:-?[SC])?|990(?:-?EZ)?) \((20\d\d)\)(?=\s|$)/

/** The period that a heading line gives to what stands below it. */
export function contextOf(document: ReadDocument, lines: readonly PlacedLine[], index: number): Period | undefined {
  const line = lines[index]
  const ended = yearEndBelow(document, lines, index)
  if (ended) return ended
  if (
    !line ||
    line.cells.length === 0 ||
    (line.cells.length > 4 && !hasBlanks(document, line) && !isYearInBoxes(line)) ||
    isTerm(line) ||
    isRemark(lines, index) ||
    // `Building Supply (1988) Ltd.`
    (line.cells.length === 1 && /\((?:19|20)\d\d\)/.test(line.text) && isWholeName(line.text)) ||
    // `Último año renovado | 2026`: that of a fee, in Colombia.
    /\brenov(?:ado|aci[oó]n)\b/i.test(line.text) ||
    line.cells.some(({ text }) => /^\(?-?\d{1,3}(?: \d{3})+\)?$/.test(text)) ||
    // `Phone: 555-010-2025`
    /\d{3}[-. ]\d{3}[-. ]\d{4}/.test(line.text) ||
    /\d[.,]\d{2,3}(?!\d)/.test(line.text.replace(/\d\d?\.\d\d?\.(?:\d\d){1,2}/g, ''))
  )
    return undefined
  const span = spanOfDates(document, lines, index)
  if (span) return span
  const isRow = line.cells.length > 1 && line.cells.length <= 3
  for (const text of [...(isRow ? [line.text] : []), ...line.cells.map((cell) => cell.text)]) {
    const period = periodOfHeading(document, lines, index, text)
    if (period?.is_plan && isEmptyBox(lines, index)) return undefined
    if (period && (text !== line.text || period.end !== undefined || line.cells.length === 1)) return period
  }
  return undefined
}

/** `Financial year end`, and below it `31 March 2026`, in a form that has figures beside and below them. */
function yearEndBelow({ country }: ReadDocument, lines: readonly PlacedLine[], index: number): Period | undefined {
  for (const day of lines[index]?.cells ?? []) {
    if (day.text.length > 30 || periodIn(day.text, country)?.kind !== 'date') continue
    const isCaption = (cell: Cell) => !notOfTheEnd.test(cell.text) && overlap(cell, day) > 0
    const caption = lines[index - 1]?.cells.find(isCaption)?.text
    const period = caption === undefined ? undefined : periodIn(`${caption} ${day.text}`, country)
    if (period?.kind === 'year' && period.end !== undefined && !period.is_plan) return period
  }
  return undefined
}

/** `Next year end`, `Accounting year begin date` */
const notOfTheEnd = /\d|next|nächste|prochain|próximo|\b(?:begin|start|from|ouvert|début|inicio)/i

/** `Taxation | (54,448)`, and `(estimated)` below it: a part of the label above. */
export function isRemark(lines: readonly PlacedLine[], index: number): boolean {
  const [line, above] = [lines[index], lines[index - 1]]
  const hasAmount = above?.cells
    .slice(1)
    .some(({ text }) => /^[($£€ -]*\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d\d)?\)?$/.test(text))
  return line?.cells.length === 1 && line.text.startsWith('(') && hasAmount === true
}

/** `50 | Estimated figures`, and below it `80 | …`: of the boxes of a form, one that nobody has ticked. */
export function isEmptyBox(lines: readonly PlacedLine[], index: number): boolean {
  const isNumbered = (line: PlacedLine | undefined) => /^\d{1,3}[a-z]?$/.test(line?.cells[0]?.text ?? '')
  const next = lines.slice(index + 1, index + 4).find(({ cells }) => cells.length > 0)
  const own = lines[index]
  return own?.cells.length === 2 && isNumbered(own) && isNumbered(next) && !/\d/.test(own.cells[1]?.text ?? '')
}

/** `calendar year 2025, or tax year beginning | , 2025, ending | , 20`: nobody has filled in the days. */
function hasBlanks({ country }: ReadDocument, { cells }: PlacedLine): boolean {
  const own = cells.filter(({ text }) => !text.startsWith(','))
  return own.length <= 4 && own.every(({ text }) => datesIn(text, country).every(({ year }) => year > 0))
}

/** `05 | Year: from | 2025-01-01 | to | 2025-12-31` */
function isYearInBoxes({ cells, text }: PlacedLine): boolean {
  const days = cells.filter((cell) => /^(?:\d{4}-\d\d-\d\d|\d\d[./-]\d\d[./-]\d{4})$/.test(cell.text))
  return cells.length <= 6 && days.length === 2 && periods.year.in(wordsOf(text)) !== undefined
}

/** `Term (months) | 60` is what a loan is asked for; `Length of the year (months) | 6` is a part of a year. */
function isTerm({ cells }: PlacedLine): boolean {
  const [label, value] = cells
  const months = /^\d{1,3}$/.test(value?.text ?? '') ? Number(value?.text) : undefined
  return cells.length === 2 && (months === 12 || (months ?? 0) > 24) && !/\d/.test(label?.text ?? '')
}

/** Two days a year apart, in this line or the next with a word: `Period covered: from 01/04/2025`, `to 31/03/2026`. */
function spanOfDates({ country }: ReadDocument, lines: readonly PlacedLine[], index: number): Period | undefined {
  const own = lines[index]?.text ?? ''
  const first = daysIn(own, country)
  if (first.length === 0 || first.length > 2 || own.length > 200) return undefined
  const next = lines.slice(index + 1, index + 4).find(({ text }) => daysIn(text, country).length > 0)?.text ?? ''
  const days = first.length === 2 ? first : [...first, ...daysIn(next, country)]
  const [from, to, ...more] = days
  if (from === undefined || to === undefined || more.length > 0) return undefined
  const length = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  if (length < 360 || length > 372) return undefined
  return {
    kind: 'year',
    end: to,
    year: Number(to.slice(0, 4)),
    is_plan: false,
    is_explicit: true,
    name: first.length === 2 ? own.trim() : `${own.trim()} ${next.trim()}`,
  }
}

function daysIn(text: string, country: string | null): string[] {
  return datesIn(text, country).flatMap((date) => (date.day === undefined || date.year === 0 ? [] : [isoOf(date)]))
}

/** Nothing of a quarter, of a short year or of a projection. */
function isOfWholeYear(rest: string, country: string | null): boolean {
  const words = wordsOf(rest)
  const kind = periodIn(rest, country)?.kind
  return ![periods.part, periods.plan].some((one) => one.in(words)) && (kind === undefined || kind === 'year')
}

function periodOfHeading(
  document: ReadDocument,
  lines: readonly PlacedLine[],
  index: number,
  text: string,
): Period | undefined {
  // `Schedules during the tax year: 3` is no heading.
  // And `2027.` is the end of a sentence.
  if (text.length > 160 || /:\s*\d{1,3}$|^\d{4}\.$/.test(text)) return undefined
  const { country, mark } = document
  const words = wordsOf(text)
  // `Number of shareholders during any part of the tax year 2` is none either.
  if (words.length > longestHeading && /\s\d{1,2}$/.test(text)) return undefined
  // `Exercice N-1 clos le 31/03/2025` tells of the year before.
  if (/\bN ?- ?1\b/.test(text) && /\d{4}/.test(text)) return undefined
  // `DGFiP N° 2052-SD 2026`: the year of the form is the one after that of its figures.
  if (/\bN° ?\d{4,5}-SD\b/.test(text)) return undefined
  const [form, ofForm] = yearlyReturn.exec(text.trim()) ?? []
  if (form !== undefined && isOfWholeYear(text.trim().slice(form.length), document.country))
    return { kind: 'year', year: Number(ofForm), is_plan: false, is_explicit: true, name: text.slice(0, 40) }
  // `Form 1040` is no year; that of the form stands at the end of its title.
  const hasWord = [periods.year, periods.part, periods.plan].some((one) => one.in(words) !== undefined)
  const ownYear = /\s20\d\d$/.test(withoutForms(text).trim()) && (hasWord || periods.titles.in(words) !== undefined)
  // `Budget 2027, version 2026-10`
  const isPlan = withoutEditions(text) !== text && periods.plan.in(words) !== undefined
  if (withoutForms(text) !== text && !ownYear && !isPlan) return undefined
  if (numbersIn(text, mark).some(({ is_formatted, value }) => is_formatted && !/^-?(19|20)\d\d$/.test(value)))
    return undefined
  const period = periodIn(text, country)
  if (!period || period.kind === 'date') return undefined
  // `Please enclose the monthly reports, if there are any.`
  const isUndated = period.year === undefined && period.end === undefined
  if (period.kind === 'part' && isUndated && words.length > longestHeading) return undefined
  const isTitle = periods.titles.in(words) !== undefined
  const before = lines
    .slice(Math.max(0, index - 2), index)
    .some((line) => periods.titles.in(wordsOf(line.text)) !== undefined)
  const isStamp = periods.stamps.in(words) !== undefined && !isTitle
  if (isStamp && !hasWord) return undefined
  if (period.kind === 'month') return isTitle || (before && words.length <= 4) ? period : undefined
  // A year without a word for it counts only in a short heading.
  return hasWord || isTitle || period.is_explicit || words.length <= 8 ? period : undefined
}

/** What the head of the document says about all its pages. */
export function documentPeriod(document: ReadDocument): Period | undefined {
  const lines = document.pages[0]?.lines ?? []
  let found: Period | undefined
  for (let index = 0; index < Math.min(lines.length, 25); index++) {
    const period = contextOf(document, lines, index)
    found ??= period
    // `Annual accounts`, and below it `Year from 01/07/2025 to 30/06/2026`: the second says when the same year ends.
    // And `2026` alone may be the year of the form.
    const isBare = /^\d{4}$/.test(found?.name ?? '') && period?.kind === 'year' && period.is_explicit
    if (found && period?.end !== undefined && (isBare || isVaguer(found, period))) return period
  }
  return found
}

/** `All figures in thousands`, but not `Budget for next year (£'000)`. */
export function isNoteOnAll(text: string): boolean {
  const words = wordsOf(text)
  return words.length <= 12 && periods.plan.in(words) === undefined
}

export function documentScale({ pages }: ReadDocument): number | undefined {
  for (const { lines } of pages.slice(0, 3))
    for (const { text } of lines.slice(0, 25)) {
      const scale = scaleOfHeading(text)
      const isOfAll = (isNoteOnAll(text) && !isTitleOfPart(text)) || isTitleWithNote(text)
      if (scale !== undefined && isOfAll && isNoPlan(text)) return scale
    }
  return undefined
}

/** `FINANCIAL STATEMENTS AT 31 DECEMBER 2025 AND 2024 (in thousands of pesos)`: a title is longer than a note. */
function isTitleWithNote(text: string): boolean {
  const [, note = ''] = text.length <= 200 ? (/\(([^()]+)\)\s*$/.exec(text) ?? []) : []
  return scaleOfHeading(note) !== undefined && isNoteOnAll(note) && periods.titles.in(wordsOf(text)) !== undefined
}

/** `Loans (£'000)`, `Market size by region 2025 (in thousands)`: what is in thousands is that, and perhaps nothing else. */
export function isTitleOfPart(text: string): boolean {
  const [, head = '', note = ''] = /^(.{3,200}?)\s*\(([^()]+)\)\s*$/.exec(text) ?? []
  const words = wordsOf(head)
  if (scaleOfHeading(note) === undefined || scaleOfHeading(head) !== undefined) return false
  // `Key figures 2025`, `Figures for the year ended 31 December 2025`
  const rest = words.filter((word) => !/^\d+$/.test(word))
  const isAmounts = periods.amounts.at(rest, 0)?.length === rest.length
  const isOfYear = periods.year.in(words) !== undefined && periodIn(head, null)?.kind === 'year'
  const isOfAll = isAmounts || isOfYear || periods.titles.in(words) !== undefined
  return words.some((word) => /\p{L}{3}/u.test(word)) && !isOfAll && !isLabel(head) && !isOrganisation(head)
}

function isNoPlan(text: string): boolean {
  return periods.plan.in(wordsOf(text)) === undefined
}

/** Whether another page says of its figures that they are in thousands; this one may have left it out. */
export function isScaledElsewhere(document: ReadDocument, page: number): boolean {
  return scaledPages(document).some((isScaled, index) => isScaled && index !== page)
}

function scaledPages(document: ReadDocument): readonly boolean[] {
  const known = scaled.get(document.pages)
  if (known) return known
  const isNote = ({ cells, text }: PlacedLine) =>
    cells.length <= 2 &&
    scaleOfHeading(text) !== undefined &&
    isNoPlan(text) &&
    numbersIn(text, document.mark).every(({ is_year }) => is_year)
  const found = document.pages.map(({ lines }) => lines.some(isNote))
  scaled.set(document.pages, found)
  return found
}

const scaled = new WeakMap<ReadDocument['pages'], readonly boolean[]>()

/** `45 k€` is one amount, and says nothing of others. */
export function scaleOfHeading(text: string): number | undefined {
  return scaleIn(text.replace(/(?<![\d.,])[.,]*\d[\d.,]*\s?(?:T|k|K|M|Mio\.?)\s?(?:€|EUR|CHF|£|\$)(?!\p{L})/gu, ' '))
}

/** `Exercice N` below `year ended 31 March 2026` says less of the same year. */
export function isVaguer(found: Period | undefined, before: Period | undefined): boolean {
  if (found?.kind !== 'year' || found.end !== undefined || found.is_plan || before?.kind !== 'year') return false
  if (found.year === undefined) return before.end !== undefined || before.year !== undefined
  return before.end?.startsWith(String(found.year)) === true
}
