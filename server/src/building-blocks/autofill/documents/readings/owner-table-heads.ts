// The heads of tables of owners: which column is what, in one line or several.
import type { Cell, Line } from '../formats/document-text.ts'
import { type PersonField, people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { fieldOfHeader, isOwnerWord } from './person-names.ts'
import { overlap, type PlacedLine } from './places.ts'

export type Column = PersonField | 'name' | undefined

export function isOwnersHeader(columns: readonly Column[]): boolean {
  const has = (field: Column) => columns.includes(field)
  // A name and an email alone are a list of customers.
  return (
    (has('name') || (has('first_name') && has('last_name'))) &&
    (has('ownership_percent') || has('birth_date') || has('role'))
  )
}

/** `Share E-mail`: two headings that stand close. */
export function headingsIn(cell: Cell): Line {
  const { text, left, right } = cell
  if (text.length > 40 || fieldOfHeader(text) !== undefined) return [cell]
  const isHeading = (part: string) => fieldOfHeader(part) !== undefined
  // `F/J Apellidos y nombre`: whether it is a person, and who.
  const isKind = /^F\/J\s/.test(text) && isHeading(text.slice(4))
  // `400 % common shares 500 % preferred`
  const isNext = (part: string) => isHeading(part) || /^\d{3}\s\D/.test(part)
  const gap = [...text.matchAll(/\s/g)].find(
    ({ index }) => (isKind && index === 3) || (isHeading(text.slice(0, index)) && isNext(text.slice(index + 1))),
  )
  if (!gap) return [cell]
  const middle = left + ((right - left) * gap.index) / text.length
  return [
    { ...cell, text: text.slice(0, gap.index), right: middle },
    { ...cell, text: text.slice(gap.index + 1), left: middle },
  ]
}

/** `200 Number | 400 % common` over `number | shares`, and between them, set in the middle, `100 Name of shareholder`. */
export function nameBetween(header: PlacedLine, next: PlacedLine | undefined): Cell | undefined {
  const [name, ...more] = next?.cells ?? []
  const isLeft = name !== undefined && more.length === 0 && name.right <= (header.cells[0]?.left ?? 0)
  const isNamed = header.cells.some(({ text }) => fieldOfHeader(text) === 'name')
  return isLeft && !isNamed && header.cells.length > 2 && fieldOfHeader(name.text) === 'name' ? name : undefined
}

/** Narrow columns break a heading into several lines, without a figure; the first of them may be anything. */
export function linesOfHeading(header: PlacedLine, lines: readonly PlacedLine[]): PlacedLine[] {
  const [first] = header.cells
  const isPart = ({ cells, text }: PlacedLine, index: number) =>
    cells.length > 0 &&
    (index === 0 || !cells.some((cell) => first && overlap(cell, first) > 0)) &&
    !/\d{3}|\d\s?%/.test(text) &&
    cells.every((cell) => header.cells.some((one) => overlap(cell, one) > 0))
  const end = lines.findIndex((line, index) => !isPart(line, index))
  return end === -1 ? [...lines] : lines.slice(0, Math.max(end, 1))
}

/** `Shareholder (name,`, and below it `day of birth, town)`: how many lines it takes until the bracket closes. */
export function linesOfBracket(header: PlacedLine, lines: readonly PlacedLine[]): number {
  const isOpen = ({ cells }: PlacedLine) => cells.some(({ text }) => text.lastIndexOf('(') > text.lastIndexOf(')'))
  const opens = [header, ...lines.slice(0, 1)].findIndex(isOpen)
  return opens === -1 ? 0 : lines.findIndex(({ text }, index) => index >= opens && text.includes(')')) + 1
}

export const mostHeadingLines = 5
/** So many where a bracket is open. */
export const mostBracketLines = 8

/** Headings are often set in two lines. */
export function withLineBelow(header: Line, below: Line): Line {
  return header.map((cell) => {
    const under = below.find((other) => overlap(cell, other) > 0)
    if (!under) return cell
    // `Gesamt-`, and `beteiligung` below it.
    const isBroken = /\p{Ll}[-‐]$/u.test(cell.text) && /^\p{Ll}/u.test(under.text)
    return { ...cell, text: isBroken ? cell.text.slice(0, -1) + under.text : `${cell.text} ${under.text}` }
  })
}

export function columnsOf(cells: Line): Column[] {
  const fields: Column[] = cells.map(({ text }) => fieldOfHeader(text))
  // `Votes % | Equity %`: who owns a part and who decides are two things.
  const isVote = (index: number) => wordsOf(cells[index]?.text ?? '').some((word) => peopleWords.votes.has(word))
  const hasShare = fields.some((field, index) => field === 'ownership_percent' && !isVote(index))
  // `Holding per share | Holding in all`
  const isPerShare = (index: number) => perShare.test(cells[index]?.text ?? '')
  const isDiluted = (index: number) => diluted.test(cells[index]?.text ?? '')
  // `Total issued shares | % of issued shares`: the one that says so is the share.
  const isSigned = (index: number) => fields[index] === 'ownership_percent' && (cells[index]?.text ?? '').includes('%')
  const hasSign = fields.some((_, index) => isSigned(index) && !isVote(index) && !isPerShare(index))
  // `% of issued shares | % fully diluted`: the first is what a person owns today.
  const isIssued = (index: number) => isSigned(index) && !isDiluted(index) && !isVote(index) && !isPerShare(index)
  // `% of Common | % of Preferred | % Fully Diluted`: each of the two is of a part.
  const hasIssued = fields.filter((_, index) => isIssued(index)).length === 1
  const isNone = (index: number) =>
    (hasShare && isVote(index)) || isPerShare(index) || (hasSign && !isSigned(index)) || (hasIssued && isDiluted(index))
  const columns = fields.map((field, index) => (field === 'ownership_percent' && isNone(index) ? undefined : field))
  // `Name | Vorname`: the name beside a first name is the last name, and the other way round.
  const other: PersonField | undefined =
    columns.includes('first_name') && !columns.includes('last_name')
      ? 'last_name'
      : columns.includes('last_name') && !columns.includes('first_name')
        ? 'first_name'
        : undefined
  return other ? columns.map((field) => (field === 'name' ? other : field)) : columns
}

/** A share of what there would be with all options and warrants. */
export const diluted = /dilu|verwässer/i
const perShare = /\b(?:je (?:geschäfts)?anteil|per share|par (?:part|action)|por (?:acción|participación))\b/i

/** `Name | % of total`: of whatever the list is about, be it customers. */
export function isOfTotal(header: Line, columns: readonly Column[]): boolean {
  const share = header[columns.indexOf('ownership_percent')]
  return wordsOf(share?.text ?? '').includes('total')
}

export function isOfOwners(lines: readonly PlacedLine[]): boolean {
  return lines.some(({ text }) => wordsOf(text.slice(0, 200)).some(isOwnerWord))
}
