// The sentence that accounts have on those who work for a company: `The average number of employees during the year was
// 22 (2025: 20).` The law asks for it in these words, so it is read although it is prose. It often runs over two lines, and
// often ends in a colon, with a table of who they are below it.
import { fold, wordsOf } from '../words/phrases.ts'
import { averageEmployees, notEmployed, totals } from '../words/vocabulary.ts'
import { documentPeriod } from './heading-contexts.ts'
import { readLabel } from './labels.ts'
import type { Parties } from './parties.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const mostLines = 3
const mostLetters = 400
const mostRows = 16

export function readAverageEmployees(document: ReadDocument, { is_report }: Parties): Reading[] {
  if (!is_report) return []
  const { pages } = document
  const reported = documentPeriod(document)?.year
  return pages.flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const listed = isHeadingOfStaff(line)
        ? totalOf(lines.slice(index + 1, index + 1 + mostRows), reported, true)
        : undefined
      if (listed !== undefined)
        return [
          {
            fact: 'business.employee_count',
            value: listed,
            label: line.text,
            doubts: [],
            is_total: true,
            place: placeOf(line),
          },
        ]
      const own = sentenceOf(line)
      if (own === undefined || averageEmployees.openings.in(wordsOf(own)) === undefined) return []
      const following = lines.slice(index + 1, index + mostLines).map((one) => one.text)
      const [sentence = ''] = [own, ...following].join(' ').slice(0, mostLetters).split(sentenceEnd)
      const end = lines.slice(index, index + mostLines).findIndex((one) => one.text.trim().endsWith(':'))
      const below = end === -1 ? [] : lines.slice(index + end + 1, index + end + 1 + mostRows)
      const value = countIn(sentence, reported) ?? totalOf(below, reported)
      // Behind the number, brackets tell of the year before; `(through an agency)` tells of others.
      const said = sentence.replace(/(?<=\d[^\d()]*)\([^()]*\d[^()]*\)/g, ' ')
      const isOthers = wordsOf(said).some((word) => averageEmployees.others.has(word)) || notEmployed.in(wordsOf(said))
      if (value === undefined || isOthers) return []
      return [
        { fact: 'business.employee_count', value, label: line.text, doubts: [], is_total: true, place: placeOf(line) },
      ]
    }),
  )
}

/** `Employees (annual average)` and nothing else, over a table of who they are. */
function isHeadingOfStaff({ cells, text }: PlacedLine): boolean {
  const [first, ...more] = cells
  const bare = text.replace(/\([^()]*\)/g, ' ')
  if (!first || more.length > 0 || text.length > 90 || /\d/.test(bare)) return false
  return readLabel(bare).some(({ fact, is_exact }) => fact === 'business.employee_count' && is_exact)
}

/** `Employees | The average number of employees was 22.`, `5. Employees. At balance date …`: what it is about, and the sentence. */
function sentenceOf({ cells }: PlacedLine): string | undefined {
  const [first, second, ...more] = cells
  const isAbout = (text: string) => averageEmployees.counted.has(fold(text.replace(/^\d{1,2}\.?\s/, '').trim()))
  if (!second)
    return first?.text.replace(/^((?:\d{1,2}\.?\s)?\p{L}{4,20})\.\s+/u, (whole, title) => (isAbout(title) ? '' : whole))
  return more.length === 0 && isAbout(first?.text ?? '') ? second.text : undefined
}

const sentenceEnd = /(?<=[\p{L})]|\d{1,5})\.(?=\s|$)/u
/** Nothing may follow but who they are and the year before: `12 in production and 5 in the office` is no whole. */
const whole = /^\s+(\d{1,5})(?:\s(\p{L}+))?(?:\s(?:beschäftigt|angestellt|employed))?\s*(?:\([^()]*\)\s*)?$/u
/** `…, of whom 78 are women` */
const ofWhom = /,\s(?:of wh(?:om|ich)|davon|dont|de (?:las|los) (?:que|cuales))\s.*$/isu

/** The number behind the first verb; before it, none may stand but the year that the report is of. */
function countIn(sentence: string, reported: number | undefined): string | undefined {
  for (const verb of sentence.matchAll(/(?<!\p{L})\p{L}+(?:\s\p{L}+)?(?=\s+\d)/gu)) {
    const words = wordsOf(verb[0])
    if (!averageEmployees.verbs.has(words.join(' ')) && !averageEmployees.verbs.has(words.at(-1) ?? '')) continue
    const before = sentence.slice(0, verb.index).replace(/(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}(?=\s\p{L}{3,})/gu, '')
    if (/\d/.test(before) || yearsIn(sentence.slice(0, verb.index)).some((year) => year !== reported)) return undefined
    const [, found, word] = whole.exec(sentence.slice(verb.index + verb[0].length).replace(ofWhom, '')) ?? []
    const isCount = word === undefined || averageEmployees.counted.has(fold(word))
    return found === undefined || !isCount || yearsIn(found).length > 0 ? undefined : found
  }
  return undefined
}

/** `2025 | 2024` over a row for each kind of work, and below them what they come to, called `Total` or nothing. */
function totalOf(lines: readonly PlacedLine[], reported: number | undefined, mustAddUp = false): string | undefined {
  const [header, ...rows] = lines.filter(({ cells }) => cells.length > 0)
  const years = (header?.cells ?? []).flatMap(({ text }) => yearsIn(text).slice(0, 1))
  const newest = years.indexOf(Math.max(...years))
  if (years.length === 0 || (reported !== undefined && years[newest] !== reported)) return undefined
  let sums = years.map(() => 0)
  for (const { cells, text } of rows) {
    if (!/\d/.test(text) && sums.every((sum) => sum === 0)) continue
    const counts = cells.flatMap((cell) => (/^\d{1,5}$/.test(cell.text) ? [Number(cell.text)] : []))
    if (counts.length !== years.length) return undefined
    // `Total (without apprentices)`
    const label = wordsOf((cells[0]?.text ?? '').replace(/\s\([^()]*\)\s*$/, '')).join(' ')
    const isTotal = cells.length === counts.length || totals.has(label)
    const isOnly = sums.every((sum) => sum === 0)
    if (isTotal && isOnly && mustAddUp) return undefined
    if (isTotal) return isOnly || sums.every((sum, at) => sum === counts[at]) ? String(counts[newest]) : undefined
    sums = sums.map((sum, at) => sum + (counts[at] ?? 0))
  }
  return undefined
}

function yearsIn(text: string): number[] {
  return [...text.matchAll(/(?<!\d)(?:19|20)\d\d(?!\d)/g)].map(([year]) => Number(year))
}
