// Shares of owners where a list only counts them: `Ann Lee 150`, `Cal Ray 100`, of 250 in all. They are known only where
// the list is whole: it comes to all that a label says there is, and there is no other list of holders.
import type { Cell, Line } from '../formats/document-text.ts'
import { people } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { issuedShares, notHoldings } from '../words/vocabulary.ts'
import { withLineBelow } from './owner-table-heads.ts'
import type { CompanyOwner, Owners, Person } from './owners.ts'
import { fieldOfHeader } from './person-names.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

/** The only column that counts shares. */
export function countColumn(header: Line): Cell | undefined {
  const [column, ...more] = header.filter(({ text }) => people.shares.has(wordsOf(text).join(' ')))
  return more.length === 0 ? column : undefined
}

export function countIn(column: Cell | undefined, { cells }: Pick<PlacedLine, 'cells'>): number | undefined {
  // `150,000 (ORDINARY)`
  const text = cells.find((cell) => column !== undefined && overlap(cell, column) > 0)?.text ?? ''
  return column && wholeNumber(text.split(/\s+(?=[\p{L}(])/u)[0] ?? '')
}

function wholeNumber(text: string): number | undefined {
  return /^(?:\d{1,3}(?:[,.' ]\d{3})+|\d{1,9})$/.test(text.trim()) ? Number(text.replace(/\D/g, '')) : undefined
}

/** Whether the lines above a list, or its columns, say that it is one of options, transfers or some of the shares. */
export function isOfOtherShares(lines: readonly PlacedLine[], header: Line = []): boolean {
  const isOther = (text: string) => wordsOf(text.slice(0, 200)).some((word) => notHoldings.has(word))
  // `Share class`, `Transfers since the last return`: beside the shares, and not about them.
  const counts = header.filter(({ text }) => people.shares.has(wordsOf(text).join(' ')))
  // What a list is about stands in a line of its own; more cells are a row of another list.
  const above = lines.filter(({ cells }) => cells.length <= 2)
  return above.some(({ text }) => isOther(text)) || (counts.length !== 1 && header.some(({ text }) => isOther(text)))
}

/** Gives each owner the part of all shares, or nobody anything. `total` stands below the list. */
export function sharesOfCounts(
  document: ReadDocument,
  { people: persons, companies }: Owners,
  total?: number,
): boolean {
  const all = [...persons, ...companies]
  const counts = all.flatMap(({ share_count }) => (share_count !== undefined && share_count > 0 ? [share_count] : []))
  const sum = counts.reduce((sumOf, count) => sumOf + count, 0)
  const { issued, lists } = countsOf(document)
  const isWhole = lists === 1 && issued.has(sum) && Math.max(...issued) === sum && (total ?? sum) === sum
  if (counts.length === 0 || counts.length < all.length || !isWhole) return false
  giveParts(all, sum)
  return true
}

/** Gives each owner the part that the shares they hold are of all. */
export function giveParts(owners: readonly (Person | CompanyOwner)[], all: number): void {
  for (const owner of owners)
    owner.ownership_percent = String(Number(((100 * (owner.share_count ?? 0)) / all).toFixed(4)))
}

interface Counts {
  /** What labels say there is: `Number of shares: 250,000`. */
  issued: Set<number>
  /** How many lists of holders there are. */
  lists: number
}

/** Of a document, once. */
function countsOf(document: ReadDocument): Counts {
  const known = counted.get(document)
  if (known) return known
  const found: Counts = { issued: new Set(), lists: 0 }
  const all = document.pages.flatMap(({ lines }) => lines)
  for (const [index, { cells }] of all.entries()) {
    const below = all[index + 1]?.cells ?? []
    const isCounted = countColumn(cells) ?? countColumn(withLineBelow(cells, below))
    const isOfHolders = cells.some(({ text }) => fieldOfHeader(text) === 'name')
    if (isCounted && isOfHolders) found.lists++
    // `Issued share capital | Number of shares`, and `150000 | 150000` below it.
    const isOfCapital = cells.some(({ text }) => /\b(?:issued|capital)\b/i.test(text))
    for (const caption of cells.length > 1 && isOfCapital && !isOfHolders ? cells : []) {
      const isIssued = issuedShares.has(wordsOf(caption.text).join(' '))
      const number = isIssued ? countIn(caption, { cells: below }) : undefined
      if (number !== undefined) found.issued.add(number)
    }
    const [label = '', ...behind] = (cells[0]?.text ?? '').split(':')
    if (!issuedShares.has(wordsOf(label).join(' '))) continue
    const value = [behind.join(':'), cells[1]?.text ?? ''].find((text) => /\d/.test(text)) ?? ''
    // `250,000 ORDINARY`
    const number = wholeNumber(value.replace(/^[\s:]+/, '').split(/\s+(?=\p{L})/u)[0] ?? '')
    if (number !== undefined) found.issued.add(number)
  }
  counted.set(document, found)
  return found
}

const counted = new WeakMap<ReadDocument, Counts>()
