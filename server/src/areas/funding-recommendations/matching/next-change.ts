// From which day on a calculation could come out differently although nothing changes but the day: the first day on which
// a comparison has another result, or near misses another order. Windows go by the day of their recipient, everything
// else by the day in UTC, and the two pass at different times.
import type { Catalogue } from './catalogue.ts'
import { type Evaluation, gapOf } from './evaluation.ts'
import { compareWithBounds, evaluate, predicateOf, relativeGap } from './predicates.ts'
import { type CriteriaValues, factsOf, movingFacts, type ProjectFacts, withToday } from './project-facts.ts'
import { subjects, todayNumber } from './subjects.ts'

interface NextChange {
  /** By the day in UTC; null when that can change nothing. */
  day: number | null
  /** The same for the recipient of each catalogue, by its own day. */
  recipients: (number | null)[]
}

/** Further nobody looks: what could change at all is old after a year. */
const mostDays = 366

export function nextChange(evaluation: Evaluation, values: CriteriaValues, day: number): NextChange {
  const future = lookAhead(values, day)
  const catalogues = evaluation.catalogues.map(({ catalogue }) => catalogue)
  const inUtc = firstDay(catalogues.flatMap((catalogue) => utcResults(catalogue, future)))
  const ofRecipients = catalogues.map((catalogue) => firstDay(windowResults(catalogue)))
  const first = Math.min(mostDays, ...[inUtc, ...ofRecipients].map((days) => days ?? mostDays))
  const reordered = firstReordering(evaluation, future, first) ?? Number.POSITIVE_INFINITY
  // Whichever day has passed first, the others are at most one behind: so the earliest counts for all of them.
  const earlier = (days: number | null) => {
    const least = Math.min(days ?? Number.POSITIVE_INFINITY, reordered)
    return Number.isFinite(least) ? least : null
  }
  const after = (from: number, days: number | null) => (days === null ? null : from + days)
  return {
    day: after(day, earlier(inUtc)),
    recipients: catalogues.map(({ recipient }, index) => after(recipient.today, earlier(ofRecipients[index] ?? null))),
  }
}

/** What a comparison results in so many days later. */
type ResultIn = (days: number) => number

/** After how many days one of them is not what it was; null when there is none that could. */
function firstDay(results: readonly ResultIn[]): number | null {
  if (results.length === 0) return null
  const now = results.map((resultIn) => resultIn(0))
  for (let days = 1; days < mostDays; days++)
    if (results.some((resultIn, index) => resultIn(days) !== now[index])) return days
  return mostDays
}

interface Future {
  day: number
  factsIn(days: number): ProjectFacts
  /** Whether the fact of a subject moves with the day. */
  isMoving: readonly boolean[]
}

function lookAhead(values: CriteriaValues, day: number): Future {
  const kept: ProjectFacts[] = []
  const factsIn = (days: number) => {
    kept[days] ??= factsOf(values, day + days)
    return kept[days]
  }
  return { day, factsIn, isMoving: movingFacts(values) }
}

/** Comparisons that the day in UTC decides: months that are counted, and days told from today. */
function utcResults(catalogue: Catalogue, { day, factsIn, isMoving }: Future): ResultIn[] {
  const { ranges, timed } = catalogue
  const results: ResultIn[] = []
  for (let range = 0; range < ranges.subjects.length; range++) {
    const subject = subjects[ranges.subjects[range] ?? 0]
    if (!subject || !isMoving[subject.number]) continue
    const [low = 0, high = 0] = [ranges.lows[range], ranges.highs[range]]
    results.push((days) => compareWithBounds(subject.measure, low, high, factsIn(days)[subject.number]?.number ?? 0))
  }
  for (const { comparison } of timed) {
    const { subject } = predicateOf(comparison, day)
    // What is unknown stays unknown.
    if (factsIn(0)[subject.number]) results.push((days) => evaluate(predicateOf(comparison, day + days), factsIn(days)))
  }
  return results
}

function windowResults({ ranges, recipient }: Catalogue): ResultIn[] {
  const results: ResultIn[] = []
  for (let range = 0; range < ranges.subjects.length; range++) {
    if (ranges.subjects[range] !== todayNumber) continue
    const [low = 0, high = 0] = [ranges.lows[range], ranges.highs[range]]
    results.push((days) => compareWithBounds('date', low, high, recipient.today + days))
  }
  return results
}

/** A near miss: how far it misses so many days later, and by whose day. */
interface NearMiss {
  gapIn(days: number): number
  /** -1: by the day in UTC; undefined: it stays. */
  clock: number | undefined
}

/** After how many days two near misses change places, if that is before `limit`. Then two neighbours do. */
function firstReordering(evaluation: Evaluation, future: Future, limit: number): number | undefined {
  const { order, counts } = evaluation
  const start = counts.eligible + counts.undetermined
  const misses = Array.from(order.subarray(start, start + counts.near_miss), nearMissReader(evaluation, future))
  const neighbours = misses.flatMap((one, index) => {
    const next = misses[index + 1]
    return next && (one.clock !== undefined || next.clock !== undefined) ? [[one, next] as const] : []
  })
  for (let days = 1; days <= limit; days++)
    if (neighbours.some(([one, next]) => changePlaces(one, next, days))) return days
  return undefined
}

function changePlaces(one: NearMiss, next: NearMiss, days: number): boolean {
  // Between two clocks, one may be a day ahead.
  const isSameClock = one.clock === undefined || next.clock === undefined || one.clock === next.clock
  const places = isSameClock
    ? [[days, days]]
    : [
        [days, days],
        [days, days - 1],
        [days - 1, days],
      ]
  const isTie = one.gapIn(0) === next.gapIn(0)
  return places.some(([a = 0, b = 0]) => {
    const [before, after] = [one.gapIn(a), next.gapIn(b)]
    // Who was ahead by the gap alone may be behind once it is equal.
    return isTie ? before > after : before >= after
  })
}

function nearMissReader({ catalogues, missed }: Evaluation, { day, factsIn, isMoving }: Future) {
  const timedBy = catalogues.map(({ catalogue }) => new Map(catalogue.timed.map((one) => [one.number, one.comparison])))
  return (program: number): NearMiss => {
    const place = catalogues.findLastIndex(({ offset }) => offset <= program)
    const catalogue = catalogues[place]?.catalogue
    const range = missed[program] ?? 0
    if (!catalogue) throw new Error('a programme belongs to no catalogue')
    const { today } = catalogue.recipient
    const subject = catalogue.ranges.subjects[range] ?? 0
    const comparison = timedBy[place]?.get(range)
    if (comparison)
      return {
        clock: -1,
        gapIn(days) {
          const predicate = predicateOf(comparison, day + days)
          const value = factsIn(days)[subject]?.number ?? 0
          return predicate.form === 'range' ? relativeGap('date', predicate.low, predicate.high, value) : 0
        },
      }
    const gapIn = (days: number) => gapOf(catalogue, range, withToday(factsIn(days), today + days))
    if (subject === todayNumber) return { clock: place, gapIn }
    if (isMoving[subject]) return { clock: -1, gapIn }
    const gap = gapIn(0)
    return { clock: undefined, gapIn: () => gap }
  }
}
