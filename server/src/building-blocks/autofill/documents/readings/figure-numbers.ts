// Which numbers of a line may be figures: not percentages, box and note numbers, parts of a whole, or the year before.
import type { Cell, Line } from '../formats/document-text.ts'
import { monthNames, periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { additions, averageEmployees, notEmployed, nothing, parts, totals } from '../words/vocabulary.ts'
import type { Column } from './columns.ts'
import { type FoundNumber, numbersIn } from './numbers.ts'
import type { ReadDocument } from './places.ts'

export interface Figure {
  number: FoundNumber
  cell: Cell
  /** What was read of the cell; the places of the number are in it. */
  text: string
}

/** The numbers of a line that may be figures. */
export function figuresIn({ mark }: ReadDocument, values: Line): Figure[] {
  const figures: Figure[] = []
  for (const cell of values) {
    if (figures.length > 0 && nextLine.test(cell.text)) break
    if (saysNothing(cell.text) || (figures.length > 0 && isOlderAlone(cell.text))) continue
    const text = withoutParts(withoutOlder(cell.text))
    for (const number of numbersIn(text, mark)) {
      // `00255` is the number of a box.
      if (number.is_percent || /^0\d/.test(text.slice(number.begin, number.end))) continue
      figures.push({ cell, number, text })
    }
  }
  const others = figures.filter(({ number }) => !number.is_year)
  return others.length > 0 || figures.length === 0
    ? others
    : figures.filter(({ cell }) => /^\d{4}$/.test(cell.text) && values.length > 1)
}

/** `1 Net income | 162,770 | 7 Income recorded on books`: the next line of a form, with its number. */
const nextLine = /^\d{1,2}[a-z]?\s\p{Lu}\p{Ll}{2,}\s\p{L}{2,}/u

/** `N/A`, `see attached`, `see attached, p. 12` */
function saysNothing(text: string): boolean {
  const words = wordsOf(text)
  return nothing.has(words.join(' ')) || nothing.has(words.slice(0, 2).join(' '))
}

/** `1.046.500 € (2024: 987.300 €)`: what a year or a word for one dates in brackets is older. */
function withoutOlder(text: string): string {
  const { before, inside = '' } = bracketAtEnd(text)
  // `£842,000 (Dec 2024: £810,000)`; a number of people may be newer in the brackets.
  const isAmount = /[£€$]|\d[.,' ]\d{3}/.test(before)
  return isOlder(inside) || (isAmount && monthOfYear.test(inside)) ? before : text
}

const monthOfYear = new RegExp(`^(?:\\d{1,2}\\s)?(?:${monthNames.join('|')})\\.?\\s?(?:19|20)\\d\\d\\s?:`, 'iu')

/** `y/e Jan 2025:`, `2024:`; `corrected 2025:` and `October 2026:` are not older. */
const yearEnd = new RegExp(
  `^(?:(?:y\\/e|fy|year ended|ve)\\s(?:\\d{1,2}\\s)?(?:${monthNames.join('|')})?\\.?\\s?)?(?:19|20)\\d\\d\\s?:`,
  'iu',
)

/**
 * `6 (plus about 140 volunteers)`, `9 (planned for 2028: 14)`, `£842,000 (forecast 2026: £1.1m)`: what brackets add is
 * planned, an average or of others, and says nothing of the number before them.
 */
export function withoutAsides(cell: Cell, isCount: boolean): Cell {
  const { before, inside = '' } = bracketAtEnd(cell.text)
  const words = wordsOf(inside)
  const isAdded = /^\+/.test(inside) || additions.at(words, 0) !== undefined
  const isOfOthers = isCount && isAdded && notEmployed.in(words) !== undefined && inside.match(/\d+/g)?.length === 1
  // `18 (average of 2024: 21)`
  const isAverage =
    isCount && averageEmployees.averages.at(words, 0) !== undefined && /\b(?:19|20)\d\d\s?:/.test(inside)
  return isOfOthers || isAverage || isPlanned(inside) ? { ...cell, text: before.trim() } : cell
}

/** `planned for 2028: 14`; in `planned; currently: 7` it is the number before the brackets that is planned. */
function isPlanned(inside: string): boolean {
  const [, said] = /^([^:;,]+):\s*[^\d\s]{0,4}\s?\d[^:]*$/.exec(inside) ?? []
  const words = wordsOf(said ?? '')
  return periods.plan.in(words) !== undefined && periods.actual.in(words) === undefined
}

/** `£742,318 | (y/e Jan 2025: £690,402)` */
function isOlderAlone(text: string): boolean {
  const [, inside = ''] = /^\s*\(([^()]*)\)\.?\s*$/.exec(text) ?? []
  return isOlder(inside)
}

function isOlder(inside: string): boolean {
  const words = wordsOf(inside)
  const isDated = yearEnd.test(inside) || /^(?:19|20)\d\d$/.test(words[0] ?? '')
  return periods.older.in(words) !== undefined || (isDated && words.length > 1)
}

/** `47 (of whom 5 apprentices)`, `Full time: 11 Part time: 3 Total: 14`: the whole, not its parts. */
function withoutParts(text: string): string {
  if (/[£€$]/.test(text) || notEmployed.in(wordsOf(text)) !== undefined) return text
  const { before, inside } = bracketAtEnd(text)
  if (inside !== undefined && (parts.in(wordsOf(inside)) || isSumOf(before, inside))) return before
  const total = /(?:^|\s)(\p{L}+)\s?:\s*(\d[\d.,' ]*)$/u.exec(text)
  return total && text.split(':').length > 2 && totals.has(wordsOf(total[1] ?? '').join(' '))
    ? (total[2] ?? text)
    : text
}

/** `36 employees (21 permanent, 15 temporary)` */
function isSumOf(before: string, inside: string): boolean {
  const counts = (text: string) => (text.match(/\d+/g) ?? []).map(Number)
  const [whole, ...more] = counts(before)
  const own = counts(inside)
  return more.length === 0 && own.length > 1 && own.reduce((sum, count) => sum + count, 0) === whole
}

/** A number, and another one in brackets behind it. */
function bracketAtEnd(text: string): { before: string; inside?: string } {
  const [, before = '', inside = ''] = /^([^()]*)\(([^()]*)\)\.?\s*$/.exec(text) ?? []
  return /\d/.test(before) && /\d/.test(inside) ? { before, inside } : { before: text }
}

/** The number of a note or of the form's line, before the figures: `22  188,402`. */
export function isNote({ number, cell }: Figure, all: readonly Figure[], column: Column | undefined): boolean {
  if (number.is_formatted || all.length < 2) return false
  if (column?.period && column.period.kind !== 'date') return false
  const size = Number(number.value)
  // `Net turnover | 40100 | 4.318.906,44`: the number of a box, before amounts with cents.
  const others = all.filter((other) => other.number !== number)
  const isBox = /^\d{5}$/.test(cell.text.trim()) && all[0]?.cell === cell
  if (isBox && others.every((other) => /[.,]\d\d\D*$/.test(other.cell.text))) return true
  const isBare = /^\(?\d{1,3}[a-z]?\)?\.?$/.test(cell.text.trim())
  return (
    isBare &&
    Number.isInteger(size) &&
    Math.abs(size) < 1000 &&
    others.some((other) => other.number.is_formatted || Number(other.number.value) >= 1000)
  )
}
