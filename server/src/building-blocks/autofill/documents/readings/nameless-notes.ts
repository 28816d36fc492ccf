// A few lines that name nobody: `Turnover 2025: £1,204,500`. Whoever hands them in for a business speaks of this business,
// as long as nothing in them may say that they are about somebody else: a name, a heading, a sentence.
import { wordsOf } from '../words/phrases.ts'
import { parties as partyWords, periods, proseWords } from '../words/vocabulary.ts'
import type { Pair } from './pairs.ts'
import { isOther } from './place-owners.ts'
import type { PlacedLine, ReadDocument } from './places.ts'

const fewLines = 12
const longLine = 160

export function isNameless({ pages }: ReadDocument, pairs: readonly Pair[]): boolean {
  const [page, ...others] = pages
  const filled = (page?.lines ?? []).filter(({ cells }) => cells.length > 0)
  if (others.length > 0 || filled.length > fewLines || filled.some(({ text }) => text.length > longLine)) return false
  // `Name: Ann Lee` above what follows.
  const isNamed = pairs.some(({ labels }) =>
    labels.some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact),
  )
  if (isNamed) return false
  const told = new Set(
    pairs.flatMap(({ labels, values, line, value_line }) =>
      labels.length > 0 && values.length > 0 ? [line, value_line] : [],
    ),
  )
  const last = filled.findLastIndex((line) => told.has(line) && !isOfOther(line))
  return filled.every((line, index) => {
    if (isSentence(line)) return false
    // What follows the name of somebody else may be about them.
    if (isNaming(line)) return isOfOther(line) && index > last
    return isOfOther(line) || told.has(line) || isPlain(line)
  })
}

/** What it says is somebody else's, and says so itself. */
function isOfOther({ text }: PlacedLine): boolean {
  return partyWords.others.in(wordsOf(text)) !== undefined
}

function isNaming({ cells }: PlacedLine): boolean {
  return cells.some(({ text }) => [text, ...text.split(/[,;:]\s/)].some(isOther))
}

function isSentence({ text }: PlacedLine): boolean {
  return !/^[^:]{2,50}:\s/.test(text) && wordsOf(text).some((word) => proseWords.has(word))
}

/** A label that is not known, a row of a table, a year: but not a heading of words alone. */
function isPlain({ text }: PlacedLine): boolean {
  return /\d|:/.test(text) || periods.titles.in(wordsOf(text)) !== undefined
}
