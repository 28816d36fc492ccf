// Whose figures a page, a sheet or a column holds, by the name that heads it: accounts of a parent, a sister company or
// a branch stand beside those of the subject.

import type { Cell, Line } from '../formats/document-text.ts'
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { courts, groupColumns, legalFormPhrases, parties as partyWords } from '../words/vocabulary.ts'
import { hasBoxes } from './choices.ts'
import { isSubject, isWholeName, mentionsSubject, type Names, nameWords } from './company-names.ts'
import { readLabel } from './labels.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

/** Whether the nearest name above a line of figures is that of another company. */
export function isHeadedByOther({ pages }: ReadDocument, page: number, index: number, names: Names): boolean {
  const { lines = [], title = '' } = pages[page] ?? {}
  const own = lines[index]
  if (own && mayName(own) && mentionsSubject(own.text, names)) return false
  return headedByOther(lines, names)[index - 1] ?? (title !== '' && isOtherName(title, names))
}

/** Of every line of a page, whether the last name up to it is another company's; undefined before the first name. */
function headedByOther(lines: readonly PlacedLine[], names: Names): readonly (boolean | undefined)[] {
  const known = headed.get(lines)
  if (known) return known
  const found: (boolean | undefined)[] = []
  for (const [at, line] of lines.entries()) {
    const isNamed = line.cells.length > 1 && line.cells.some(({ text }) => isSubject(text, names))
    const isOwn =
      isNamed || (mayName(line) && (mentionsSubject(line.text, names) || isEndOfName(line, lines[at - 1], names)))
    const isOther = mayName(line) && isNameOfOther(line) && !goesOnFrom(lines[at - 1]) && !isBelowLabel(lines[at - 1])
    found.push(isOwn ? false : isOther ? true : found[at - 1])
  }
  headed.set(lines, found)
  return found
}

const headed = new WeakMap<readonly PlacedLine[], readonly (boolean | undefined)[]>()

/** `called LEE ARTISAN`, and `BAKERY LIMITED` in the next line. */
function isEndOfName({ text }: PlacedLine, above: PlacedLine | undefined, names: Names): boolean {
  const words = nameWords(text)
  const before = nameWords((above?.text ?? '').slice(-100))
  return names.some((name) => {
    const begin = name.length - words.length
    const isEnd = words.length > 0 && begin > 0 && name.slice(begin).join(' ') === words.join(' ')
    return isEnd && before.slice(-begin).join(' ') === name.slice(0, begin).join(' ')
  })
}

/** `Best Holding | 20 %`, and `Bread Ltd` below it: the rest of a name in a list of owners. */
function goesOnFrom(above: PlacedLine | undefined): boolean {
  const cells = above?.cells ?? []
  return cells.length > 2 && cells.filter(({ text }) => /^\d{1,3}(?:[.,]\d+)?\s?%$/.test(text)).length === 1
}

/** `Entity type`, and `Limited Liability Company` below it: what was filled in heads nothing, if it is no name. */
function isBelowLabel(above: PlacedLine | undefined): boolean {
  const [label, ...more] = above?.cells ?? []
  const said = label && more.length === 0 ? readLabel(label.text).filter(({ is_exact }) => is_exact) : []
  return said.length > 0 && said.every(({ fact }) => fact === 'business.legal_form')
}

function mayName({ cells }: PlacedLine): boolean {
  return cells.length > 0 && cells.length <= 2
}

/** Whether the heading of a column names another company. */
export function isOtherName(text: string, names: Names): boolean {
  return isWholeName(text) && !mentionsSubject(text, names)
}

/** Of a table with a column for each company of a group, the values in the column of the subject. */
export function ofOwnColumn({ pages }: ReadDocument, page: number, index: number, values: Line, names: Names): Line {
  const lines = pages[page]?.lines ?? []
  let empty = 0
  for (let at = index - 1; at >= Math.max(0, index - farthestHead); at--) {
    const [first, ...rest] = lines[at]?.cells ?? []
    if (!first && ++empty > 1) return values
    const isYears = rest.length > 0 && rest.every(({ text }) => /^(?:19|20)\d\d$/.test(text.trim()))
    const isRow = rest.every(({ text }) => /^[\s\d.,()%$£€–-]+$/.test(text))
    if (isRow && !isYears) continue
    // The nearest head is that of this table, whatever it says.
    const own = rest.filter(({ text }) => isSubject(text, names))
    const below = values.filter((value) => own.some((cell: Cell) => overlap(cell, value) > 0))
    const isGroup =
      rest.length === values.length &&
      rest.some(({ text }) => isOtherName(text, names)) &&
      rest.some(({ text }) => groupColumns.has(wordsOf(text).join(' ')))
    return isGroup && own.length === 1 && below.length === 1 ? below : values
  }
  return values
}

const farthestHead = 60

function isNameOfOther({ cells }: PlacedLine): boolean {
  const [first] = cells
  // `☐ Partnership ☒ LLC ☐ S-Corp` are choices.
  if (cells.length !== 1 || !first || hasBoxes(first.text)) return false
  // `Lee Cafés Ltd (a sister company)`
  const bare = first.text.replace(/\([^()]*\)\s*$/, '')
  if (!isWholeName(first.text) && !isWholeName(bare)) return false
  const words = wordsOf(bare)
  // Who has prepared, audited or keeps them is not whose they are.
  const isOnlyTitle = periods.titles.in(words) !== undefined || legalFormPhrases.in(words) !== undefined
  return courts.in(words) === undefined && partyWords.others.in(words) === undefined && !isOnlyTitle
}
