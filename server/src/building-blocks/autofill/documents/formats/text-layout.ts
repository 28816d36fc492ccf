// Puts the pieces of text of a page, which come in any order, back into lines by where they stand.
import { joinCentredRows, type Row } from './centred-rows.ts'
import type { Cell, Line } from './document-text.ts'

export interface PlacedText {
  text: string
  /** From the left and from the top, in points; y is the baseline. */
  x: number
  y: number
  width: number
  height: number
  /** 0 to 1, where the text was recognised in a picture. */
  sureness?: number
}

/** The value of a form field, and the box it stands in. */
export interface PlacedField {
  text: string
  /** What the form calls the field. */
  name: string
  left: number
  right: number
  top: number
  bottom: number
}

/** Lines from top to bottom; a cell ends where a gap is as wide as a column's, an empty line stands between blocks. */
export function layOutLines(pieces: readonly PlacedText[], fields: readonly PlacedField[] = []): Line[] {
  const rows = rowsOf(pieces)
  for (const field of fields) placeField(rows, field)
  rows.sort((a, b) => a.y - b.y)
  const lines: Line[] = []
  let previous: Row | undefined
  for (const row of joinCentredRows(rows)) {
    if (previous && row.y - previous.y > 1.9 * Math.max(row.height, previous.height)) lines.push([])
    lines.push(row.cells.sort((a, b) => a.left - b.left))
    previous = row
  }
  return lines
}

function rowsOf(pieces: readonly PlacedText[]): Row[] {
  const sorted = pieces.filter(({ text }) => text.trim() !== '').sort((a, b) => a.y - b.y || a.x - b.x)
  const rows: PlacedText[][] = []
  for (const piece of sorted) {
    const row = rows.at(-1)
    const first = row?.[0]
    // Superscripts and mixed sizes stand a little off the baseline of their line.
    if (row && first && piece.y - first.y <= 0.45 * Math.min(piece.height, first.height)) row.push(piece)
    else rows.push([piece])
  }
  return rows.map((row) => {
    const [first] = row
    const sizes = { y: first?.y ?? 0, height: first?.height ?? 1 }
    return { ...sizes, cells: cellsOfRow(row.sort((a, b) => a.x - b.x)) }
  })
}

function cellsOfRow(row: readonly PlacedText[]): Cell[] {
  const cells: Cell[] = []
  let end = 0
  for (const piece of row) {
    const gap = piece.x - end
    const last = cells.at(-1)
    const right = piece.x + piece.width
    const parts = piece.text.split(/\t| {3,}/).filter((part) => part.trim() !== '')
    const [first = '', ...more] = parts
    if (!last || gap > 0.9 * piece.height)
      cells.push({ text: first.trim(), left: piece.x, right, ...surenessOf(piece) })
    else {
      const isApart = gap > 0.12 * piece.height || piece.text.startsWith(' ')
      last.text += `${isApart ? ' ' : ''}${first.trim()}`
      last.right = Math.max(last.right, right)
      Object.assign(last, surenessOf(piece, last))
    }
    // Columns that a program has made of spaces: each is as far to the right as its letters.
    for (const part of more) {
      const left = piece.x + (piece.width * piece.text.indexOf(part)) / Math.max(1, piece.text.length)
      cells.push({ text: part.trim(), left, right })
    }
    end = Math.max(end, right)
  }
  return cells
}

/** A cell is as sure as its least sure word. */
function surenessOf(piece: PlacedText, { sureness = 1 }: { sureness?: number } = {}): { sureness?: number } {
  return piece.sureness === undefined ? {} : { sureness: Math.min(piece.sureness, sureness) }
}

/** A field belongs to the line whose baseline runs through its box; the lines of a large one follow each other. */
function placeField(rows: Row[], { text, name, left, right, top, bottom }: PlacedField): void {
  const parts = text.split(/\r\n|[\r\n]/).slice(0, 20)
  const step = (bottom - top) / parts.length
  for (const [index, part] of parts.entries()) {
    if (part.trim() === '') continue
    const cell: Cell = { text: part.trim(), left, right, ...(name !== '' && index === 0 && { field: name }) }
    const from = top + index * step
    const to = from + step
    const row = rows.find(({ y }) => y > from + 1 && y <= to + 1)
    if (row && !row.cells.some((other) => other.left < right - 1 && other.right > left + 1)) row.cells.push(cell)
    else rows.push({ y: to - step / 4, height: Math.min(12, step), cells: [cell] })
  }
}
