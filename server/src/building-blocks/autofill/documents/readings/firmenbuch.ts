// Extracts of the Austrian register of companies: every entry begins with its number, in a column of its own or right before
// the text. Here it always has a cell of its own.
import type { Cell, Line } from '../formats/document-text.ts'
import { type ReadDocument, relined } from './places.ts'

export function isFirmenbuch({ pages }: ReadDocument): boolean {
  const head = pages.flatMap(({ lines }) => lines.slice(0, 8)).slice(0, 8)
  return head.some(({ text }) => /^(?:republik ?österreich.{0,5})?firmenbuch(?:\s{2}|$)/i.test(text.trim()))
}

export function withEntriesApart(document: ReadDocument): ReadDocument {
  if (!isFirmenbuch(document)) return document
  const pages = document.pages.map((page) => ({
    ...page,
    lines: page.lines.map((line) => {
      const [first, ...rest] = line.cells
      const cells = first ? entryOf(first) : []
      return cells.length > 1 ? relined(line, [...cells, ...rest]) : line
    }),
  }))
  return { ...document, pages }
}

/** `1 Lee Bakery OG` */
function entryOf(cell: Cell): Line {
  const [, number = '', text = ''] = /^(\d{1,3})\s+(\p{L}.*)$/u.exec(cell.text) ?? []
  if (number === '') return [cell]
  const middle = cell.left + ((cell.right - cell.left) * (number.length + 1)) / cell.text.length
  return [
    { ...cell, text: number, right: middle - 1 },
    { ...cell, text, left: middle },
  ]
}
