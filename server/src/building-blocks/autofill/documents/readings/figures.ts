// Figures of a business: turnover, profit, the balance of an account, the number of employees. Every number beside or
// below a label becomes a reading of its own, with the period of its column.
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { atEndOf, consolidated, groupParts, isMisled, shareHeadings, totals } from '../words/vocabulary.ts'
import { boxNumbersOf } from './box-numbers.ts'
import { type Column, headingsOf, isFullYear, type PageHeadings } from './columns.ts'
import type { Names } from './company-names.ts'
import { type Figure, figuresIn, isNote, withoutAsides } from './figure-numbers.ts'
import { isHeadedByOther, isOtherName, ofOwnColumn } from './figure-owners.ts'
import { combined, isOlderThan } from './figure-periods.ts'
import { type Context, doubtsOf, reading } from './figure-readings.ts'
import { documentPeriod } from './heading-contexts.ts'
import { isLabelCell } from './label-cells.ts'
import { type ReadLabel, readLabel } from './labels.ts'
import type { FoundNumber } from './numbers.ts'
import type { Pair } from './pair.ts'
import { type Period, periodIn } from './periods.ts'
import { dayBeside, periodBehind, yearBefore, yearInRow } from './periods-beside.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'
import { partsOfStaff } from './staff-tables.ts'
import { currencyIn } from './units.ts'

export const figureFacts = new Set([
  'business.annual_revenue',
  'business.annual_profit',
  'business.bank_balance',
  'business.employee_count',
])

export function readFigures(document: ReadDocument, pairs: readonly Pair[], names: Names): Reading[] {
  const pages = new Map<number, PageFacts>()
  const currency = documentCurrency(document)
  let isGroup: boolean | undefined
  return pairs.flatMap((pair) => {
    const { page } = pair
    const labels = pair.labels.filter(({ fact }) => figureFacts.has(fact))
    if (labels.length === 0) return []
    let own = pages.get(page)
    if (!own) {
      const isConsolidated = isTitledConsolidated(document, page)
      if (isConsolidated) isGroup ??= hasGroupParts(document)
      const isOfGroup = isConsolidated && isGroup === true
      own = {
        headings: headingsOf(document, page),
        share: shareOf(document, page),
        isOfGroup,
        isBoxNumber: boxNumbersOf(document.pages[page]?.lines ?? []),
      }
      pages.set(page, own)
    }
    if (pair.index > own.share) return []
    const { headings, isBoxNumber } = own
    const context: Context = { document, headings, currency, pair, names, isBoxNumber }
    const found = labels.flatMap((label) =>
      pair.relation === 'below' ? figuresBelow(context, label) : figuresBeside(context, label),
    )
    const isOthers = own.isOfGroup || (found.length > 0 && isHeadedByOther(document, page, pair.index, names))
    return isOthers ? found.map(asOthers) : found
  })
}

/** `Consolidated statement of income` of a parent and its subsidiaries: not the figures of the business alone. */
function isTitledConsolidated({ pages }: ReadDocument, page: number): boolean {
  const filled = pages[page]?.lines.filter(({ cells }) => cells.length > 0).slice(0, 5) ?? []
  return filled.some(({ text }) => consolidated.in(wordsOf(text)) !== undefined)
}

function hasGroupParts({ pages }: ReadDocument): boolean {
  return pages.some(({ lines }) => lines.some(({ text }) => groupParts.in(wordsOf(text)) !== undefined))
}

function asOthers(reading: Reading): Reading {
  return reading.fact === 'business.bank_balance' ? reading : { ...reading, doubts: [...reading.doubts, 'owner'] }
}

/** The line from which on a page tells what one partner gets. */
function shareOf({ pages }: ReadDocument, page: number): number {
  const at = pages[page]?.lines.findIndex(
    ({ cells, text: whole }) =>
      (cells.length <= 2 || /^Schedule K-1\b/.test(whole)) &&
      cells.some(({ text }) => shareHeadings.in(wordsOf(text)) !== undefined),
  )
  return at === undefined || at === -1 ? Number.POSITIVE_INFINITY : at
}

interface PageFacts {
  headings: PageHeadings
  /** The line from which on it tells what one partner gets. */
  share: number
  isOfGroup: boolean
  isBoxNumber: (cell: Cell) => boolean
}

const longestColumn = 26

function figuresBeside(context: Context, label: ReadLabel): Reading[] {
  const { pair, document, headings } = context
  const all = ofOneYear(pair)
    .filter((cell) => !context.isBoxNumber(cell))
    .map((cell) => withoutAsides(cell, label.fact === 'business.employee_count'))
  const values = all.length > 1 ? ofOwnColumn(document, pair.page, pair.index, all, context.names) : all
  const figures = figuresIn(document, values)
  if (figures.length === 0) return []
  const above = pair.relation === 'field' ? [] : headings.columnsOf(pair.index, values)
  const dated = figures.length > 1 ? figures.map((figure) => ownColumn(document, figure)) : []
  const columns =
    dated.every((column) => column !== undefined) && dated.length > 0
      ? dated
      : figures.map(({ cell }) => above[values.indexOf(cell)])
  // `France | Exports | Total N | N-1`
  const isCompared = columns.some((column) => column?.is_older) && columns.some((column) => column?.is_newer)
  const isDated =
    isCompared ||
    figures.some(
      ({ number }, index) => columns[index]?.period !== undefined && (number.is_formatted || figures.length <= 2),
    )
  const kept = figures.flatMap((figure, index) => {
    const column = columns[index]
    // Beside years, a column that is called something else holds something else: `Exports`.
    const isOther = isDated && column !== undefined && !column.period && !column.is_older && !column.is_newer
    const isLine = figure.cell.text === pair.line.cells[0]?.text
    return column?.is_noise || isOther || isLine || isNote(figure, figures, column) ? [] : [{ ...figure, column }]
  })
  const [one] = kept
  if (!one) return []
  // `Withdrawals | Deposits | Balance`
  const isBalance = ({ column }: (typeof kept)[number]) =>
    readLabel((column?.text ?? '').replace(/\([^()]*\)/g, ' ')).some(
      ({ fact, is_exact }) => fact === 'business.bank_balance' && is_exact,
    )
  const balances = label.fact === 'business.bank_balance' ? kept.filter(isBalance) : []
  if (kept.length > 1 && balances.length === 1) kept.splice(0, kept.length, ...balances)
  // Several numbers that no heading tells apart. `Debits | Balance | Gains` may all be the same; two may be of two parts.
  const isSame = kept.length > 2 && new Set(kept.map(({ number }) => number.value)).size === 1
  const isMixed =
    kept.length > 1 &&
    !(isSame && label.fact !== 'business.employee_count') &&
    kept.some(({ column }) => column?.period === undefined && !column?.is_older && !column?.is_newer)
  // `Number of employees: after the loan | 27`
  const words = values.slice(0, values.indexOf(one.cell)).map(({ text }) => text)
  const labelPeriod =
    periodIn([pair.label_text, ...words].join(' '), document.country) ??
    (kept.length === 1
      ? (periodBehind(document, one) ??
        dayBeside(context, label, one.cell) ??
        yearBefore(context, label, one) ??
        yearInRow(context, label))
      : undefined)
  // `100 %` in the column beside it says nothing of the label.
  const between = wordsOf(words.filter((text) => /\p{L}/u.test(text)).join(' '))
  // `Figures of 2026 not closed` over `Jan-Sep 2026 | 2025`: the heading speaks of the year that is not over.
  const said = headings.periodAt(pair.index)
  const isRunning = columns.some((column) => column?.period?.kind === 'part' && column.period.year === said?.year)
  return kept.map(({ number, cell, column }, index) => {
    // The day of a balance stands with its label.
    const isDay = label.fact === 'business.bank_balance' && labelPeriod?.end !== undefined
    const period = isDay ? labelPeriod : combined(column, labelPeriod, headings.periodAt(pair.index), index)
    const doubts = doubtsOf(context, label, cell, number)
    if (label.fact === 'business.employee_count' && (isInsideRow(pair) || isPartOfStaff(document, pair)))
      doubts.push('label')
    // `Result: taxable profit | 24,915`
    if (isMisled(label.fact, between, between.length, 0)) doubts.push('label')
    if (isMixed) doubts.push('number')
    if (isOlderThan(period, said) && !isRunning) doubts.push('period')
    if (isDay && isBeforeStatement(document, labelPeriod?.end ?? '')) doubts.push('period')
    if (column && isOtherName(column.text, context.names)) doubts.push('owner')
    // How many were paid in a month says little of how many there are.
    if (labelPeriod && isCountOfMonth(label, labelPeriod) && !atEndOf.in(wordsOf(pair.label_text)))
      doubts.push('period')
    return reading(context, label, number, pair.value_line, period, doubts, column)
  })
}

function isPartOfStaff({ pages }: ReadDocument, { page, line }: Pair): boolean {
  const lines = pages[page]?.lines
  return lines !== undefined && partsOfStaff(lines).has(line)
}

/** `Option holders (11) | Employees | 0 | 750,000`: a word of a row that is about something else. */
function isInsideRow({ cell, line, relation }: Pair): boolean {
  const [first, ...more] = line.cells
  if (relation !== 'beside' || !first || first === cell || more.length <= 2) return false
  return /^[^:]*\p{L}{3}[^:]*$/u.test(first.text) && !/(?:19|20)\d\d/.test(first.text) && !isLabelCell(first)
}

/** `Balance at 30/09/2026` on the statement of October is the one it begins with. */
function isBeforeStatement(document: ReadDocument, day: string): boolean {
  const period = documentPeriod(document)
  const days = (Date.parse(period?.end ?? '') - Date.parse(day)) / 86_400_000
  return (period?.kind === 'part' || period?.kind === 'month') && days > 7
}

/** `2026 Budget $2,900,000 | 2025 Actual $2,641,300`: each says itself of when it is. */
function ownColumn({ country }: ReadDocument, { text: whole, number }: Figure): Column | undefined {
  const text = whole.slice(0, number.begin)
  const period = /\p{L}/u.test(text) ? periodIn(text, country) : undefined
  return period && { text, period, is_noise: false, is_older: false, is_newer: false, is_debit: false }
}

/** `2023: $14.9M | 2024: $16.2M | 2025: $18.6M`: each with its year before it. */
function yearsStated(document: ReadDocument, { cells }: PlacedLine) {
  const figures = figuresIn(document, cells)
  const stated = figures.flatMap((figure) => {
    const [, year] =
      /^\s*((?:19|20)\d\d)\s?[:=–-]\s*[^\d\s]{0,4}\s*$/.exec(figure.text.slice(0, figure.number.begin)) ?? []
    const period: Period | undefined =
      year === undefined
        ? undefined
        : { kind: 'year', year: Number(year), is_plan: false, is_explicit: true, name: year }
    return period ? [{ figure, period }] : []
  })
  return stated.length === figures.length ? stated : []
}

/** `14. Retained earnings`, `7 Reconciliation to taxable income`; `45 TEUR` is an amount. */
const nextLine = /^\s*\d{1,3}(?:[.)]\s+\p{L}{3}|\s+\p{Lu}\p{Ll}{2,}\s\p{L})/u

/** A label over its figure, or over a column of them with years, months or a total down the side. */
function figuresBelow(context: Context, label: ReadLabel): Reading[] {
  const { pair, document, headings } = context
  const lines = document.pages[pair.page]?.lines ?? []
  const rows: { line: PlacedLine; cell: Cell; number: FoundNumber }[] = []
  let [isGap, isListed] = [false, false]
  for (const line of lines.slice(pair.value_line.number - 1, pair.value_line.number + 59)) {
    if (line.cells.length === 0) {
      // A list of accounts may have an empty line behind each.
      if (rows.length > 0 && label.fact !== 'business.bank_balance') break
      if (isGap) break
      isGap = rows.length > 0
      continue
    }
    isListed ||= isGap
    isGap = false
    const cell = line.cells.find((one) => overlap(one, pair.cell) > 0 || Math.abs(one.right - pair.cell.right) <= 6)
    // `14. Retained earnings` is the next line of the accounts; `12 full time` are people.
    const isNext = label.fact !== 'business.employee_count' && nextLine.test(cell?.text ?? '')
    const [figure] = cell && !isNext ? figuresIn(document, [cell]) : []
    const top = rows[0]?.cell
    // `Projected turnover next 12 months` below a number is the next caption.
    if (rows.length > 0 && /^\p{L}{3}/u.test(cell?.text ?? '')) break
    const isApart = top && cell && Math.abs(top.left - cell.left) > 40 && Math.abs(top.right - cell.right) > 6
    if (!cell || !figure || isApart) {
      if (rows.length > 0) break
      return []
    }
    rows.push({ line, cell, number: figure.number })
    // Longer than two years of months: movements, customers, items.
    if (rows.length > longestColumn) return []
  }
  const [only] = rows
  if (!only) return []
  if (isListed && rows.length > 1)
    return [
      reading(context, label, only.number, only.line, undefined, [
        ...doubtsOf(context, label, only.cell, only.number),
        'number',
      ]),
    ]
  const labelPeriod = periodIn(pair.label_text, document.country)
  const context_ = headings.periodAt(pair.index)
  const stated = rows.length === 1 ? yearsStated(document, only.line) : []
  if (stated.length > 1)
    return stated.map(({ figure: { cell, number }, period: own }) => {
      // `Budget 2024 and 2025` or `First half only` above them holds for each.
      const around = [labelPeriod, context_]
      const period = { ...own, is_plan: around.some((one) => one?.is_plan === true) }
      const doubts = doubtsOf(context, label, cell, number)
      if (around.some((one) => one?.kind === 'part' || one?.kind === 'month')) doubts.push('period')
      return reading(context, label, number, only.line, period, doubts)
    })
  if (rows.length === 1) {
    const period = combined(undefined, periodOfRow(document, only.line, pair) ?? labelPeriod, context_, 0)
    return [reading(context, label, only.number, only.line, period, doubtsOf(context, label, only.cell, only.number))]
  }
  const periodsOfRows = rows.map(({ line }) => periodOfRow(document, line, pair))
  const parts = periodsOfRows
    .filter((period) => period?.kind === 'month' || period?.kind === 'part')
    .filter((period) => period !== undefined)
  return rows.flatMap(({ line, cell, number }, index): Reading[] => {
    const [first] = line.cells
    const isTotal = first !== undefined && totals.has(wordsOf(first.text).join(' '))
    const own = periodsOfRows[index]
    const last = parts.findLast((period) => period?.year !== undefined)
    const total: Period | undefined =
      isTotal && parts.length > 0
        ? {
            kind: isFullYear(parts) ? 'year' : 'part',
            ...(last?.year !== undefined && { year: last.year }),
            is_plan: false,
            is_explicit: true,
            name: first.text,
          }
        : undefined
    const period = total ?? own
    // A list of something else: customers, movements, branches.
    if (!period) return []
    return [
      reading(
        context,
        label,
        number,
        line,
        combined(undefined, period, context_, 0),
        // How many were employed in each of some months says nothing of today.
        [...doubtsOf(context, label, cell, number), ...(isCountOfMonth(label, period) ? (['period'] as const) : [])],
      ),
    ]
  })
}

function isCountOfMonth({ fact }: ReadLabel, { kind, is_plan }: Period): boolean {
  return fact === 'business.employee_count' && (kind === 'month' || kind === 'part' || is_plan)
}

function periodOfRow(
  { country }: ReadDocument,
  { cells }: PlacedLine,
  { cell: below, line }: Pair,
): Period | undefined {
  // `Last financial year end` over `30/06/2026`.
  const captionOf = (day: Cell) => line.cells.find((cell) => cell !== below && overlap(cell, day) > 0)?.text ?? ''
  const [first] = cells
  const period = first && first.right <= below.left + 1 ? periodIn(first.text, country) : undefined
  if (first && period?.kind === 'date') return periodIn(`${captionOf(first)} ${first.text}`, country) ?? period
  // `Turnover | Profit | Year ended` over `2,914,006 | 238,115 | 31/12/2025`.
  const told = cells.map(({ text }) => periodIn(text, country)?.kind)
  if (period || told.some((kind) => kind === 'part' || kind === 'month')) return period
  const ends = cells.map((day) => /^[\d./-]+$/.test(day.text) && periodIn(`${captionOf(day)} ${day.text}`, country))
  const end = ends.find((one) => one && one.kind === 'year' && one.end !== undefined)
  // `Forecast` above it says more.
  return end ? { ...end, is_explicit: false } : undefined
}

/** `Sales 2025: | $3,462,000 | 2024: | $3,118,500`: an earlier year with a colon begins another figure. */
function ofOneYear({ label_text, values }: Pair): Line {
  const at = values.findIndex(({ text }) => /^(?:FY\s?)?(?:19|20)\d\d\s?:$/.test(text))
  const yearOf = (text = '') => Number(/(?:19|20)\d\d/.exec(text)?.[0] ?? 0)
  return at > 0 && yearOf(label_text) > yearOf(values[at]?.text) ? values.slice(0, at) : values
}

/** The currency of a document that names only one. */
function documentCurrency({ pages }: ReadDocument): string | undefined {
  const seen = new Set<string>()
  for (const { lines } of pages.slice(0, 20))
    for (const { text } of lines.slice(0, 300)) {
      // `USD 18,400.00 @ 1.3612` came in from abroad.
      const found = /\d\s?@(?:\s|$)/.test(text) ? undefined : currencyIn(text)
      if (found !== undefined) seen.add(found)
    }
  return seen.size === 1 ? [...seen][0] : undefined
}
