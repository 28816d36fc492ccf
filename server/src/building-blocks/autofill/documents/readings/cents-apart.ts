// Forms that keep cents in a box of their own, below `EUR | Ct`: `198.412 | 37` is one amount. Whatever stands below other
// headings stays as it is.
import type { Cell } from '../formats/document-text.ts'
import { overlap, type PlacedLine, type ReadDocument, relined } from './places.ts'

/** Whole, as German forms write it. */
const euros = /^-?(?:\d{1,3}(?:\.\d{3})*|\d{4,9})$/

export function withCentsJoined(document: ReadDocument): ReadDocument {
  const pages = document.pages.map((page) => {
    let heading: Cell | undefined
    const lines = page.lines.map((line) => {
      heading = headingOfCents(line) ?? heading
      return heading ? centsJoined(line, heading) : line
    })
    return { ...page, lines }
  })
  return { ...document, pages }
}

/** `Ct` behind `EUR`, or both in one cell. */
function headingOfCents({ cells }: PlacedLine): Cell | undefined {
  return cells.find(
    ({ text }, at) =>
      /^(?:EUR|€)\s*(?:Ct|Cent)\.?$/i.test(text) ||
      (/^(?:Ct|Cent)\.?$/i.test(text) && /^(?:EUR|€)$/i.test(cells[at - 1]?.text ?? '')),
  )
}

/** The last two cells of a line, where the last one stands below the heading. */
function centsJoined(line: PlacedLine, heading: Cell): PlacedLine {
  const [whole, cents] = [line.cells.at(-2), line.cells.at(-1)]
  const isAmount = whole && cents && euros.test(whole.text) && /^\d{2}$/.test(cents.text)
  if (!isAmount || overlap(cents, heading) === 0) return line
  const amount = { ...whole, text: `${whole.text},${cents.text}`, right: cents.right }
  return relined(line, [...line.cells.slice(0, -2), amount])
}
