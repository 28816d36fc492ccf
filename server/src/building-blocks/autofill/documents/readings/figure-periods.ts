// The period of a figure, of all that its column, its label and the headings above say.
import type { Column } from './columns.ts'
import { endOfYear, type Period } from './periods.ts'

/** The most particular heading decides; what a wider one says of a part or a plan holds unless it is contradicted. */
export function combined(
  column: Column | undefined,
  label: Period | undefined,
  context: Period | undefined,
  index: number,
): Period | undefined {
  const levels = [column?.period, label, context].filter((period) => period !== undefined)
  const [first, ...wider] = levels
  if (!first) return undefined
  let period = first
  for (const other of wider) {
    // The end of the business year is said once, and holds for its column.
    const end = other.kind === 'year' ? other.end : undefined
    if (
      period.kind === 'year' &&
      period.end === undefined &&
      end !== undefined &&
      (period.year === undefined || end.startsWith(String(period.year)))
    )
      period = { ...period, end, year: Number(end.slice(0, 4)) }
    // `Years ended June 30`, over columns that are only called by their years.
    if (period.kind === 'year' && period.end === undefined && period.year !== undefined && other.every !== undefined)
      period = { ...period, end: `${period.year}-${other.every}` }
    if (period.is_explicit) {
      if (period.year === undefined && other.year !== undefined && period.kind === 'year')
        period = { ...period, year: other.year }
      // `Budget, version 2026-10`, and below it `Annual revenue`
      if (other.is_plan && period.year === undefined) period = { ...period, is_plan: true }
      continue
    }
    if (other.kind === 'part' && other.is_explicit)
      period = { ...period, kind: 'part', is_explicit: true, name: `${period.name}, ${other.name}` }
    if (other.kind === 'year' && other.is_explicit) period = { ...period, kind: 'year', is_explicit: true }
    if (other.is_plan) period = { ...period, is_plan: true }
  }
  if (column?.is_older && column.period?.year === undefined) period = { ...period, ...older(period, index) }
  return period
}

/** Under `year ended 30 June 2026`, a figure of 2025 is not the one to take. */
export function isOlderThan(period: Period | undefined, heading: Period | undefined): boolean {
  const [own, said] = [period, heading].map((one) => (one?.kind === 'year' ? endOfYear(one) : undefined))
  return own !== undefined && said !== undefined && heading?.is_plan === false && own < said
}

/** `Prior year` without its number is a year before the one of the heading. */
function older({ year, end }: Period, index: number): Partial<Period> {
  if (year === undefined) return { year: 1900 - index, is_prior: true }
  return { year: year - 1, ...(end !== undefined && { end: `${year - 1}${end.slice(4)}` }) }
}
