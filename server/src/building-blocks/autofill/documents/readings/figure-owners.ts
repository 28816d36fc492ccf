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
  for (let at = index; at >= 0; at--) {
    const line = lines[at]
    if (!line || line.cells.length === 0 || line.cells.length > 2) continue
    if (mentionsSubject(line.text, names)) return false
    if (at < index && isNameOfOther(line)) return true
  }
  return title !== '' && isOtherName(title, names)
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
