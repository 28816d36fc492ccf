// One comparison, ready to be evaluated: with bounds, or with a list of entries. Three-valued: it passes, fails or is
// unknown, and unknown never becomes false.
import { resolveDay } from '../../../building-blocks/contracts/relative-days.ts'
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { addMonths, dateOfDay, dayNumber } from './days.ts'
import { type Fact, type ProjectFacts, plainCode } from './project-facts.ts'
import { type Comparison, today } from './rules.ts'
import { type Measure, type Subject, subjectOf } from './subjects.ts'

/** Result of a comparison. A near failure is one within tolerance. */
export const pass = 0
export const fail = 1
export const near = 2
export const unknown = 3
/** Not a result of a comparison, but of a rule. */
export const notApplicable = 4

export type Predicate = RangePredicate | ListPredicate

/** Bounds are inclusive; an open side is infinite. */
export interface RangePredicate {
  form: 'range'
  subject: Subject
  low: number
  high: number
  /** The empty text for what is no amount. */
  currency: string
}

export interface ListPredicate {
  /** How many of the entries must match; or whether the value is known at all. */
  form: 'any' | 'none' | 'all' | 'known' | 'missing'
  subject: Subject
  entries: readonly Entry[]
}

export interface Entry {
  /** `same`: the value is it. `prefix`: the value begins with it. `member`: the value is a list that contains it. */
  match: 'same' | 'prefix' | 'member'
  /** Compares only with values of this kind: a currency, a system of codes. The empty text: with any. */
  kind: string
  key: string
}

/** The value has passed the check of rules. `day` is that of the calculation, for values like `today-36 months`. */
export function predicateOf({ criterion, operator, value }: Comparison, day: number): Predicate {
  const subject = subjectOf(criterion, operator)
  if (!subject) throw new Error(`no rule can compare ${criterion} by ${operator}`)
  const entriesOf = (values: readonly unknown[], match: Entry['match']) =>
    values.map((one) => entryOf(subject, one, match, day))
  switch (operator) {
    case 'exists':
      return { form: value === false ? 'missing' : 'known', subject, entries: [] }
    case 'gte':
    case 'after':
      return rangeOf(subject, value, undefined, day)
    case 'lte':
    case 'before':
      return rangeOf(subject, undefined, value, day)
    case 'between': {
      const [low, high] = value as [unknown, unknown] // safe because the check of rules requires two bounds
      return rangeOf(subject, low, high, day)
    }
    case 'contains_any':
      return { form: 'any', subject, entries: entriesOf(listOf(value), 'member') }
    case 'contains_all':
      return { form: 'all', subject, entries: entriesOf(listOf(value), 'member') }
    case 'contains_none':
      return { form: 'none', subject, entries: entriesOf(listOf(value), 'member') }
    case 'prefix_in':
      return { form: 'any', subject, entries: entriesOf(listOf(value), 'prefix') }
    case 'not_prefix_in':
      return { form: 'none', subject, entries: entriesOf(listOf(value), 'prefix') }
    case 'in':
      return { form: 'any', subject, entries: entriesOf(listOf(value), 'same') }
    case 'not_in':
      return { form: 'none', subject, entries: entriesOf(listOf(value), 'same') }
    case 'eq':
      return { form: 'any', subject, entries: entriesOf([value], 'same') }
    case 'ne':
      return { form: 'none', subject, entries: entriesOf([value], 'same') }
  }
}

export function evaluate(predicate: Predicate, facts: ProjectFacts): number {
  const { form, subject } = predicate
  const fact = facts[subject.number]
  if (form === 'range') {
    const { low, high, currency } = predicate
    return fact?.kind === currency ? compareWithBounds(subject.measure, low, high, fact.number) : unknown
  }
  const matches = predicate.entries.map((entry) => matchEntry(entry, fact))
  const [matched, incomparable] = [matches.filter((one) => one === true), matches.filter((one) => one === undefined)]
  return resultOfList(form, fact !== undefined, matches.length, matched.length, incomparable.length)
}

/** Undefined where the two do not compare. */
export function matchEntry({ match, kind, key }: Entry, fact: Fact | undefined): boolean | undefined {
  if (!fact || (kind !== '' && kind !== fact.kind)) return undefined
  if (match === 'member') return fact.list.includes(key)
  return match === 'prefix' ? fact.key.startsWith(key) : fact.key === key
}

/** One entry that matches decides; without one, an entry that cannot be compared leaves it open. */
export function resultOfList(
  form: ListPredicate['form'],
  isKnown: boolean,
  entries: number,
  matched: number,
  incomparable: number,
): number {
  if (form === 'missing') return isKnown ? fail : pass
  if (!isKnown) return unknown
  if (form === 'known') return pass
  if (form === 'all') return matched === entries ? pass : fail
  if (matched > 0) return form === 'any' ? pass : fail
  if (incomparable > 0) return unknown
  return form === 'any' ? fail : pass
}

/** What a rule comes to, given the result of its comparison and that of its condition. */
export function underCondition(own: number, condition: number): number {
  if (condition === fail || condition === near) return notApplicable
  return condition === unknown && own !== pass ? unknown : own
}

export function compareWithBounds(measure: Measure, low: number, high: number, value: number): number {
  if (value >= low && value <= high) return pass
  // What is not known, and amounts too large to keep exactly, compare with nothing.
  if (Number.isNaN(value)) return unknown
  const bound = value < low ? low : high
  const distance = Math.abs(value - bound)
  if (measure === 'months') return distance <= 12 ? near : fail
  if (measure === 'date') return isWithinYear(value, bound) ? near : fail
  // Five times the distance instead of a fifth of the bound: whole numbers stay whole.
  return distance * 5 <= Math.abs(bound) * (1 + rounding) ? near : fail
}

/** How far a near failure is from its bound, as a share of it; of dates, as a share of a year. In hundred-millionths. */
export function relativeGap(measure: Measure, low: number, high: number, value: number): number {
  const bound = value < low ? low : high
  const share = Math.abs(value - bound) / (measure === 'date' ? daysOfYear : Math.abs(bound))
  // Infinitely far from a bound of zero.
  return Math.min(0xffffffff, Math.round(share * 1e8))
}

/** Counted from the bound: twelve months before the 29th of February is the 28th. */
function isWithinYear(value: number, bound: number): boolean {
  const distance = Math.abs(value - bound)
  // Twelve months are 365 or 366 days: only then the calendar has to be asked.
  if (distance !== 366) return distance < 366
  return value < bound ? value >= addMonths(bound, -12) : value <= addMonths(bound, 12)
}

function rangeOf(subject: Subject, low: unknown, high: unknown, day: number): RangePredicate {
  const [given = '', other = given] = [low, high].filter((bound) => bound !== undefined).map(currencyOf)
  return {
    form: 'range',
    subject,
    low: low === undefined ? Number.NEGATIVE_INFINITY : numberOf(subject, low, day),
    high: high === undefined ? Number.POSITIVE_INFINITY : numberOf(subject, high, day),
    // Bounds in two currencies compare with neither.
    currency: given === other ? given : `${given} and ${other}`,
  }
}

function entryOf(subject: Subject, value: unknown, match: Entry['match'], day: number): Entry {
  const { measure, name } = subject
  if (
    measure === 'money' ||
    measure === 'number' ||
    measure === 'percent' ||
    measure === 'months' ||
    measure === 'date'
  )
    return { match, kind: currencyOf(value), key: String(numberOf(subject, value, day)) }
  if (typeof value === 'object') {
    const { system, code } = value as { system: string; code: string } // safe because the check of rules lets no other objects pass
    return { match, kind: system, key: code }
  }
  return { match, kind: '', key: name === 'postal_code' ? plainCode(String(value)) : String(value) }
}

function numberOf({ measure, name }: Subject, value: unknown, day: number): number {
  if (measure === 'money') return toMinorUnits(value as Money) ?? Number.NaN // safe because the check of rules requires an amount
  if (measure !== 'date') return Number(value)
  const date = String(value)
  return dayNumber((name === today ? undefined : resolveDay(date, dateOfDay(day))) ?? date)
}

function currencyOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'currency' in value ? String(value.currency) : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

const daysOfYear = 365
/** Room for what is lost when decimals are kept as binary numbers. */
const rounding = 1e-12
