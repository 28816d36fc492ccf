// Sums without a label, as bookkeeping programs print them: `Sales`, what was sold below it, and at the end a line of
// numbers alone. Where they are the sums of the rows above, the line gets the heading of its section as its label.
import type { Cell } from '../formats/document-text.ts'
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { readLabel } from './labels.ts'
import { type DecimalMark, numbersIn } from './numbers.ts'
import { periodIn } from './periods.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const headLines = 8

interface Section {
  heading: Cell
  /** In cents, of each column. */
  sums: number[]
  rows: number
}

export function withSectionTotals(document: ReadDocument): ReadDocument {
  const { pages, mark } = document
  return { ...document, pages: pages.map((page) => ({ ...page, lines: withLabels(page.lines, mark) })) }
}

function withLabels(lines: PlacedLine[], mark: DecimalMark): PlacedLine[] {
  const isReport = lines.slice(0, headLines).some(({ text }) => periods.titles.in(wordsOf(text)) !== undefined)
  if (!isReport) return lines
  let section: Section | undefined
  // Only the first section of a report holds all that was sold.
  let isFirst = true
  return lines.map((line, index) => {
    const { cells } = line
    const [first, ...rest] = cells
    if (!first || cells.every(({ text }) => /^[-–—=_\s]+$/.test(text))) return line
    const own = section
    section = undefined
    if (rest.length === 0 && !/\d/.test(first.text)) {
      section = isFirst && isRevenue(first.text) ? { heading: first, sums: [], rows: 0 } : undefined
      return line
    }
    const amounts = amountsOf(cells, mark)
    if (amounts) {
      isFirst = false
      return own && isSum(own, amounts) && endsSection(lines.slice(index + 1).find(({ cells }) => cells.length > 0))
        ? labelled(line, own.heading)
        : line
    }
    const added = amountsOf(rest, mark)
    if (added && !own) isFirst = false
    // `January`, `Week 1`: parts of a year are not what was sold.
    const isRow = own && /\p{L}{3}/u.test(first.text) && periodIn(first.text, null) === undefined
    if (added && isRow && (own.rows === 0 || added.length === own.sums.length))
      section = { ...own, sums: added.map((cents, index) => cents + (own.sums[index] ?? 0)), rows: own.rows + 1 }
    return line
  })
}

/** The heading of the next section: nothing is taken off or added any more. */
function endsSection(next: PlacedLine | undefined): boolean {
  return next?.cells.length === 1 && !/\d/.test(next.text)
}

function isRevenue(text: string): boolean {
  return readLabel(text).some(({ fact, is_exact }) => fact === 'business.annual_revenue' && is_exact)
}

/** Undefined unless every cell is one amount. */
function amountsOf(cells: readonly Cell[], mark: DecimalMark): number[] | undefined {
  const amounts = cells.flatMap(({ text }) => {
    const [number, ...more] = /\p{L}{2}|:/u.test(text) ? [] : numbersIn(text, mark)
    return number && more.length === 0 ? [Math.round(Number(number.value) * 100)] : []
  })
  return amounts.length === cells.length && amounts.length > 0 ? amounts : undefined
}

/** One row is no sum: the line below it may be anything. */
function isSum({ sums, rows }: Section, amounts: readonly number[]): boolean {
  return (
    rows > 1 &&
    sums.length === amounts.length &&
    sums.every((sum, index) => Math.abs(sum - (amounts[index] ?? 0)) <= rows)
  )
}

function labelled(line: PlacedLine, { text, left, right }: Cell): PlacedLine {
  const [first] = line.cells
  const end = Math.min(right, (first?.left ?? right) - 1)
  const cells = [{ text, left: Math.min(left, end - 1), right: end }, ...line.cells]
  return { ...line, cells, text: `${text}  ${line.text}`, shown_at: placeOf(line) }
}
