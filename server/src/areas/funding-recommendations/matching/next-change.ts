// From which day on a calculation could come out differently although nothing changes but the day: the first day on which
// a comparison has another result, or near misses another order. Windows go by the day of their recipient, everything
// else by the day in UTC, and the two pass at different times.
import type { Catalogue } from './catalogue.ts'
import type { Evaluation } from './evaluation.ts'
import { compareWithBounds, evaluate, predicateOf, relativeGap } from './predicates.ts'
import { type CriteriaValues, factsOf, movingFacts, type ProjectFacts } from './project-facts.ts'
import { subjects, todayNumber } from './subjects.ts'

interface NextChange {
  /** By the day in UTC; null when that can change nothing. */
  day: number | null
  /** The same for the recipient of each catalogue, by its own day. */
  recipients: (number | null)[]
}

/** Further nobody looks: what could change at all is old after a year. */
const mostDays = 366
/** So many comparisons take less than a second. Beyond that nobody looks further, and the calculation is stale early. */
const mostWork = 20_000_000

interface LookOptions {
  /** Called for every day that is looked at. */
  checkpoint?: () => void
  budget?: number
}

export function nextChange(
  evaluation: Evaluation,
  values: CriteriaValues,
  day: number,
  { checkpoint, budget = mostWork }: LookOptions = {},
): NextChange {
  const future = lookAhead(values, day)
  const catalogues = evaluation.catalogues.map(({ catalogue }) => catalogue)
  const inUtc = watch(catalogues.flatMap((catalogue) => utcResults(catalogue, future)))
  const ofRecipients = catalogues.map((catalogue) => watch(windowResults(catalogue)))
  const clocks = [inUtc, ...ofRecipients]
  const order = watchOrder(evaluation, future)
  let work = 0
  for (let days = 1; order.changedIn() === null && clocks.some(({ isOpen }) => isOpen()); days++) {
    checkpoint?.()
    const isEnough = work >= budget
    // Once something has changed, another order is nothing new.
    if (clocks.every(({ changedIn }) => changedIn() === null)) work += order.look(days, isEnough)
    for (const clock of clocks) work += clock.look(days, isEnough || days === mostDays)
  }
  // Whichever day has passed first, the others are at most one behind: so the earliest counts for all of them.
  const earlier = (days: number | null) => {
    const least = Math.min(days ?? Number.POSITIVE_INFINITY, order.changedIn() ?? Number.POSITIVE_INFINITY)
    return Number.isFinite(least) ? least : null
  }
  const after = (from: number, days: number | null) => (days === null ? null : from + days)
  return {
    day: after(day, earlier(inUtc.changedIn())),
    recipients: catalogues.map(({ recipient }, index) =>
      after(recipient.today, earlier(ofRecipients[index]?.changedIn() ?? null)),
    ),
  }
}

/** What a comparison results in so many days later. */
type ResultIn = (days: number) => number

/** What is looked at day by day, until it is not what it was. */
interface Watch {
  /** Whether that may still come. */
  isOpen(): boolean
  /** After how many days it came. */
  changedIn(): number | null
  /** How many comparisons it took. Where it is enough, the day counts as the one. */
  look(days: number, isEnough: boolean): number
}

/** Watches `count` comparisons of any kind. */
function watchAny(count: number, isChanged: (days: number) => boolean): Watch {
  let changed: number | null = null
  const isOpen = () => count > 0 && changed === null
  return {
    isOpen,
    changedIn: () => changed,
    look(days, isEnough) {
      if (!isOpen()) return 0
      if (isEnough || isChanged(days)) changed = days
      return count
    },
  }
}

function watch(results: readonly ResultIn[]): Watch {
  const now = results.map((resultIn) => resultIn(0))
  return watchAny(results.length, (days) => results.some((resultIn, index) => resultIn(days) !== now[index]))
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

/** What near misses have in common that miss the same comparison: how far so many days later, and by whose day. */
interface Miss {
  gapIn(days: number): number
  /** -1: by the day in UTC; undefined: it stays. */
  clock: number | undefined
}

/** Watches whether two near misses change places. Then two neighbours do, and many neighbours miss the same. */
function watchOrder(evaluation: Evaluation, future: Future): Watch {
  const misses: Miss[] = []
  const neighbours = neighboursOf(evaluation, missReader(evaluation, future), misses)
  const gapsIn = (days: number) => Float64Array.from(misses, ({ gapIn }) => gapIn(days))
  const now = gapsIn(0)
  let before = now
  return watchAny(neighbours.length === 0 ? 0 : misses.length + neighbours.length, (days) => {
    const [yesterday, today] = [before, gapsIn(days)]
    before = today
    return neighbours.some(([one, next]) => {
      const isTie = now[one] === now[next]
      // Who was ahead by the gap alone may be behind once it is equal.
      const isBehind = (a = 0, b = 0) => (isTie ? a > b : a >= b)
      if (isBehind(today[one], today[next])) return true
      const [clock, other] = [misses[one]?.clock, misses[next]?.clock]
      if (clock === undefined || other === undefined || clock === other) return false
      // Between two clocks, one may be a day ahead.
      return isBehind(today[one], yesterday[next]) || isBehind(yesterday[one], today[next])
    })
  })
}

/** The different pairs of misses that follow each other in the order and can move, by their place in `misses`. */
function neighboursOf(
  { catalogues, missed, order, counts }: Evaluation,
  read: (place: number, range: number) => Miss,
  misses: Miss[],
): (readonly [number, number])[] {
  const numbers = catalogues.map(() => new Map<number, number>())
  const places = new Uint32Array(missed.length)
  for (const [place, { offset }] of catalogues.entries()) places.fill(place, offset)
  const numberOf = (program: number): number => {
    const place = places[program] ?? 0
    const range = missed[program] ?? 0
    let number = numbers[place]?.get(range)
    if (number === undefined) {
      number = misses.push(read(place, range)) - 1
      numbers[place]?.set(range, number)
    }
    return number
  }
  const pairs = new Map<number, readonly [number, number]>()
  const start = counts.eligible + counts.undetermined
  let last: number | undefined
  for (const program of order.subarray(start, start + counts.near_miss)) {
    const number = numberOf(program)
    const isMoving = last !== undefined && (misses[last]?.clock ?? misses[number]?.clock) !== undefined
    if (last !== undefined && last !== number && isMoving) pairs.set(last * missed.length + number, [last, number])
    last = number
  }
  return [...pairs.values()]
}

function missReader({ catalogues }: Evaluation, { day, factsIn, isMoving }: Future) {
  const timedBy = catalogues.map(({ catalogue }) => new Map(catalogue.timed.map((one) => [one.number, one.comparison])))
  return (place: number, range: number): Miss => {
    const catalogue = catalogues[place]?.catalogue
    if (!catalogue) throw new Error('a programme belongs to no catalogue')
    const subject = subjects[catalogue.ranges.subjects[range] ?? 0]
    if (!subject) throw new Error('a comparison is about nothing')
    const valueIn = (days: number) => factsIn(days)[subject.number]?.number ?? Number.NaN
    const comparison = timedBy[place]?.get(range)
    if (comparison)
      return {
        clock: -1,
        gapIn(days) {
          const predicate = predicateOf(comparison, day + days)
          return predicate.form === 'range' ? relativeGap('date', predicate.low, predicate.high, valueIn(days)) : 0
        },
      }
    const [low = 0, high = 0] = [catalogue.ranges.lows[range], catalogue.ranges.highs[range]]
    const gapOf = (value: number) => relativeGap(subject.measure, low, high, value)
    const { today } = catalogue.recipient
    if (subject.number === todayNumber) return { clock: place, gapIn: (days) => gapOf(today + days) }
    if (isMoving[subject.number]) return { clock: -1, gapIn: (days) => gapOf(valueIn(days)) }
    const gap = gapOf(valueIn(0))
    return { clock: undefined, gapIn: () => gap }
  }
}
