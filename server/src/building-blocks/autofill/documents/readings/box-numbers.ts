// The numbers of a form's boxes: a column of whole numbers beside the figures they number. Either they only rise, and some
// boxes stay empty, as no figures do; or all have three digits, and cents stand behind them.
import type { Cell } from '../formats/document-text.ts'
import { overlap, type PlacedLine } from './places.ts'

const fewest = 6
const fewestEmpty = 2

/** Whether a cell of this page is the number of a box. */
export function boxNumbersOf(lines: readonly PlacedLine[]): (cell: Cell) => boolean {
  const columns = new Map<number, Column>()
  for (const [line, { cells }] of lines.entries())
    for (const [index, cell] of cells.entries()) {
      if (index === 0 || !isBox(cell)) continue
      const number = Number(cell.text)
      const column = columns.get(placeOf(cell)) ?? {
        last: 0,
        count: 0,
        empty: 0,
        cents: 0,
        isRising: true,
        isShort: !isBelowYear(lines, line, cell),
      }
      column.isRising &&= number > column.last
      column.last = number
      column.count++
      column.isShort &&= cell.text.length === 3
      if (index === cells.length - 1) column.empty++
      if (/\d[.,]\d\d$/.test(cells[index + 1]?.text ?? '')) column.cents++
      columns.set(placeOf(cell), column)
    }
  return (cell) => {
    const column = columns.get(placeOf(cell))
    if (!isBox(cell) || !column || column.count < fewest) return false
    return (
      (column.isRising && column.empty >= fewestEmpty) ||
      (column.isShort && column.cents + column.empty === column.count)
    )
  }
}

interface Column {
  last: number
  count: number
  empty: number
  /** How many have an amount with cents behind them. */
  cents: number
  isRising: boolean
  isShort: boolean
}

/** `2025 | 2024` over a column: those are its figures. */
function isBelowYear(lines: readonly PlacedLine[], line: number, cell: Cell): boolean {
  const isYear = (one: Cell) => /(?:19|20)\d\d/.test(one.text) && one.text.length <= 14 && overlap(one, cell) > 0
  return lines.slice(Math.max(0, line - 4), line).some(({ cells }) => cells.some(isYear))
}

/** Figures end at one place, and numbers of boxes have one length: they begin there too. */
function placeOf({ left, right }: Cell): number {
  return Math.round(left) * 10_000 + Math.round(right)
}

function isBox({ text }: Cell): boolean {
  return /^\d{3,4}$/.test(text) && !/^(?:19|20)\d\d$/.test(text)
}
