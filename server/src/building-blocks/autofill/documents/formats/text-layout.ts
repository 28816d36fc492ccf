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
  /** What its letters are set in. */
  font?: string
  /** The left side of the box that is drawn around it. */
  column?: number
  /** The caption of that box, if this is what was filled into it. */
  caption?: string
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
  return piecesInRows(pieces.filter(({ text }) => text.trim() !== '')).map((row) => {
    const [first] = row
    const sizes = { y: first?.y ?? 0, height: first?.height ?? 1 }
    return { ...sizes, cells: cellsOfRow(row.toSorted((a, b) => a.x - b.x)) }
  })
}

/** The pieces of each line, the highest first. */
export function piecesInRows(pieces: readonly PlacedText[]): PlacedText[][] {
  const rows: PlacedText[][] = []
  for (const piece of pieces.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const row = rows.at(-1)
    const first = row?.[0]
    // Superscripts and mixed sizes stand a little off the baseline of their line.
    if (row && first && piece.y - first.y <= 0.45 * Math.min(piece.height, first.height)) row.push(piece)
    else rows.push([piece])
  }
  return rows
}

function cellsOfRow(row: readonly PlacedText[]): Cell[] {
  const cells: Cell[] = []
  let end = 0
  let column: number | undefined
  for (const piece of row) {
    const gap = piece.x - end
    const last = cells.at(-1)
    // The dots that lead from a caption to its value.
    const isPoint = /\d$/.test(last?.text ?? '') && gap <= 0.9 * piece.height
    if (/^[.\s]+$/.test(piece.text) && !isPoint && (!last || gap > 0.12 * piece.height)) continue
    // Digits and cents have boxes of their own, too.
    const isNextBox =
      piece.column !== undefined &&
      column !== undefined &&
      piece.column > column &&
      isWords(piece.text) &&
      isWords(last?.text ?? '')
    column = piece.column ?? column
    const right = piece.x + piece.width
    const parts = piece.text.split(/\t| {3,}/).filter((part) => part.trim() !== '')
    const [first = '', ...more] = parts
    // `65.000000`, and its sign at the end of the box.
    const isSign = piece.text.trim() === '%' && /^\d{1,3}[.,]\d{1,8}$/.test(last?.text ?? '') && gap < 3 * piece.height
    if (last && isSign && !isNextBox) {
      last.text += ' %'
      last.right = right
    } else if (!last || isNextBox || piece.caption !== undefined || gap > 0.9 * piece.height)
      cells.push({ text: first.trim(), left: piece.x, right, ...surenessOf(piece), ...fieldOf(piece) })
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

function isWords(text: string): boolean {
  return /\p{L}{3}/u.test(text)
}

function fieldOf({ caption }: PlacedText): Pick<Cell, 'field' | 'is_boxed'> {
  return caption === undefined ? {} : { field: caption, is_boxed: true }
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
