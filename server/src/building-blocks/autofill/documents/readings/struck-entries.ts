// Extracts of the Swiss registers: every entry has the number of the record that entered it (`In`, `Ei`) and, once it no
// longer holds, of the record that struck it out (`Ra`, `Lö`). Text does not show what is struck out; here it is gone.
import type { Cell, Line } from '../formats/document-text.ts'
import { overlap, type PlacedLine, type ReadDocument, relined } from './places.ts'

interface Entries {
  entered: Cell
  struck: Cell
  /** Where the next column begins. */
  end: number
  isStruck: boolean
}

export function withoutStruckEntries(document: ReadDocument): ReadDocument {
  if (document.country !== 'CH') return document
  return { ...document, pages: document.pages.map((page) => ({ ...page, lines: withoutStruck(page.lines) })) }
}

function withoutStruck(lines: readonly PlacedLine[]): PlacedLine[] {
  let columns: Entries[] = []
  return lines.map((line) => {
    const headed = columnsIn(line.cells.flatMap(apart))
    // Entries end with an empty line or the next heading.
    if (headed.length > 0 || line.cells.length === 0) columns = headed
    if (headed.length > 0 || columns.length === 0) return line
    for (const column of columns) column.isStruck = isStruck(column, line.cells)
    const gone = columns.filter((column) => column.isStruck)
    const left = line.cells.filter((cell) => !gone.some((column) => isWithin(cell, column)))
    return left.length === line.cells.length ? line : relined(line, left)
  })
}

/** `Ins Ra`, set close to each other. */
function apart(cell: Cell): Cell[] {
  const [, entered, struck] = /^(\p{L}{2,3}) (\p{L}{2})$/u.exec(cell.text.trim()) ?? []
  if (entered === undefined || struck === undefined || !enteredHeads.has(entered) || !struckHeads.has(struck))
    return [cell]
  const middle = cell.left + ((cell.right - cell.left) * (entered.length + 0.5)) / (entered.length + struck.length + 1)
  return [
    { ...cell, text: entered, right: middle },
    { ...cell, text: struck, left: middle },
  ]
}

/** `In | Mo | Ra | Address`, and perhaps `Réf. | Date` beside it. */
function columnsIn(cells: Line): Entries[] {
  return cells.flatMap((entered, at) => {
    const struck = cells.slice(at + 1, at + 3).find(({ text }) => struckHeads.has(text.trim()))
    if (!struck || !enteredHeads.has(entered.text.trim())) return []
    const next = cells.slice(cells.indexOf(struck) + 1).find(({ text }) => nextHeads.has(text.trim()))
    return [{ entered, struck, end: next?.left ?? Number.POSITIVE_INFINITY, isStruck: false }]
  })
}

/** A line without a number goes on with the entry above it. */
function isStruck({ entered, struck, isStruck }: Entries, cells: Line): boolean {
  const isNumber = (cell: Cell) => /^\d{1,4}m?$/.test(cell.text.trim()) && cell.right <= struck.right + 6
  const numbers = cells.filter((cell) => cell.left >= entered.left - 3 && isNumber(cell))
  return numbers.length === 0 ? isStruck : numbers.some((cell) => overlap(cell, struck) > 0)
}

function isWithin({ left }: Cell, { struck, end }: Entries): boolean {
  return left > struck.right && left < end - 3
}

const enteredHeads = new Set(['In', 'Ins', 'Ei'])
const struckHeads = new Set(['Ra', 'Lö'])
const nextHeads = new Set([...enteredHeads, 'Réf.', 'Ref.', 'Ref'])
