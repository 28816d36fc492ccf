// Captions over, beside and before what was filled in: when the text beside a label is its value, and when it is the
// next caption.
import { isLegalForm, legalFormIn } from '../../legal-form-names.ts'
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { numberWords } from '../words/vocabulary.ts'
import { isLabelCell } from './label-cells.ts'
import { isLabel, type ReadLabel, readLabel } from './labels.ts'
import { hasStreetWord, houseWords, isCountryName } from './place-words.ts'
import type { PlacedLine } from './places.ts'

export const isSureAddress = ({ fact, certainty }: Pick<ReadLabel, 'fact' | 'certainty'>) =>
  fact === 'business.registered_address' && certainty === 'sure'

/** `PERSONS WHO HOLD SHARES`: a line of capitals that begins something. */
export function isShoutedHeading({ cells, text }: PlacedLine): boolean {
  return cells.length === 1 && wordsOf(text).length > 2 && !/[\p{Ll}\d:]/u.test(text)
}

/**
 * `Registered office | The Old Maltings` or `… | Mill Cross, Newtown,`, with the road and the postcode below it: an
 * address may begin with a name.
 */
export function isNamedHouse(lines: readonly PlacedLine[], index: number, name: Cell | undefined): boolean {
  const isPlace = name?.text.includes(',') || wordsOf(name?.text ?? '').some((word) => houseWords.has(word))
  if (!name || !isPlace) return false
  const isLone = ({ cells }: PlacedLine) => cells[0] !== undefined && Math.abs(cells[0].left - name.left) <= 6
  // Where lines without a label stand above it as well, the label may stand in the middle of its value.
  const above = lines[index - 1]
  if (above && isLone(above)) return false
  const below = lines.slice(index + 1, index + 7)
  // `ENGLAND` may stand before the postcode.
  const most = below.some(({ text }) => isCountryName(text)) ? below.length : 4
  for (const line of below.slice(0, most)) {
    const text = line.cells[0]?.text ?? ''
    if (!isLone(line) || isLabelCell({ ...name, text }) || /\d[.,:]\d/.test(text)) return false
    if (/(?:^|[\s,])(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] [A-Z\d]{4})$|\b\d{5}$/.test(text)) return true
  }
  return false
}

/**
 * `5 Street | Requester's name and address`, `12 Mill Road | Best Finance`, `6 City | 77 Canal Plaza, Taos`: what stands
 * beside the last of them goes on from the two above it, and its own value stands below it.
 */
export function isOfOtherColumn(lines: readonly PlacedLine[], index: number, position: number): boolean {
  const [cell, next] = lines[index]?.cells.slice(position) ?? []
  if (!cell || !next) return false
  const isOver = (line: PlacedLine | undefined) =>
    line?.cells.some(({ left }) => Math.abs(left - next.left) <= 3) === true && line.cells.length > 1
  const below = lines[index + 1]?.cells[0]
  const isBelow = below !== undefined && below.left < cell.right && !isLabel(below.text)
  return isOver(lines[index - 1]) && isOver(lines[index - 2]) && isBelow
}

/** `Adresse | Lieu-dit La Crouzette`, and below it `Code postal | 31600`: a form that asks for the parts of an address. */
export function isOverTown(lines: readonly PlacedLine[], index: number, street: Cell | undefined): boolean {
  if (!street || !hasStreetWord(street.text)) return false
  const next = lines.slice(index + 1, index + 3).find(({ cells }) => cells.length > 0)
  const label = readLabel(next?.cells[0]?.text ?? '')
  return label.some(({ fact, is_exact }) => is_exact && townParts.has(fact)) && /\d/.test(next?.cells[1]?.text ?? '')
}

const townParts = new Set(['address.postcode', 'address.city'])

/** `5. Tax number | 6. Branch`: where captions are numbered, the number beside one is that of the next. */
export function withoutNumber(text: string, caption: string): string {
  const numbered = /^\d{1,3}\.\s?(?=\p{L})/u
  return numbered.test(caption) ? text.replace(numbered, '') : text
}

export function isNumbered(text: string): boolean {
  return /^\d{1,3}[a-z]?\.?\s(?=\p{L})/u.test(text)
}

/** `DOING BUSINESS AS | BUSINESS ID` over what was filled in, in small letters: captions are often set in capitals. */
export function isShoutedCaption(lines: readonly PlacedLine[], index: number, position: number): boolean {
  const [cell, next] = lines[index]?.cells.slice(position) ?? []
  const isShouted = (text = '') => /\p{Lu}{3}/u.test(text) && !/[\p{Ll}\d]/u.test(text)
  if (!cell || !next || !isShouted(cell.text) || !isShouted(next.text)) return false
  const below = lines[index + 1]?.cells ?? []
  const under = below.find(({ left }) => Math.abs(left - cell.left) <= 6)
  // Below a value in capitals stands nothing that begins where it does.
  const isBelowBoth = below.some(({ left }) => Math.abs(left - next.left) <= 6)
  return under !== undefined && isBelowBoth && /\p{Ll}{2}/u.test(under.text) && !isLabel(under.text)
}

/** What was filled in stands in fields right below it, and below what stands beside it. */
export function isOverFields(lines: readonly PlacedLine[], index: number, position: number): boolean {
  const [cell, next] = lines[index]?.cells.slice(position) ?? []
  const below = lines[index + 1]?.cells ?? []
  const isOver = (one: Cell | undefined) =>
    one !== undefined &&
    one.field === undefined &&
    below.some(({ field, left }) => field !== undefined && Math.abs(left - one.left) <= 6)
  return isOver(cell) && isOver(next)
}

/** `Entity type | Registered since` over `Company (Pty Ltd) | 18 Feb 2015`: below stands a legal form, beside none. */
export function isOverForm(
  lines: readonly PlacedLine[],
  index: number,
  position: number,
  labels: readonly ReadLabel[],
): boolean {
  const [cell, next] = lines[index]?.cells.slice(position) ?? []
  if (!cell || !next || !labels.some(({ fact }) => fact === 'business.legal_form')) return false
  const under = lines[index + 1]?.cells.find(({ left }) => Math.abs(left - cell.left) <= 6)
  // `Legal form | Private` over `Partnership | …` are two rows; nobody's form is called `Nature of business`.
  const isNextCaption = legalFormIn(next.text) === undefined && (isLabel(next.text) || wordsOf(next.text).length > 2)
  return under !== undefined && isLegalForm(under.text) && isNextCaption
}

/** `Tax number | Company name | Receipt` over `B21907448 | LEE BAKERY | 2007715530918`: three captions and their values. */
export function isCaptionRow(lines: readonly PlacedLine[], index: number): boolean {
  const captions = lines[index]?.cells ?? []
  const below = lines[index + 1]?.cells ?? []
  if (captions.length < 3 || below.length !== captions.length) return false
  const isPlain = ({ text, field }: Cell) => field === undefined && !/[\d:@]/.test(text)
  return (
    captions.every(isPlain) &&
    captions.filter(({ text }) => isLabel(text)).length > 1 &&
    captions.every((caption, at) => Math.abs((below[at]?.left ?? 0) - caption.left) <= 6) &&
    below.some(({ text }) => /\d{4}/.test(text)) &&
    !below.some(({ text }) => isLabel(text))
  )
}

/** `Social security number (SSN)` beside `Name of proprietor`: nobody is called that. */
export function asksForNumber(text: string): boolean {
  const words = wordsOf(text.replace(/\([^()]*\)\s*$/, ''))
  return text.length <= 60 && !/\d/.test(text) && words.length > 1 && numberWords.has(words.at(-1) ?? '')
}
