// Tables of who works for a company, a row for each kind of work and a column for each year, as accounts have them below a
// heading such as `Employees (annual average)`. Only what adds up is read, and only rows of people of its own.
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { averageEmployees, notEmployed, parties as partyWords, totals } from '../words/vocabulary.ts'
import { isHeadedByOther } from './figure-owners.ts'
import { documentPeriod } from './heading-contexts.ts'
import { readLabel } from './labels.ts'
import { isOrganisation } from './organisations.ts'
import type { Parties } from './parties.ts'
import { periodIn } from './periods.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'
import { currencyIn, scaleIn } from './units.ts'

export const mostRows = 16
/** Headings above say whose people they are, or that they are planned. */
const linesAbove = 2

export function readStaffTables(document: ReadDocument, { is_report, names }: Parties): Reading[] {
  if (!is_report) return []
  const reported = documentPeriod(document)?.year
  return document.pages.flatMap(({ lines }, page) =>
    lines.flatMap((line, index): Reading[] => {
      if (!isHeading(line) || lines.slice(Math.max(0, index - linesAbove), index + 1).some(isOfOthers)) return []
      const rows = lines.slice(index + 1, index + 1 + mostRows).filter(({ cells }) => cells.length > 0)
      const value = isTableOfStaff(rows) ? totalOfStaff(rows, reported) : undefined
      if (value === undefined || isHeadedByOther(document, page, index, names)) return []
      const reading: Reading = {
        ...{ fact: 'business.employee_count', value, label: line.text },
        ...{ doubts: [], is_total: true, place: placeOf(line) },
      }
      return [reading]
    }),
  )
}

/** The rows of tables of staff, which are parts of what they come to, whoever they are. */
export function partsOfStaff(lines: readonly PlacedLine[]): ReadonlySet<PlacedLine> {
  const known = parts.get(lines)
  if (known) return known
  const found = new Set<PlacedLine>()
  for (const [index, line] of lines.entries()) {
    if (line.cells.length === 0 || !line.cells.some(({ text }) => yearsIn(text).length > 0)) continue
    const rows = lines.slice(index + 1, index + 1 + mostRows).filter(({ cells }) => cells.length > 0)
    const end = rows.findIndex(isTotal)
    if (end > 1 && totalOfStaff([line, ...rows.slice(0, end + 1)], undefined) !== undefined)
      for (const row of rows.slice(0, end)) found.add(row)
  }
  parts.set(lines, found)
  return found
}

const parts = new WeakMap<readonly PlacedLine[], ReadonlySet<PlacedLine>>()

/** `Employees (annual average)` and nothing else: `Employees` alone may be over what they cost. */
function isHeading({ cells, text }: PlacedLine): boolean {
  const bare = text.replace(/\([^()]*\)/g, ' ')
  if (cells.length !== 1 || text.length > 90 || /\d/.test(bare) || isMoney(text)) return false
  // `(annual average)`, `(§ 285 Nr. 7 HGB)`, but not `(hours per week)` or `(group)`
  const [, remark] = /\(([^()]*)\)/.exec(text) ?? []
  const isOfStaffToo = remark === undefined || /\d/.test(remark) || averageEmployees.counting.in(wordsOf(remark))
  if (!isOfStaffToo) return false
  const isOfStaff = readLabel(bare).some(
    ({ fact, is_exact, certainty }) => fact === 'business.employee_count' && is_exact && certainty === 'sure',
  )
  return isOfStaff && averageEmployees.counting.in(wordsOf(text)) !== undefined
}

function isOfOthers({ cells, text }: PlacedLine): boolean {
  const words = wordsOf(text.slice(0, 200))
  return cells.length === 1 && [periods.plan, partyWords.others].some((phrases) => phrases.in(words) !== undefined)
}

function isMoney(text: string): boolean {
  return currencyIn(text) !== undefined || scaleIn(text) !== undefined
}

/** Years over rows of people: two kinds of work at least, and what they come to. */
function isTableOfStaff([header, ...rows]: readonly PlacedLine[]): boolean {
  const heads = header?.cells.filter(({ text }) => yearsIn(text).length === 0).map(({ text }) => wordsOf(text)) ?? []
  if (heads.length > 1 || !heads.every((words) => averageEmployees.groups.has(words.join(' ')))) return false
  const end = rows.findIndex(isTotal)
  return end > 1 && rows.slice(0, end).every(isRowOfPeople)
}

function isRowOfPeople({ cells, text }: PlacedLine): boolean {
  const [first] = cells
  const words = wordsOf(first?.text ?? '')
  if (!first || !/\p{L}{3}/u.test(first.text) || isMoney(text) || isOrganisation(first.text)) return false
  if (notEmployed.in(words) !== undefined || words.some((word) => averageEmployees.trainees.has(word))) return false
  return (
    periodIn(first.text, null) === undefined &&
    readLabel(first.text).every(({ fact }) => fact === 'business.employee_count')
  )
}

/** `Total`, `Total (without apprentices)`, or nothing before the numbers. */
function isTotal({ cells }: PlacedLine): boolean {
  const label = wordsOf((cells[0]?.text ?? '').replace(/\s\([^()]*\)\s*$/, '')).join(' ')
  return totals.has(label) || (cells.length > 0 && cells.every(({ text }) => /^\d{1,5}$/.test(text)))
}

/** `2025 | 2024` over a row for each kind of work, and below them what they come to, called `Total` or nothing. */
export function totalOfStaff(lines: readonly PlacedLine[], reported: number | undefined): string | undefined {
  const [header, ...rows] = lines.filter(({ cells }) => cells.length > 0)
  const years = (header?.cells ?? []).flatMap(({ text }) => yearsIn(text).slice(0, 1))
  const newest = years.indexOf(Math.max(...years))
  if (years.length === 0 || (reported !== undefined && years[newest] !== reported)) return undefined
  let sums = years.map(() => 0)
  for (const row of rows) {
    const { cells, text } = row
    const isFirst = sums.every((sum) => sum === 0)
    if (!/\d/.test(text) && isFirst) continue
    const counts = cells.flatMap((cell) => (/^\d{1,5}$/.test(cell.text) ? [Number(cell.text)] : []))
    if (counts.length !== years.length) return undefined
    if (isTotal(row)) return isFirst || sums.every((sum, at) => sum === counts[at]) ? String(counts[newest]) : undefined
    sums = sums.map((sum, at) => sum + (counts[at] ?? 0))
  }
  return undefined
}

export function yearsIn(text: string): number[] {
  return [...text.matchAll(/(?<!\d)(?:19|20)\d\d(?!\d)/g)].map(([year]) => Number(year))
}
