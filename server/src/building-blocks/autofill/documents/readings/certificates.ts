// The day a business was founded, as certificates and articles say it: in a sentence.
import { wordsOf } from '../words/phrases.ts'
import { foundedWords, incorporatedToday, registerDays, spelledDays } from '../words/vocabulary.ts'
import { datesIn, type FoundDate, isoOf } from './dates.ts'
import type { Parties } from './parties.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

interface Day {
  line: PlacedLine
  date: FoundDate
}

export function readCertificate(document: ReadDocument, { is_register }: Parties): Reading[] {
  const days = [
    ...dayOfCertificate(document),
    ...(is_register ? [...daysInSentences(document), ...daysOfLabels(document)] : []),
  ]
  const [only, ...more] = days
  if (!only || more.some(({ date }) => isoOf(date) !== isoOf(only.date))) return []
  const { line, date } = only
  return [{ fact: 'business.founded_on', value: isoOf(date), label: 'certificate', doubts: [], place: placeOf(line) }]
}

/** `is this day incorporated … Given at Cardiff on 15th March 2022`: the day of the certificate is that of the foundation. */
function dayOfCertificate({ pages, country }: ReadDocument): Day[] {
  const lines = pages[0]?.lines ?? []
  const at = lines.findIndex(({ text }) => incorporatedToday.in(wordsOf(text)) !== undefined)
  const days = at === -1 ? [] : lines.slice(at, at + 20).flatMap((line) => daysOf(inDigits(line.text), country, line))
  // Further down stands when a copy was made.
  return days.slice(0, 1)
}

/** `was incorporated on the seventh day of August, A.D. 2018`, over the end of a line if need be. */
function daysInSentences({ pages, country }: ReadDocument): Day[] {
  return pages.slice(0, 3).flatMap(({ lines }) =>
    lines.flatMap((line, index) => {
      const next = lines.slice(index + 1, index + 3).find(({ cells }) => cells.length > 0)
      const text = inDigits(`${line.text} ${next?.text ?? ''}`)
      return daysOf(text, country, line).filter(({ date }) => {
        const before = wordsOf(text.slice(0, date.begin)).slice(-6)
        return date.begin < inDigits(line.text).length + 60 && endsFounded(before, wordsOf(line.text))
      })
    }),
  )
}

/** `Date de début: 12 mars 2015`: in an extract of a register, that of the business. */
function daysOfLabels({ pages, country }: ReadDocument): Day[] {
  return pages.slice(0, 3).flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const [label = ''] = (line.cells[0]?.text ?? '').split(':', 1)
      if (!registerDays.has(wordsOf(label).join(' '))) return []
      return daysOf(line.text.slice(label.length), country, line).slice(0, 1)
    }),
  )
}

/** The words that say so stand right before the day, and begin in this line. */
function endsFounded(before: readonly string[], own: readonly string[]): boolean {
  return before.some((_, at) => {
    const found = foundedWords.at(before, at)
    if (!found || before.length - at - found.length > 2) return false
    const words = before.slice(at, at + found.length)
    return own.some((__, index) => words.every((word, offset) => own[index + offset] === word))
  })
}

function daysOf(text: string, country: string | null, line: PlacedLine): Day[] {
  return datesIn(text, country).flatMap((date) => (date.day === undefined || date.year === 0 ? [] : [{ line, date }]))
}

/** `the seventh day of August, A.D. 2018` as `7 August 2018`. */
function inDigits(text: string): string {
  return text.replace(/([\p{L}\d-]+) day of (\p{L}+),?\s+(?:A\.? ?D\.? )?(\d{4})/giu, (whole, day, month, year) => {
    const number = spelledDays.indexOf(wordsOf(day).join(' ')) + 1 || Number.parseInt(day, 10)
    return Number.isNaN(number) ? whole : `${number} ${month} ${year}`
  })
}
