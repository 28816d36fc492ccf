// The name a business trades under, where a sentence says so: `Best Kitchens is a trading name of Lee Catering Ltd.`; and where
// an extract of a register has a section for it.
import { wordsOf } from '../words/phrases.ts'
import { demonstratives, proseWords, tradingOf } from '../words/vocabulary.ts'
import { type Names, subjectIn } from './company-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

export function readTradingNames({ pages }: ReadDocument, names: Names): Reading[] {
  return pages.slice(0, 3).flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const value = tradingNameIn(line.text, names) ?? nameInSection(lines, index)
      if (value === undefined) return []
      return [{ fact: 'business.trading_name', value, label: 'trading name', doubts: [], place: placeOf(line) }]
    }),
  )
}

/** `Active Business Names`, and the first line below it `Name | Best Kitchens`, as in Ontario. */
function nameInSection(lines: readonly PlacedLine[], index: number): string | undefined {
  const heading = lines.slice(Math.max(0, index - 2), index).findLast(({ cells }) => cells.length > 0)
  const [label, value, ...more] = lines[index]?.cells ?? []
  const isSection = heading?.cells.length === 1 && activeNames.has(wordsOf(heading.text).join(' '))
  return isSection && label?.text === 'Name' && more.length === 0 ? value?.text.trim() : undefined
}

const activeNames = new Set(['active business names', 'active business name', 'registered business names'])

/** What stands before the words, at the beginning of a sentence, where the subject stands at once behind them. */
export function tradingNameIn(written: string, names: Names): string | undefined {
  const text = written.slice(0, 400)
  const places = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const words = places.map(([word]) => wordsOf(word)[0] ?? '')
  const found = tradingOf.in(words)
  const [first, next] = found ? [places[found.begin], places[found.begin + found.length]] : []
  if (!first || !next) return undefined
  const own = subjectIn(text.slice(next.index, next.index + 100), names)
  const [name = ''] = text
    .slice(0, first.index)
    .split(/[.;:]\s/)
    .slice(-1)
  const parts = name.trim().split(/\s+/)
  // `This is a trading name of …`
  const isName =
    name.length <= 60 &&
    parts.length <= 6 &&
    parts.every((part) => /^\p{Lu}|^\P{L}|^\p{L}{1,2}$/u.test(part)) &&
    wordsOf(name).some((word) => word.length > 2 && !proseWords.has(word) && !demonstratives.has(word))
  if (own === undefined || !text.startsWith(own, next.index) || !isName) return undefined
  // `… of Lee Bakery's subsidiary`, `… of Lee Bakery Wholesale Ltd`
  const rest = text.slice(next.index + own.replace(/\.$/, '').length)
  return /^(?:['’]s|\s+\p{Lu})/u.test(rest) ? undefined : name.trim()
}
