// The day a business was founded, as certificates and articles say it: in a sentence.
import { wordsOf } from '../words/phrases.ts'
import {
  courts,
  foundedWords,
  incorporatedToday,
  numberWords,
  registerDays,
  registers,
  spelledDays,
} from '../words/vocabulary.ts'
import { isSubject } from './company-names.ts'
import { datesIn, type FoundDate, isoOf } from './dates.ts'
import { readLabel } from './labels.ts'
import type { Parties } from './parties.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

interface Day {
  line: PlacedLine
  date: FoundDate
}

export function readCertificate(document: ReadDocument, { is_register, is_letter }: Parties): Reading[] {
  const days = [
    ...dayOfCertificate(document),
    ...(is_register ? daysInSentences(document) : []),
    ...(is_register && !is_letter ? daysOfLabels(document) : []),
  ]
  const [only, ...more] = days
  if (!only || more.some(({ date }) => isoOf(date) !== isoOf(only.date))) return []
  const { line, date } = only
  return [{ fact: 'business.founded_on', value: isoOf(date), label: 'certificate', doubts: [], place: placeOf(line) }]
}

/** `Number 714206`, above the title: that of the register, which the certificate is about. */
export function readCertificateNumber({ pages }: ReadDocument, { names }: Parties): Reading[] {
  const lines = pages[0]?.lines.filter(({ cells }) => cells.length > 0) ?? []
  const at = lines.findIndex(({ text }) => incorporatedToday.in(wordsOf(text)) !== undefined)
  // Right above it stands whom the certificate is about.
  if (!lines.slice(Math.max(0, at - 3), Math.max(0, at)).some(({ text }) => isSubject(text, names))) return []
  return lines.slice(0, 4).flatMap((line): Reading[] => {
    const [label = '', value = ''] = line.text.split(/[\s:]+(?=[A-Z]{0,2}\d{4,8}$)/)
    const isNumber = numberWords.has(wordsOf(label).join(' ')) && /^[A-Z]{0,2}\d{4,8}$/.test(value)
    if (!isNumber) return []
    return [{ fact: 'business.registration_number', value, label, doubts: [], place: placeOf(line) }]
  })
}

/** `Number | 714206` right above or below `Name | LEE BAKERY LIMITED`. */
export function readNumberBesideName({ pages }: ReadDocument, { names, is_register }: Parties): Reading[] {
  if (!is_register) return []
  return pages.slice(0, 2).flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const [label, value, ...more] = line.cells.map(({ text }) => text)
      const isNumber = numberWords.has(wordsOf(label ?? '').join(' ')) && /^[A-Z]{0,2}\d{5,8}$/.test(value ?? '')
      const named = [lines[index - 1], lines[index + 1]].filter((one) => isName(one?.cells[0]?.text ?? ''))
      const isBeside = named.length > 0 && named.every((one) => isSubject(one?.cells[1]?.text ?? '', names))
      if (label === undefined || value === undefined || more.length > 0 || !isNumber || !isBeside) return []
      return [{ fact: 'business.registration_number', value, label, doubts: [], place: placeOf(line) }]
    }),
  )
}

function isName(label: string): boolean {
  return readLabel(label).some(({ fact, is_exact }) => fact === 'business.legal_name' && is_exact)
}

/** `is this day incorporated … Given at Cardiff on 15th March 2022`: the day of the certificate is that of the foundation. */
function dayOfCertificate({ pages, country }: ReadDocument): Day[] {
  const lines = pages[0]?.lines ?? []
  const at = lines.findIndex(({ text }) => incorporatedToday.in(wordsOf(text)) !== undefined)
  if (at === -1) return []
  const filled = lines.slice(at, at + 20).filter(({ cells }) => cells.length > 0)
  for (const [index, line] of filled.entries()) {
    // `… the 11th day of April,` runs on in the next line.
    const runsOn = /(?:,|\sthe|\sof|\sday)$/i.test(line.text.trim())
    const days = daysOf(inDigits(runsOn ? `${line.text} ${filled[index + 1]?.text ?? ''}` : line.text), country, line)
    const day = days.find(({ date }) => date.begin < inDigits(line.text).length)
    if (day) return [day]
    // Below who signs stands when a copy was made.
    if (courts.in(wordsOf(line.text)) !== undefined && !line.text.trim().endsWith(',')) return []
  }
  return []
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

/** Whose document it is, is said at its top. */
const titleLines = 4

/** `Date de début: 12 mars 2015`: in an extract of a register, that of the business. */
function daysOfLabels({ pages, country }: ReadDocument): Day[] {
  const title = pages[0]?.lines.filter(({ cells }) => cells.length > 0).slice(0, titleLines) ?? []
  if (!title.some(({ cells, text }) => cells.length <= 2 && registers.in(wordsOf(text)) !== undefined)) return []
  return pages.slice(0, 3).flatMap(({ lines }) =>
    beforeOthers(lines).flatMap((line) => {
      const [label = ''] = (line.cells[0]?.text ?? '').split(':', 1)
      if (!registerDays.has(wordsOf(label).join(' '))) return []
      return daysOf(line.text.slice(label.length), country, line).slice(0, 1)
    }),
  )
}

/** Behind them the register tells of activities and of those who act, each with a day. */
function beforeOthers(lines: readonly PlacedLine[]): readonly PlacedLine[] {
  const end = lines.findIndex(({ text }) => /^(?:activités|fonctions?|capacités|qualités)\b/i.test(text))
  return end === -1 ? lines : lines.slice(0, end)
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
  return text.replace(
    /(?<![\p{L}\d-])([\p{L}\d-]{1,20}) day of (\p{L}+),?\s+(?:A\.? ?D\.? )?(\d{4})/giu,
    (whole, day, month, year) => {
      const number = spelledDays.indexOf(wordsOf(day).join(' ')) + 1 || Number.parseInt(day, 10)
      return Number.isNaN(number) ? whole : `${number} ${month} ${year}`
    },
  )
}
