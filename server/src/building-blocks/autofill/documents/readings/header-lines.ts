// Which lines of a page head the columns below them: years, months, `Total`, `Budget` and the like, without a figure.
import type { Cell, Line } from '../formats/document-text.ts'
import { periods, signs } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { accountWords, totals } from '../words/vocabulary.ts'
import { isEmptyBox, isRemark, isTitleOfPart } from './heading-contexts.ts'
import { isLabel, readLabel } from './labels.ts'
import { numbersIn } from './numbers.ts'
import { periodIn } from './periods.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'
import { currencyIn, scaleIn } from './units.ts'

/** Whether a line heads the columns below it. */
export function headsColumns(document: ReadDocument, lines: readonly PlacedLine[], index: number): boolean {
  const line = lines[index]
  return (
    line !== undefined &&
    isHeaderLine(document, line) &&
    !isDateOfForm(document, lines, index) &&
    !isTitleOfTwo(line) &&
    !(line.cells.length === 1 && isTitleOfPart(line.text)) &&
    !isEmptyBox(lines, index) &&
    !isRemark(lines, index)
  )
}

export function isYearAlone(text: string): boolean {
  return /^\s*(?:FY ?)?(?:19|20)\d\d\s*$/.test(text)
}

/** `31.12.25`, and the years of `Change 25/24 %`. */
const writtenDay = /(?<!\d)\d{1,2}\.\d{1,2}\.(?:\d\d){1,2}(?!\d)|(?<=\p{L}\.?\s)(?:20)?\d\d\/(?:20)?\d\d\s?%/gu

/** A line of years, months, `Total`, `Budget` and the like, without a figure. */
function isHeaderLine({ country, mark }: ReadDocument, { cells }: PlacedLine): boolean {
  // Lines of figures are most of a long document: they are told at a glance.
  const isAmount = (text: string) => /\d[.,]\d\d(?:\d|$)|\d\s?%/.test(text.replace(writtenDay, ''))
  if (cells.length === 0 || cells.some(({ text }) => text.length > 60 || isAmount(text))) return false
  if (cells.some(({ text }) => /^\s*[-−–(]\s?\d/.test(text) && !timeInBrackets.test(text)) || areAmounts(cells))
    return false
  // `Founded in | 1994` says nothing of what stands below it.
  const isYear = cells.length === 2 && /^\d{4}$/.test(cells[1]?.text ?? '')
  if (isYear && readLabel(cells[0]?.text ?? '').some(({ fact }) => fact === 'business.founded_on')) return false
  // `Vorjahr 2024 EUR` is a year in euros and `Last full year (2025)` one in brackets, no amount.
  const withoutYear = (text: string) =>
    text.replace(
      /(?<!\d)(?:19|20)\d\d\s*(?:[£€$]|T?EUR|GBP|USD|CHF)\s*(?:['’]?000s?)?\s*$|^\d{1,2}\s?m(?=\s(?:to|ended|ending)\s)|(?<=\p{L}\s)\((?:19|20)\d\d\)/u,
      '',
    )
  const isNumber = ({ text }: Cell) =>
    !/^\s*(19|20)\d\d\s*$/.test(text) &&
    !timeInBrackets.test(text) &&
    numbersIn(withoutYear(text), mark).some((number) => !number.is_year && (number.is_formatted || cells.length === 1))
  // `Tax year end: 31 March 2026` is what a form says, not what stands below it.
  if (cells.some(isNumber) || cells.some(({ text }) => /^[^:]{3,40}:\s*\S/.test(text))) return false
  // `tax year beginning | , 2025, ending | , 20`
  if (cells.some(({ text }) => text.startsWith(','))) return false
  const [first, ...others] = cells
  // `Founded: | 2015`
  if (others.length === 1 && first?.text.trim().endsWith(':')) return false
  const candidates = others.length > 0 ? others : first ? [first] : []
  // `30/06/2026 | 30/06/2025` heads two columns.
  const isDay = periodIn(first?.text ?? '', country)?.kind === 'date'
  const hasPlainStart = isDay || isColumnWord(first?.text ?? '')
  // A lone date beside other words is a value of a form, not the heading of a column.
  const isSpoken = ({ text }: Cell) => {
    const period = periodIn(text, country)
    // `Fiscal year end | March 31` too.
    const isDate =
      period?.kind === 'date' || (period?.month !== undefined && period.year === undefined && /\d/.test(text))
    return (period !== undefined && (!isDate || others.length !== 1 || hasPlainStart)) || isColumnWord(text)
  }
  const dates = candidates.filter(({ text }) => periodIn(text, country)?.kind === 'date').length
  const spoken = candidates.filter(isSpoken).length - (dates === 1 && others.length > 1 ? 1 : 0)
  if (others.length === 0) return !isLabel(first?.text ?? '') && isLoneHeading(first?.text ?? '', country)
  return spoken > 0 && spoken * 2 >= candidates.length
}

/** `(2026 budget)`, `(31.12.2024)`, `(9 Monate 2026)`: the heading of a column, no amount. */
const timeInBrackets = /^\s*\((?:\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:19|20)\d\d\s\p{L}+|\d{1,2}\s?\p{L}[^()]{0,25})\)\s*$/u

/** `Purchases | 1988 | 1971 | 1950`: amounts in thousands. The years over columns follow each other, and are of late. */
function areAmounts(cells: Line): boolean {
  const [first, ...others] = cells
  const years = others.filter(({ text }) => isYearAlone(text)).map(({ text }) => Number(/\d{4}/.exec(text)?.[0]))
  if (years.length < 2 || years.length < others.length || !/\p{L}{3}/u.test(first?.text ?? '')) return false
  if (periods.year.in(wordsOf(first?.text ?? '')) !== undefined) return false
  const isOld = years.every((year) => year < firstOfLateYears)
  return isOld || years.some((year, at) => at > 0 && Math.abs(year - (years[at - 1] ?? year)) > mostYearsApart)
}

const mostYearsApart = 5
const firstOfLateYears = 2000

/** `Date incorporated`, and the date below it: what a form says, not the heading of what stands further down. */
function isDateOfForm({ country }: ReadDocument, lines: readonly PlacedLine[], index: number): boolean {
  const [date, ...others] = lines[index]?.cells ?? []
  if (!date || others.length > 0 || periodIn(date.text, country)?.kind !== 'date') return false
  const above = lines.slice(Math.max(0, index - 2), index).flatMap(({ cells }) => cells)
  const isLabelOf = ({ text }: Cell) => isLabel(text) && periods.year.in(wordsOf(text)) === undefined
  return above.some((cell) => overlap(cell, date) > 0 && isLabelOf(cell))
}

/** `Account statement | Business account`, `Haulage | Industry code B 46100`: columns are called by `account` and `code`, too. */
function isTitleOfTwo({ cells }: PlacedLine): boolean {
  const [first, other, ...more] = cells.map(({ text }) => wordsOf(text))
  const isOfAccount = other && (accountWords.in(other) !== undefined || other.some((word) => /^\d{5,}$/.test(word)))
  if (!first || !other || more.length > 0 || !isOfAccount) return false
  return other.length > 1 && (first.length > 2 || !isColumnWord(cells[0]?.text ?? ''))
}

/** `2025`, `Total`, `£`: the heading of the only column. */
function isLoneHeading(text: string, country: string | null): boolean {
  const words = wordsOf(text)
  if (words.length > 3 && !timeInBrackets.test(text)) return false
  return (
    periodIn(text, country) !== undefined ||
    totals.has(words.join(' ')) ||
    (words.length === 1 && periods.noise.at(words, 0) !== undefined) ||
    currencyIn(text) !== undefined ||
    scaleIn(text) !== undefined
  )
}

function isColumnWord(text: string): boolean {
  const words = wordsOf(text)
  if (words.length === 0) return /^[$£€]$/.test(text.trim())
  if (words.length > 4) return false
  return (
    totals.has(words.join(' ')) ||
    [signs.debit_columns, signs.credit_columns, periods.noise, periods.older, periods.newer, periods.actual].some(
      (one) => one.in(words) !== undefined,
    ) ||
    currencyIn(text) !== undefined ||
    scaleIn(text) !== undefined
  )
}

/** Differences, percentages, notes. */
export function isNoise(text: string): boolean {
  return periods.noise.in(wordsOf(text)) !== undefined || /^[%∆Δ]|%$/.test(text.trim())
}
