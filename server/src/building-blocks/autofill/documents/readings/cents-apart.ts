// Forms that keep cents in a box of their own, below `EUR | Ct`: `198.412 | 37` is one amount.
import type { Cell, Line } from '../formats/document-text.ts'
import { type PlacedLine, type ReadDocument, relined } from './places.ts'

const heading = /^(?:EUR|€)\s*(?:Ct|Cent)\.?$/i
/** Whole, as German forms write it. */
const euros = /^-?\d{1,3}(?:\.\d{3})*$/

export function withCentsJoined(document: ReadDocument): ReadDocument {
  const isHeading = ({ cells }: PlacedLine) =>
    cells.some(({ text }, at) => heading.test(text) || heading.test(`${text} ${cells[at + 1]?.text ?? ''}`))
  const pages = document.pages.map((page) =>
    page.lines.some(isHeading) ? { ...page, lines: page.lines.map((line) => joined(line)) } : page,
  )
  return { ...document, pages }
}

/** The last two cells of a line. */
function joined(line: PlacedLine): PlacedLine {
  const whole = line.cells.at(-2)
  const cents = line.cells.at(-1)
  if (!whole || !cents || !euros.test(whole.text) || !/^\d{2}$/.test(cents.text)) return line
  const cell: Cell = { ...whole, text: `${whole.text},${cents.text}`, right: cents.right }
  const cells: Line = [...line.cells.slice(0, -2), cell]
  return relined(line, cells)
}
