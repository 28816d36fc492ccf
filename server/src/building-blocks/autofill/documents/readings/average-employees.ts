// The sentence that accounts have on those who work for a company: `The average number of employees during the year was
// 22 (2025: 20).` The law asks for it in these words, so it is read although it is prose. It often runs over two lines, and
// often ends in a colon, with a table of who they are below it.
import { fold, wordsOf } from '../words/phrases.ts'
import { averageEmployees, notEmployed } from '../words/vocabulary.ts'
import { documentPeriod } from './heading-contexts.ts'
import type { Parties } from './parties.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'
import { mostRows, totalOfStaff, yearsIn } from './staff-tables.ts'

const mostLines = 3
const mostLetters = 400

export function readAverageEmployees(document: ReadDocument, { is_report }: Parties): Reading[] {
  if (!is_report) return []
  const { pages } = document
  const reported = documentPeriod(document)?.year
  return pages.flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const own = sentenceOf(line)
      if (own === undefined || averageEmployees.openings.in(wordsOf(own)) === undefined) return []
      const following = lines.slice(index + 1, index + mostLines).map((one) => one.text)
      const [sentence = ''] = [own, ...following].join(' ').slice(0, mostLetters).split(sentenceEnd)
      const end = lines.slice(index, index + mostLines).findIndex((one) => one.text.trim().endsWith(':'))
      const below = end === -1 ? [] : lines.slice(index + end + 1, index + end + 1 + mostRows)
      const value = countIn(sentence, reported) ?? totalOfStaff(below, reported)
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
