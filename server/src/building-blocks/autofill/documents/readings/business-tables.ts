// A table with a row for each of several businesses, as programs for customers and brokers write them. Only the row of the
// subject is read, as if it were a form: a label and its value in each line.
import type { Cell } from '../formats/document-text.ts'
import { isFullerName, isSubject, type Names, namesOf, type Subject } from './company-names.ts'
import { readLabel } from './labels.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

/** So many columns with a known label make a table of businesses of it, one of them their name. */
const fewestLabels = 4
const headLines = 12

export function withOwnRow(document: ReadDocument, subject: Subject): ReadDocument {
  const names = namesOf(subject)
  return {
    ...document,
    pages: document.pages.map((page) => ({ ...page, lines: ownRowOf(page.lines, names, subject) })),
  }
}

function ownRowOf(lines: PlacedLine[], names: Names, subject: Subject): PlacedLine[] {
  const at = lines.slice(0, headLines).findIndex(isHeader)
  const head = lines[at]
  if (!head) return lines
  const isRow = (line: PlacedLine, index: number) => index > at && line.cells.length > head.cells.length / 3
  const rows = lines.filter(isRow)
  const nameCells = head.cells.filter(isNameLabel)
  const own = rows.filter((row) => nameCells.some((label) => isSubject(textBelow(row, label), names)))
  const [row, ...more] = own
  if (!row || more.length > 0) return lines
  const below = head.cells.map((label) => row.cells.filter((cell) => overlap(cell, label) > 0))
  // A value below two headings is that of nobody.
  if (below.some((cells) => cells.length > 1) || new Set(below.flat()).size < below.flat().length) return lines
  // Beside `Legal name`, the `Account name` is what whoever keeps the table calls it: nothing, or the name it trades under.
  const legal = head.cells.findIndex((label) => nameCells.includes(label) && /\blegal\b/i.test(label.text))
  const isLonger = isFullerName(below[legal]?.[0]?.text ?? '', subject.legal_name ?? '', true)
  const labelOf = ({ text }: Cell) => {
    if (legal === -1 || !/^account name$/i.test(text.trim())) return text
    return isLonger ? undefined : 'Trading name'
  }
  const form = head.cells.flatMap((cell, index) => {
    const label = labelOf(cell)
    return label === undefined ? [] : (below[index] ?? []).map(({ text }) => [label, text] as const)
  })
  const kept = lines
    .filter((line, index) => line !== head && !isRow(line, index))
    .map((line) => ({ ...line, shown_at: placeOf(line) }))
  const asForm = form.map(([label, text]) => ({
    page: row.page,
    number: 0,
    cells: [
      // What follows a colon is a value, also behind `City`.
      { text: `${label.trim()}:`, left: 0, right: 99 },
      { text, left: 100, right: 199 },
    ],
    text: `${label}  ${text}`,
    shown_at: placeOf(row),
  }))
  // An empty line between two: nothing runs on into the next one.
  const spaced = asForm.flatMap((line) => [line, { ...line, cells: [], text: '' }])
  return [...kept.slice(0, at), ...spaced, ...kept.slice(at)].map((line, index) => ({ ...line, number: index + 1 }))
}

function isHeader({ cells }: PlacedLine): boolean {
  if (cells.length <= fewestLabels) return false
  const labelled = cells.filter(({ text }) => readLabel(text).some(({ is_exact }) => is_exact))
  return labelled.length >= fewestLabels && cells.some(isNameLabel) && !cells.some(({ text }) => text.includes(':'))
}

function isNameLabel({ text }: Cell): boolean {
  return readLabel(text).some(({ fact, is_exact }) => is_exact && nameFacts.has(fact))
}

const nameFacts = new Set(['business.legal_name', 'business.trading_name'])

function textBelow({ cells }: PlacedLine, label: Cell): string {
  return cells.find((cell) => overlap(cell, label) > 0)?.text ?? ''
}
