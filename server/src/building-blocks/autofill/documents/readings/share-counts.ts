// Shares of owners where a list only counts them: `Ann Lee 150`, `Cal Ray 100`, of 250 in all. They are known only where
// the list is whole, so that it comes to what the document says there is.
import type { Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { issuedShares, people, totals } from '../words/vocabulary.ts'
import type { Owners } from './people.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

/** The only column that counts shares. */
export function countColumn(header: Line): Line[number] | undefined {
  const [column, ...more] = header.filter(({ text }) => people.shares.has(wordsOf(text).join(' ')))
  return more.length === 0 ? column : undefined
}

export function countIn(column: Line[number] | undefined, { cells }: PlacedLine): number | undefined {
  return column && wholeNumber(cells.find((cell) => overlap(cell, column) > 0)?.text ?? '')
}

function wholeNumber(text: string): number | undefined {
  return /^(?:\d{1,3}(?:[,.' ]\d{3})+|\d{1,9})$/.test(text.trim()) ? Number(text.replace(/\D/g, '')) : undefined
}

/** Gives each owner the part of all shares, or nobody anything. */
export function sharesOfCounts(document: ReadDocument, { people: persons, companies }: Owners): boolean {
  const all = [...persons, ...companies]
  const counts = all.flatMap(({ share_count }) => (share_count !== undefined && share_count > 0 ? [share_count] : []))
  const sum = counts.reduce((total, count) => total + count, 0)
  if (counts.length === 0 || counts.length < all.length || !isAllThereIs(document, sum)) return false
  for (const owner of all) owner.ownership_percent = String(Number(((100 * (owner.share_count ?? 0)) / sum).toFixed(4)))
  return true
}

/** `Number of shares: 250,000`, or the total below the list. */
function isAllThereIs({ pages }: ReadDocument, sum: number): boolean {
  const isSum = ({ cells }: PlacedLine) =>
    cells.some(({ text }) => text.split(/\s+(?=[\p{L}(])|:\s*/u).some((part) => wholeNumber(part) === sum))
  return pages.some(({ lines }) =>
    lines.some((line) => {
      const isTotal = totals.has(wordsOf(line.cells[0]?.text ?? '').join(' '))
      return (isTotal || issuedShares.in(wordsOf(line.text)) !== undefined) && isSum(line)
    }),
  )
}
