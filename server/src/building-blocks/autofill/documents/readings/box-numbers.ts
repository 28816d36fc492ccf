// The numbers of a form's boxes: a column of whole numbers that only rise, beside the figures they number. A form has boxes
// that stay empty; a column of figures has none.
import type { Cell } from '../formats/document-text.ts'
import type { PlacedLine } from './places.ts'

const fewest = 6
const fewestEmpty = 2

/** Whether a cell of this page is the number of a box. */
export function boxNumbersOf(lines: readonly PlacedLine[]): (cell: Cell) => boolean {
  const columns = new Map<number, { last: number; count: number; empty: number; isRising: boolean }>()
  for (const { cells } of lines)
    for (const [index, cell] of cells.entries()) {
      if (index === 0 || !isBox(cell)) continue
      const number = Number(cell.text)
      const column = columns.get(placeOf(cell)) ?? { last: 0, count: 0, empty: 0, isRising: true }
      column.isRising &&= number > column.last
      column.last = number
      column.count++
      if (index === cells.length - 1) column.empty++
      columns.set(placeOf(cell), column)
    }
  return (cell) => {
    const column = columns.get(placeOf(cell))
    return isBox(cell) && column?.isRising === true && column.count >= fewest && column.empty >= fewestEmpty
  }
}

/** Figures end at one place, and numbers of boxes have one length: they begin there too. */
function placeOf({ left, right }: Cell): number {
  return Math.round(left) * 10_000 + Math.round(right)
}

function isBox({ text }: Cell): boolean {
  return /^\d{3,4}$/.test(text) && !/^(?:19|20)\d\d$/.test(text)
}
