// One comparison, ready to be evaluated: its bounds as numbers, its lists as sets. Three-valued: it passes, fails or is
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
export const notApplicable = 4
export type Result = typeof pass | typeof fail | typeof near | typeof unknown | typeof notApplicable

export interface Predicate {
  subject: string
  criterion: string
  measure: Measure
  /** `range`: within bounds. `among`: one of a set. `prefix`: begins like one of a list. */
  form: 'range' | 'among' | 'prefix' | 'any' | 'all' | 'none' | 'known'
  isNegated: boolean
  low: number
  high: number
  currency: string
  set: ReadonlySet<string>
  /** Entries that compare only with their own kind: codes of one system, amounts in one currency. */
  byKind: readonly Pick<Fact, 'kind' | 'key'>[]
  /** Without the fact the rule does not apply. */
  isWish: boolean
}

/** The value has passed the check of rules. `day` is that of the calculation, for values like `today-36 months`. */
export function predicateOf({ criterion, operator, value }: Comparison, day: number, isWish = false): Predicate {
  const subject = subjectOf(criterion, operator)
  if (!subject) throw new Error(`no rule can compare ${criterion} by ${operator}`)
  const blank: Predicate = {
    subject: subject.name,
    criterion: subject.criterion,
    measure: subject.measure,
    form: 'known',
    isNegated: false,
    low: Number.NEGATIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
    currency: '',
    set: noTexts,
    byKind: noEntries,
    isWish,
  }
  const bound = (one: unknown) => numberOf(subject, one, day)
  switch (operator) {
    case 'exists':
      return { ...blank, isNegated: value === false }
    case 'gte':
    case 'after':
      return { ...blank, form: 'range', low: bound(value), currency: currencyOf(value) }
    case 'lte':
    case 'before':
      return { ...blank, form: 'range', high: bound(value), currency: currencyOf(value) }
    case 'between': {
      const [low, high] = value as [unknown, unknown] // safe because the check of rules requires two bounds
      // No currency at all when the bounds differ in it: such a range compares with nothing.
      const currency = currencyOf(low) === currencyOf(high) ? currencyOf(low) : ''
      return { ...blank, form: 'range', low: bound(low), high: bound(high), currency }
    }
    case 'contains_any':
    case 'contains_all':
    case 'contains_none': {
      const form = ({ contains_any: 'any', contains_all: 'all', contains_none: 'none' } as const)[operator]
      return { ...blank, form, set: new Set(listOf(value).map(String)) }
    }
    case 'prefix_in':
    case 'not_prefix_in':
      return { ...blank, form: 'prefix', isNegated: operator === 'not_prefix_in', ...codesOf(subject, listOf(value)) }
    case 'eq':
    case 'ne':
    case 'in':
    case 'not_in': {
      const isNegated = operator === 'ne' || operator === 'not_in'
      const entries = operator === 'in' || operator === 'not_in' ? listOf(value) : [value]
      if (subject.measure === 'industry' || subject.measure === 'text' || subject.measure === 'boolean')
        return { ...blank, form: 'among', isNegated, ...codesOf(subject, entries) }
      const keys = entries.map((one) => ({ kind: currencyOf(one), key: String(bound(one)) }))
      if (subject.measure === 'money') return { ...blank, form: 'among', isNegated, byKind: keys }
      return { ...blank, form: 'among', isNegated, set: new Set(keys.map(({ key }) => key)) }
    }
  }
}

export function evaluate(predicate: Predicate, facts: ProjectFacts): Result {
  const fact = facts.get(predicate.subject)
  if (predicate.form === 'known') {
    if (predicate.isNegated) return fact ? fail : pass
    return fact ? pass : unknown
  }
  if (!fact) return predicate.isWish ? notApplicable : unknown
  switch (predicate.form) {
    case 'range':
      return predicate.currency === fact.kind ? compareWithBounds(predicate, fact.number) : unknown
    case 'among':
      return decided(predicate, predicate.set.has(fact.key), fact, (key) => key === fact.key)
    case 'prefix':
      return decided(predicate, hasPrefix(predicate.set, fact.key), fact, (key) => fact.key.startsWith(key))
    case 'any':
      return fact.list.some((one) => predicate.set.has(one)) ? pass : fail
    case 'all':
      return isWithin(predicate.set, fact.list) ? pass : fail
    case 'none':
      return fact.list.some((one) => predicate.set.has(one)) ? fail : pass
  }
}

function compareWithBounds({ measure, low, high }: Predicate, value: number): Result {
  if (value >= low && value <= high) return pass
  // Amounts too large to keep exactly compare with nothing.
  if (Number.isNaN(value)) return unknown
  const bound = value < low ? low : high
  const distance = Math.abs(value - bound)
  if (measure === 'months') return distance <= 12 ? near : fail
  if (measure === 'date') return isWithinYear(value, bound) ? near : fail
  // Five times the distance instead of a fifth of the bound: whole numbers stay whole.
  return distance * 5 <= Math.abs(bound) * (1 + rounding) ? near : fail
}

/** How far a near failure is from its bound, as a share of it; of dates, as a share of a year. */
export function relativeGap({ subject, measure, low, high }: Predicate, facts: ProjectFacts): number {
  const value = facts.get(subject)?.number ?? 0
  const bound = value < low ? low : high
  return Math.abs(value - bound) / (measure === 'date' ? daysOfYear : Math.abs(bound))
}

/** Counted from the bound: twelve months before the 29th of February is the 28th. */
function isWithinYear(value: number, bound: number): boolean {
  if (Math.abs(value - bound) > 366) return false
  return value < bound ? value >= addMonths(bound, -12) : value <= addMonths(bound, 12)
}

/** Different kinds do not compare. */
function decided(
  { isNegated, byKind }: Predicate,
  isAmong: boolean,
  fact: Fact,
  fits: (key: string) => boolean,
): Result {
  const isFound = isAmong || byKind.some(({ kind, key }) => kind === fact.kind && fits(key))
  if (isFound) return isNegated ? fail : pass
  if (byKind.some(({ kind }) => kind !== fact.kind)) return unknown
  return isNegated ? pass : fail
}

function hasPrefix(prefixes: ReadonlySet<string>, text: string): boolean {
  for (const prefix of prefixes) if (text.startsWith(prefix)) return true
  return false
}

function isWithin(set: ReadonlySet<string>, list: readonly string[]): boolean {
  for (const one of set) if (!list.includes(one)) return false
  return true
}

function numberOf({ measure, name }: Subject, value: unknown, day: number): number {
  if (measure === 'money') return toMinorUnits(value as Money) ?? Number.NaN // safe because the check of rules requires an amount
  if (measure !== 'date' || typeof value === 'number') return Number(value)
  const date = String(value)
  return dayNumber((name === today ? undefined : resolveDay(date, dateOfDay(day))) ?? date)
}

function currencyOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'currency' in value ? String(value.currency) : ''
}

function codesOf({ name }: Subject, entries: readonly unknown[]): Pick<Predicate, 'set' | 'byKind'> {
  const texts = entries.filter((one) => typeof one !== 'object').map(String)
  const plain = name === 'postal_code' ? texts.map(plainCode) : texts
  // safe because the check of rules lets no other objects pass
  const coded = entries.filter((one) => typeof one === 'object') as { system: string; code: string }[]
  return { set: new Set(plain), byKind: coded.map(({ system, code }) => ({ kind: system, key: code })) }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

const noTexts: ReadonlySet<string> = new Set()
const noEntries: Predicate['byKind'] = []
const daysOfYear = 365
/** Room for what is lost when decimals are kept as binary numbers. */
const rounding = 1e-12
