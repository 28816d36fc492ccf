// What stands above a page's figures: the headings of their columns, the period and the scale they are given in.

import type { Cell, Line } from '../formats/document-text.ts'
import { periods, signs } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { totals } from '../words/vocabulary.ts'
import { datesIn, isoOf } from './dates.ts'
import { headsColumns, isNoise, isYearAlone } from './header-lines.ts'
import {
  contextOf,
  documentPeriod,
  documentScale,
  isNoteOnAll,
  isScaledElsewhere,
  isTitleOfPart,
  isVaguer,
  scaleOfHeading,
} from './heading-contexts.ts'
import { numbersIn } from './numbers.ts'
import { type Period, periodIn } from './periods.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'
import { currencyIn, isScaleWord, scaleIn } from './units.ts'

export interface Column {
  /** The headings above it, from the top. */
  text: string
  period?: Period
  /** It holds differences, percentages, notes: never a figure. */
  is_noise: boolean
  is_older: boolean
  is_newer: boolean
  /** Of a column of debits beside one of credits. */
  is_debit: boolean
  /** Undefined when the headings say nothing of a scale. */
  scale?: number
  currency?: string
}

export interface PageHeadings {
  /** The headings above each of the values of a line. */
  columnsOf(index: number, values: Line): (Column | undefined)[]
  /** The period and scale that headings above a line give. */
  periodAt(index: number): Period | undefined
  /** What the label itself says comes first. */
  scaleAt(index: number, label: string): number
  /** The scale stands in the title of something else: `Loans (£'000)`. */
  isScaleOfPart(index: number): boolean
  /** A heading speaks of thousands or millions in words that give no scale. */
  may_be_scaled: boolean
}

const stackedLines = 3

export function headingsOf(document: ReadDocument, page: number): PageHeadings {
  const { lines = [], title = '' } = document.pages[page] ?? {}
  const { country } = document
  const isHeader = lines.map((_, index) => headsColumns(document, lines, index))
  const nearest: number[] = []
  const contexts: (Period | undefined)[] = []
  const scales: (number | undefined)[] = []
  const isOfPart: boolean[] = []
  let said: number | undefined
  const pageTitle = title === '' ? undefined : periodIn(title, country)
  const start = pageTitle ?? (page > 0 ? documentPeriod(document) : undefined)
  for (const [index, line] of lines.entries()) {
    nearest.push(isHeader[index - 1] ? index - 1 : (nearest[index - 1] ?? -1))
    const before = contexts[index - 1] ?? start
    const found = contextOf(document, lines, index)
    const isRow = isHeader[index] && isRowOfColumns(line, found)
    contexts.push(isRow || isVaguer(found, before) ? before : (found ?? before))
    // What a line with figures says of its scale holds for that line alone.
    const own = hasFigures(document, line) ? undefined : scaleOfHeading(line.text)
    scales.push(own ?? scales[index - 1])
    isOfPart.push(own === undefined ? (isOfPart[index - 1] ?? false) : isTitleOfPart(line.text))
    if (own !== undefined && !isOfPart[index] && isNoteOnAll(line.text)) said = own
  }
  const yearEnd = endOfLastMonth(lines, country) ?? endOfDecember(lines, country)
  // `All figures in thousands` may stand below the table too.
  const anywhere = said ?? documentScale(document)
  return {
    columnsOf(index, values) {
      const at = nearest[index] ?? -1
      if (at === -1) return values.map(() => undefined)
      return columnsAbove(document, lines, isHeader, at, values).map(
        (column) => column && upToLastMonth(column, yearEnd),
      )
    },
    periodAt: (index) => contexts[index],
    isScaleOfPart: (index) => isOfPart[index] === true && scales[index] !== anywhere,
    may_be_scaled:
      anywhere === undefined && (lines.some(({ text }) => isScaleWord(text)) || isScaledElsewhere(document, page)),
    scaleAt(index, label) {
      const own = scaleIn(label)
      // `Net profit (£)` in a table in thousands is given in pounds.
      if (own !== undefined || /\((?:[$£€]|EUR|GBP|USD|CHF)\)/.test(label)) return own ?? 1
      return scales[index] ?? anywhere ?? 1
    },
  }
}

/** `To: Month 12, June 2026` */
function endOfLastMonth(lines: readonly PlacedLine[], country: string | null): string | undefined {
  const line = lines.slice(0, 15).find(({ text }) => {
    const words = wordsOf(text)
    const found = periods.last_months.in(words)
    // `Forecast up to month 12`, `month 12 of 15`
    const isOnly = words.every((word) => !/^\d+$/.test(word) || word === '12' || /^20\d\d$/.test(word))
    return found !== undefined && found.begin <= 1 && words.length <= 6 && isOnly
  })
  const [month, ...more] = line ? datesIn(line.text, country).filter(({ year }) => year > 0) : []
  return month && more.length === 0 ? isoOf(month) : undefined
}

/** There, the year of a business is that of the calendar by law. */
const calendarYears = new Set(['MX', 'CO', 'PE', 'CL'])

/** `Estado de resultados del 01/Dic/2025 al 31/Dic/2025`: what is told of the last month of a year. */
function endOfDecember(lines: readonly PlacedLine[], country: string | null): string | undefined {
  if (!calendarYears.has(country ?? '')) return undefined
  for (const { text } of lines.slice(0, 8)) {
    const [from, to, ...more] = datesIn(text.slice(0, 200), country).map(isoOf)
    if (to?.endsWith('-12-31') && from === to.replace(/31$/, '01') && more.length === 0) return to
  }
  return undefined
}

/** A row of years heads its columns, unless it is `For the year ended August 31, | 2026`; so do years beside some months. */
function isRowOfColumns({ cells }: PlacedLine, found: Period | undefined): boolean {
  const isBeside = found?.kind === 'part' && cells.filter(({ text }) => isYearAlone(text)).length > 1
  return cells.length > 1 && (found?.end === undefined || isBeside)
}

/** `Three months ended 31 March | 2025 | 2024`, `Q1 | 2025 | 2024`: what stands below the years is of a part of them. */
function isPartOfYears({ cells }: PlacedLine, values: Line, country: string | null): boolean {
  const [first, ...years] = cells
  if (!first || years.length === 0 || !years.every(({ text }) => isYearAlone(text))) return false
  // `Mes | 2024 | 2025` has the months below it, and `Q4 2025 | 2025 | 2024` may have figures below each.
  const isNamed = wordsOf(first.text).length > 1 || /\d/.test(first.text)
  const isLabel = values.length <= years.length || first.left + 4 < (values[0]?.left ?? 0)
  const kind = isNamed && isLabel ? periodIn(first.text, country)?.kind : undefined
  return kind === 'part' || kind === 'month'
}

/** What has come together up to the last month of a year is that of the year. */
function upToLastMonth(column: Column, end: string | undefined): Column {
  const { period, text } = column
  if (end === undefined || period?.kind !== 'part' || periods.to_date.in(wordsOf(text)) === undefined) return column
  // `YTD 2025`, `Last year to date`
  if (period.year !== undefined || column.is_older) return column
  return { ...column, period: { ...period, kind: 'year', end, year: Number(end.slice(0, 4)) } }
}

function hasFigures({ mark }: ReadDocument, { cells }: PlacedLine): boolean {
  return cells.some(({ text }) => /\d{3}/.test(text) && numbersIn(text, mark).some((number) => !number.is_year))
}

function columnsAbove(
  document: ReadDocument,
  lines: readonly PlacedLine[],
  isHeader: readonly boolean[],
  at: number,
  values: Line,
): (Column | undefined)[] {
  // Headings are often set in several lines; the block ends where a line is none.
  let top = at
  while (top > 0 && at - top < stackedLines - 1 && (isHeader[top - 1] || isSpace(lines[top - 1]))) top--
  const block = lines.slice(top, at + 1).filter(({ cells }) => cells.length > 0)
  const rows = block.map(({ cells }) => assigned(cells, values))
  const ofPart = block.some((line) => isPartOfYears(line, values, document.country))
  return values.map((_, index) => {
    const own = rows.flatMap((row) => row[index] ?? [])
    if (own.length === 0) return undefined
    // `January - December 2025` over `Jan - Dec 2025`: two periods read as one text would be neither.
    const last = own.at(-1)
    // And `2025 AND 2024` over `2024` is of both.
    const isOfBoth = ({ text }: Cell) => new Set(text.match(/(?<!\d)20\d\d(?!\d)/g)).size > 1
    const isSaid = last !== undefined && isYearAlone(last.text)
    // `Annual accounts 2025` over `March 2025` is of a month, and `Exercice 2025` over `(6 mois)` of a part.
    const said = last && periodIn(last.text, document.country)
    const isPart = said?.kind === 'part' || (said?.kind === 'month' && said.year !== undefined)
    const isOfYear = (cell: Cell) => isPart && periodIn(cell.text, document.country)?.kind === 'year'
    const kept = own.filter(
      (cell) => cell === last || !(isSamePeriod(document, cell, last) || isOfYear(cell) || (isSaid && isOfBoth(cell))),
    )
    const column = columnOf(document, kept.map(({ text }) => text).join(' '), block)
    return ofPart && column.period
      ? { ...column, period: { ...column.period, kind: 'part', is_explicit: true } }
      : column
  })
}

function isSamePeriod({ country }: ReadDocument, one: Cell, other: Cell | undefined): boolean {
  const [a, b] = [one, other].map((cell) => cell && periodIn(cell.text, country))
  return a?.kind === 'year' && b?.kind === 'year' && a.year === b.year && a.end === b.end && a.is_plan === b.is_plan
}

function columnOf({ country }: ReadDocument, text: string, block: readonly PlacedLine[]): Column {
  const words = wordsOf(text)
  const period = totalOf(words, block, country) ?? periodIn(text, country)
  const currency = currencyIn(text)
  // `EUR | TEUR`: what a column says of its scale holds for that column alone.
  const isBeside = currency !== undefined && block.some(({ cells }) => cells.some((cell) => scaleIn(cell.text)))
  const scale = scaleIn(text) ?? (isBeside ? 1 : undefined)
  return {
    text,
    is_noise: isNoise(text),
    is_older: periods.older.in(words) !== undefined,
    is_newer: periods.newer.in(words) !== undefined || periods.actual.in(words) !== undefined,
    is_debit:
      signs.debit_columns.in(words) !== undefined &&
      // `Debit Credit` that stand close are one heading, and say nothing of either.
      signs.credit_columns.in(words) === undefined &&
      block.some((line) => signs.credit_columns.in(wordsOf(line.text)) !== undefined),
    ...(period && { period: wholeOf(yearOf(period, block, country), block, country) }),
    ...(scale !== undefined && { scale }),
    ...(currency !== undefined && { currency }),
  }
}

/** `31/12/2025 | 31/12/2024`, and no other day beside them: the years that end then. */
function yearOf(period: Period, block: readonly PlacedLine[], country: string | null): Period {
  if (period.kind !== 'date' || !period.end?.endsWith('-12-31')) return period
  const ends = block.flatMap(({ cells }) => cells.flatMap(({ text }) => periodIn(text, country)?.end ?? []))
  const isYears = ends.every((end) => end.endsWith('-12-31')) && new Set(ends).size > 1
  return isYears ? { ...period, kind: 'year' } : period
}

/** The heading of each value: what stands above it; where two would have the same one, by their order from the right. */
function assigned(cells: Line, values: Line): (Cell | undefined)[] {
  const above = values.map((value) => closest(cells, value))
  const found = above.filter((cell) => cell !== undefined)
  if (new Set(found).size === values.length || cells.length < values.length) return above
  return values.map((_, index) => cells[cells.length - values.length + index])
}

function isSpace(line: PlacedLine | undefined): boolean {
  return line?.cells.length === 0
}

/** The heading over a cell: what overlaps it most, else what ends closest to it. */
function closest(cells: readonly Cell[], cell: Cell): Cell | undefined {
  const over = cells.filter((one) => overlap(one, cell) > 0).sort((a, b) => overlap(b, cell) - overlap(a, cell))[0]
  // `Notes` in a line of its own heads what stands below it, not the figures beside that.
  if (over || (cells.length === 1 && isNoise(cells[0]?.text ?? ''))) return over
  const width = Math.max(30, cell.right - cell.left)
  return cells
    .map((one) => ({ one, gap: Math.max(one.left - cell.right, cell.left - one.right) }))
    .filter(({ gap }) => gap < width)
    .sort((a, b) => a.gap - b.gap)[0]?.one
}

/** A column `Total` beside twelve months or four quarters is a year; beside fewer it is a part of one. */
function totalOf(words: readonly string[], block: readonly PlacedLine[], country: string | null): Period | undefined {
  if (!totals.has(words.join(' '))) return undefined
  const parts = partsIn(block, country)
  if (parts.length === 0) return undefined
  const last = parts.findLast(({ year }) => year !== undefined)
  const isWhole = isFullYear(parts)
  return {
    kind: isWhole ? 'year' : 'part',
    ...(last?.year !== undefined && { year: last.year }),
    is_plan: parts.some(({ is_plan }) => is_plan),
    is_explicit: true,
    name: words.join(' '),
  }
}

/** A bare year beside the months of that year is their sum, and whole only with all of them. */
function wholeOf(period: Period, block: readonly PlacedLine[], country: string | null): Period {
  if (period.kind !== 'year') return period
  const parts = partsIn(block, country)
  // `Year to 31 March 2026` beside halves of other years says itself that it is whole.
  const isSpan = datesIn(period.name, country).length === 2
  // `9 months to 30` over `Sep 2026` is one heading.
  const months = parts.filter(({ kind }) => kind === 'month')
  if (period.end !== undefined && (isSpan || months.length <= parts.length - months.length)) return period
  // `Jul-26 | Aug-26 | Sep-26 | FY 2025`: the months are those of a later year; `2025` may be the same months of that.
  const isOfLater = parts.every(({ year = 0 }) => period.year !== undefined && year > period.year) && period.is_explicit
  return parts.length >= 3 && !isFullYear(parts) && !isOfLater ? { ...period, kind: 'part', is_explicit: true } : period
}

function partsIn(block: readonly PlacedLine[], country: string | null): Period[] {
  return block.flatMap(({ cells }) =>
    cells.flatMap(({ text }) => {
      const period = periodIn(text, country)
      return period && (period.kind === 'month' || period.kind === 'part') && !/ytd/i.test(text) ? [period] : []
    }),
  )
}

export function isFullYear(parts: readonly Period[]): boolean {
  const months = new Set(parts.filter(({ kind }) => kind === 'month').map(({ month }) => month))
  return months.size === 12 || (months.size === 0 && parts.length === 4)
}
