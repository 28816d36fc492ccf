// Extracts of the Austrian register of companies: every entry begins with its number, in a column of its own or right before
// the text. Here it no longer stands before the text.
import type { Cell } from '../formats/document-text.ts'
import { type ReadDocument, relined } from './places.ts'

export function isFirmenbuch({ pages }: ReadDocument): boolean {
  const head = pages.flatMap(({ lines }) => lines.slice(0, 8)).slice(0, 8)
  return head.some(({ text }) =>
    /^(?:republik ?österreich.{0,5})?firmenbuch(?:\s{2}|$|\s?der\s?republik)/i.test(text.trim()),
  )
}

export function withoutEntryNumbers(document: ReadDocument): ReadDocument {
  if (!isFirmenbuch(document)) return document
  const pages = document.pages.map((page) => ({
    ...page,
    lines: page.lines.map((line) => {
      const [first, ...rest] = line.cells
      const text = first && withoutNumber(first)
      return text && text !== first ? relined(line, [text, ...rest]) : line
    }),
  }))
  return { ...document, pages }
}

/** `1 Lee Bakery OG` */
function withoutNumber(cell: Cell): Cell {
  const [number = ''] = /^\d{1,3}\s+(?=\p{L})/u.exec(cell.text) ?? []
  const width = (cell.right - cell.left) / Math.max(1, cell.text.length)
  return number === ''
    ? cell
    : { ...cell, text: cell.text.slice(number.length), left: cell.left + number.length * width }
}
