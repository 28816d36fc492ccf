// Forms that print their captions small below the lines that are filled in: `46-3381027 | 05/19/2014`, and under it
// `Tax ID | Date established`. Here the captions are put above, where every reader looks for them. Which way a page has
// is told by values whose form is known: a day fits a date, an address with an @ an e-mail. An empty line may stand
// between captions and what is below them.
import type { Cell } from '../formats/document-text.ts'
import { datesIn } from './dates.ts'
import { isLabelCell, isLink } from './label-cells.ts'
import { readLabel } from './labels.ts'
import { fieldOfHeader } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

/** So many values that fit the caption below them make it the way of the page. */
const fewest = 3
/** Where values fit the captions above them as well, nothing is sure. */
const timesAsMany = 3
const longestCaption = 80

export function withCaptionsAbove(document: ReadDocument): ReadDocument {
  return { ...document, pages: document.pages.map((page) => ({ ...page, lines: captionsFirst(page.lines) })) }
}

function captionsFirst(lines: PlacedLine[]): PlacedLine[] {
  const captions = lines.map(isCaptionLine)
  const isFilled = (index: number) => lines[index] !== undefined && !captions[index] && lines[index].cells.length > 0
  let [above, below] = [0, 0]
  for (const [index, line] of lines.entries()) {
    // One caption alone may be anything.
    if (!captions[index] || line.cells.length < 2) continue
    const isLast = isEmpty(lines[index + 1])
    const next = isLast ? index + 2 : index + 1
    const fitsAbove = isFilled(index - 1) ? fitting(line, lines[index - 1]) : 0
    const fitsBelow = isFilled(next) ? fitting(line, lines[next]) : 0
    above += Math.max(0, fitsAbove)
    below += Math.max(0, fitsBelow)
    // With empty lines around both, captions and values belong to each other: all of them, if one value fits.
    const isAlone = isLast && isEmpty(lines[index - 2]) && standsOver(lines[index - 1], line)
    if (isAlone && fitsAbove > 0 && fitsBelow <= 0) above += line.cells.filter(isLabelCell).length
  }
  if (above < fewest || above < timesAsMany * below) return lines
  const turned = [...lines]
  for (const [index, line] of lines.entries()) {
    const filled = lines[index - 1]
    if (!filled || !captions[index] || !isFilled(index - 1) || !standsOver(filled, line)) continue
    turned[index - 1] = { ...line, number: index, shown_at: placeOf(line) }
    turned[index] = { ...filled, number: index + 1, shown_at: placeOf(filled) }
  }
  return turned
}

function isEmpty(line: PlacedLine | undefined): boolean {
  return (line?.cells.length ?? 0) === 0
}

/** What may be captions in every cell, and is one in one of them. */
function isCaptionLine({ cells }: PlacedLine): boolean {
  const isCaption = ({ text, field }: Cell) =>
    field === undefined &&
    text.length <= longestCaption &&
    !/\d/.test(text.replace(/\([^()]*\)/g, '')) &&
    !/[:☐☒☑@]/u.test(text) &&
    !isLink(text)
  return cells.length > 0 && cells.every(isCaption) && cells.some(isKnown)
}

function isKnown(cell: Cell): boolean {
  return isLabelCell(cell) || fieldOfHeader(cell.text) !== undefined
}

/** Every value has its caption below it; one text over several captions is a title. */
function standsOver(filled: PlacedLine | undefined, { cells }: PlacedLine): boolean {
  if (filled?.cells.length === 1 && cells.length > 1) return false
  return filled?.cells.every((value) => cells.some((caption) => isOver(value, caption))) === true
}

function isOver(value: Cell, caption: Cell): boolean {
  return Math.abs(value.left - caption.left) <= nearby || overlap(value, caption) > 0
}

const nearby = 6

/** How many captions have a value of their form in a line, less those that have another one. */
function fitting({ cells }: PlacedLine, filled: PlacedLine | undefined): number {
  let count = 0
  for (const caption of cells) {
    const form = formOf(caption.text)
    const value = filled?.cells.find((cell) => isOver(cell, caption))
    if (form && value) count += form(value.text) ? 1 : -1
  }
  return count
}

/** What the value of a caption looks like, where that is known. */
function formOf(caption: string): ((text: string) => boolean) | undefined {
  const field = fieldOfHeader(caption)
  if (field !== undefined && forms[field]) return forms[field]
  const fact = readLabel(caption).find(({ is_exact }) => is_exact)?.fact
  return fact === undefined ? undefined : forms[fact.replace('business.', '')]
}

const isDay = (text: string) => datesIn(text).some(({ day }) => day !== undefined)
const isNumber = (text: string) => /\d{2}[\d -]{3}/.test(text) && !isDay(text) && !text.includes(',')
const isMail = (text: string) => text.includes('@')
const forms: Record<string, ((text: string) => boolean) | undefined> = {
  founded_on: isDay,
  birth_date: isDay,
  email: isMail,
  website: (text) => /^(?:https?:|www\.)|^\S+\.\p{L}{2,}$/iu.test(text) && !isMail(text),
  phone: (text) => /^[\d\s()+./-]{7,}$/.test(text) && !isDay(text) && !/^\d\d-\d{7}$/.test(text),
  tax_id: isNumber,
  registration_number: isNumber,
  employee_count: (text) => /^\d{1,5}$/.test(text),
  ownership_percent: (text) => /^\d{1,3}(?:[.,]\d+)?\s?%?$/.test(text),
  annual_revenue: (text) => /^\D{0,4}\d{1,3}(?:[.,' ]\d{3})+/.test(text) && !isDay(text),
}
