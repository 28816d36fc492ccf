// Whose figures a page, a sheet or a column holds, by the name that heads it: accounts of a parent, a sister company or
// a branch stand beside those of the subject.
import { wordsOf } from '../words/phrases.ts'
import { courts, legalFormPhrases, parties as partyWords, periods } from '../words/vocabulary.ts'
import { isWholeName, mentionsSubject } from './company-names.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

/** Whether the nearest name above a line of figures is that of another company. */
export function isHeadedByOther(
  { pages }: ReadDocument,
  page: number,
  index: number,
  names: readonly string[][],
): boolean {
  const { lines = [], title = '' } = pages[page] ?? {}
  const own = lines[index]
  if (own && mayName(own) && mentionsSubject(own.text, names)) return false
  return headedByOther(lines, names)[index - 1] ?? (title !== '' && isOtherName(title, names))
}

/** Of every line of a page, whether the last name up to it is another company's; undefined before the first name. */
function headedByOther(lines: readonly PlacedLine[], names: readonly string[][]): readonly (boolean | undefined)[] {
  const known = headed.get(lines)
  if (known) return known
  const found: (boolean | undefined)[] = []
  for (const [at, line] of lines.entries()) {
    const isOwn = mayName(line) && mentionsSubject(line.text, names)
    found.push(isOwn ? false : mayName(line) && isNameOfOther(line) ? true : found[at - 1])
  }
  headed.set(lines, found)
  return found
}

const headed = new WeakMap<readonly PlacedLine[], readonly (boolean | undefined)[]>()

function mayName({ cells }: PlacedLine): boolean {
  return cells.length > 0 && cells.length <= 2
}

/** Whether the heading of a column names another company. */
export function isOtherName(text: string, names: readonly string[][]): boolean {
  return isWholeName(text) && !mentionsSubject(text, names)
}

function isNameOfOther({ cells }: PlacedLine): boolean {
  const [first] = cells
  if (cells.length !== 1 || !first || !isWholeName(first.text)) return false
  const words = wordsOf(first.text)
  // Who has prepared, audited or keeps them is not whose they are.
  const isOnlyTitle = periods.titles.in(words) !== undefined || legalFormPhrases.in(words) !== undefined
  return courts.in(words) === undefined && partyWords.others.in(words) === undefined && !isOnlyTitle
}
