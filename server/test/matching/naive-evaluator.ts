// What matching promises, written a second time: one rule after the other, days as dates, amounts as exact decimals,
// one sort with a comparator. Slow on purpose, so that the engine has something obviously right to be held to.
import { hashOf } from '../../src/areas/funding-recommendations/matching/ranking.ts'
import type {
  Comparison,
  ProgramTerms,
  RecipientTerms,
  Rule,
} from '../../src/areas/funding-recommendations/matching/rules.ts'
import { resolveDay } from '../../src/building-blocks/contracts/relative-days.ts'
import type { Money } from '../../src/platform/values/money.ts'
import { dateOf, daysApart, monthsAfter } from './naive-days.ts'
import { decimal, moneyText, numberOf, one } from './naive-decimals.ts'
import { type Subject, squeezed, subjectOf, type Values } from './naive-subjects.ts'

interface NaiveGap {
  unit: string
  actual: string | number
  bound: string | number
  short_by: string | number
}

interface NaiveReason {
  rule_id: string
  result: 'pass' | 'fail' | 'unknown' | 'not_applicable'
  gap: NaiveGap | null
  /** Of a bound that is missed: whether the passing of time brings the project nearer to it. Null where it is not asked. */
  does_waiting_help: boolean | null
}

interface NaiveMatch {
  id: string
  outcome: 'eligible' | 'undetermined' | 'near_miss' | 'ineligible'
  score: number | null
  reasons: NaiveReason[]
  missing_criteria: string[]
  estimated_amount: { min: Money; max: Money } | null
  /** The one criterion whose answer would settle it. */
  settled_by: string | null
  relative_gap: number
  middle_days: number | null
}

/** What came of one comparison. */
interface Verdict {
  result: 'pass' | 'fail' | 'unknown'
  /** The criterion that would have to be answered; none when no answer helps. */
  missing?: string
  gap?: NaiveGap
  isNear?: boolean
  relativeGap?: number
  doesWaitingHelp?: boolean
}

export function naiveMatch(program: ProgramTerms, recipient: RecipientTerms, values: Values, day: string): NaiveMatch {
  const recipientDay = dateOf(recipient.today)
  const judged = everyRule(program, recipient).map((rule) => ({ rule, ...judge(rule, values, day, recipientDay) }))
  const required = judged.filter(({ rule }) => rule.effect === 'required')
  const failed = required.filter(({ result }) => result === 'fail')
  const open = required.filter(({ result }) => result === 'unknown')

  let outcome: NaiveMatch['outcome'] = 'eligible'
  if (failed.length > 1 || failed.some(({ isNear }) => !isNear)) outcome = 'ineligible'
  else if (failed.length === 1) outcome = 'near_miss'
  else if (open.length > 0) outcome = 'undetermined'

  const missingOf = (effect: string) =>
    judged.flatMap(({ rule, result, missing }) => (rule.effect === effect && result === 'unknown' ? missing : []))
  const missing = new Set(missingOf('required'))
  const canBeSettled = outcome === 'undetermined' && missing.size === 1 && open.every(({ isStuck }) => !isStuck)
  return {
    id: program.id,
    outcome,
    score: outcome === 'eligible' || outcome === 'undetermined' ? scoreOf(judged) : null,
    reasons: judged.map(({ rule, result, gap, doesWaitingHelp }) => ({
      rule_id: rule.id,
      result,
      gap: gap ?? null,
      does_waiting_help: gap && isOfTime(rule.criterion) ? (doesWaitingHelp ?? false) : null,
    })),
    missing_criteria: [...new Set([...missing, ...missingOf('preferred')])],
    estimated_amount: estimatedAmount(program, values),
    settled_by: canBeSettled ? ([...missing][0] ?? null) : null,
    relative_gap: outcome === 'near_miss' ? (failed[0]?.relativeGap ?? 0) : 0,
    middle_days: middleOf(program.time_to_fund_days),
  }
}

/** What changes by itself while a project waits. */
const isOfTime = (criterion: string) =>
  /^(time_in_business_months|founded_on|bankruptcy(\.discharged_on|\.months_since_discharge)?|today)$/.test(criterion)

/** In the order of their rank; `matches` are in the order of the catalogue. */
export function naiveRanking(matches: readonly NaiveMatch[], projectId: string): NaiveMatch[] {
  const outcomes = ['eligible', 'undetermined', 'near_miss', 'ineligible']
  return matches.toSorted(
    (a, b) =>
      outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome) ||
      (b.score ?? -1) - (a.score ?? -1) ||
      compareNumbers(a.relative_gap, b.relative_gap) ||
      compareNumbers(a.middle_days ?? Number.POSITIVE_INFINITY, b.middle_days ?? Number.POSITIVE_INFINITY) ||
      compareNumbers(hashOf(projectId, a.id), hashOf(projectId, b.id)),
  )
}

/** Infinity minus infinity is no order. */
function compareNumbers(a: number, b: number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function scoreOf(judged: readonly { rule: Rule; result: string }[]): number | null {
  const weightOf = (result: string) =>
    judged.filter((one) => one.result === result).reduce((sum, { rule }) => sum + decimal(rule.weight), 0n)
  const [passed, decided] = [weightOf('pass'), weightOf('pass') + weightOf('fail')]
  // Half a point rounds up.
  return decided === 0n ? null : Number((200n * passed + decided) / (2n * decided))
}

function middleOf(days: ProgramTerms['time_to_fund_days']): number | null {
  const [min, max] = [days?.min ?? days?.max, days?.max ?? days?.min]
  return min == null || max == null ? null : (min + max) / 2
}

function estimatedAmount({ amount }: ProgramTerms, values: Values): NaiveMatch['estimated_amount'] {
  // safe because the value of this criterion is money
  const requested = values.amount_requested as Money | undefined
  if (!requested) return null
  const [min, max] = [amount?.min, amount?.max]
  if ([min, max].some((side) => side && side.currency !== requested.currency)) return null
  const low = min && decimal(min.amount) > 0n ? decimal(min.amount) : 0n
  const wanted = decimal(requested.amount)
  const high = max && decimal(max.amount) < wanted ? decimal(max.amount) : wanted
  const toMoney = (units: bigint) => ({ amount: moneyText(units, requested.currency), currency: requested.currency })
  return low <= high ? { min: toMoney(low), max: toMoney(high) } : null
}

type AnyRule = Rule & { isWish?: boolean; isWindow?: boolean }

function everyRule(program: ProgramTerms, recipient: RecipientTerms): AnyRule[] {
  const rules: AnyRule[] = []
  const isStated = (criterion: string) => program.eligibility.some((rule) => rule.criterion === criterion)
  const required = { effect: 'required', weight: 1 } as const
  const bounded = (id: string, criterion: string, min: unknown, max: unknown, more: object = {}) => {
    const value = { ...(min != null && { min }), ...(max != null && { max }) }
    if (Object.keys(value).length > 0 && !isStated(criterion))
      rules.push({ id, criterion, operator: 'between', value, ...required, ...more })
  }
  bounded('program.amount', 'amount_requested', program.amount?.min, program.amount?.max)
  bounded('program.term', 'term_months', program.term_months?.min, program.term_months?.max, { isWish: true })
  if (!isStated('funding_types')) {
    const wanted = { criterion: 'funding_types', operator: 'contains_any', value: [program.funding_type] } as const
    rules.push({ id: 'program.funding_type', ...wanted, ...required, isWish: true })
  }
  if (recipient.countries.length > 0 && !isStated('country'))
    rules.push({
      id: 'recipient.country',
      criterion: 'country',
      operator: 'in',
      value: recipient.countries,
      ...required,
    })
  bounded('program.window', 'today', program.opens_on, program.closes_on, { isWindow: true })
  return [...rules, ...program.eligibility]
}

interface Judged extends Omit<Verdict, 'result' | 'missing'> {
  result: NaiveReason['result']
  missing: string[]
  /** Something is unknown that no answer decides. */
  isStuck: boolean
}

function judge(rule: AnyRule, values: Values, day: string, recipientDay: string): Judged {
  const decided = { missing: [], isStuck: false }
  if (rule.isWish && values[rule.criterion] == null) return { ...decided, result: 'not_applicable' }
  const own = rule.isWindow
    ? withWindow(compare({ kind: 'date', date: recipientDay }, rule, day))
    : compareCriterion(rule, values, day)
  const condition: Verdict = rule.when ? compareCriterion(rule.when, values, day) : { result: 'pass' }
  if (condition.result === 'fail') return { ...decided, result: 'not_applicable' }
  if (own.result !== 'unknown' && (condition.result === 'pass' || own.result === 'pass'))
    return { ...decided, ...own, missing: [] }
  const open = [own, condition].filter(({ result }) => result === 'unknown')
  const missing = open.flatMap((verdict) => verdict.missing ?? [])
  return { result: 'unknown', missing, isStuck: missing.length < open.length }
}

/** The day it is moves on: before the window waiting helps, after it it does not. */
function withWindow(verdict: Verdict): Verdict {
  const { gap } = verdict
  return gap ? { ...verdict, doesWaitingHelp: String(gap.actual) < String(gap.bound) } : verdict
}

function compareCriterion(comparison: Comparison, values: Values, day: string): Verdict {
  const subject = subjectOf(comparison, values, day)
  const isMissing = subject.kind === 'missing'
  if (comparison.operator === 'exists' && comparison.value === false) return { result: isMissing ? 'pass' : 'fail' }
  if (isMissing) return { result: 'unknown', missing: subject.criterion }
  return comparison.operator === 'exists' ? { result: 'pass' } : compare(subject, comparison, day)
}

function compare(subject: Subject, { operator, value }: Comparison, day: string): Verdict {
  switch (operator) {
    case 'gte':
    case 'after':
      return inside(subject, value, undefined, day)
    case 'lte':
    case 'before':
      return inside(subject, undefined, value, day)
    case 'between': {
      // safe because a range is a pair, or an object of both sides
      const [min, max] = Array.isArray(value) ? value : [(value as Sides).min, (value as Sides).max]
      return inside(subject, min, max, day)
    }
    case 'eq':
      return oneOf([value], (entry) => isSame(subject, entry, day))
    case 'ne':
      return opposite(oneOf([value], (entry) => isSame(subject, entry, day)))
    case 'in':
      return oneOf(listOf(value), (entry) => isSame(subject, entry, day))
    case 'not_in':
      return opposite(oneOf(listOf(value), (entry) => isSame(subject, entry, day)))
    case 'prefix_in':
      return oneOf(listOf(value), (entry) => beginsWith(subject, entry))
    case 'not_prefix_in':
      return opposite(oneOf(listOf(value), (entry) => beginsWith(subject, entry)))
    default:
      return { result: containsAsAsked(subject, operator, listOf(value)) ? 'pass' : 'fail' }
  }
}

interface Sides {
  min?: unknown
  max?: unknown
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Both bounds included; a side that is undefined is open. */
function inside(subject: Subject, min: unknown, max: unknown, day: string): Verdict {
  if (subject.kind === 'endless') return { result: (subject.passes === 'lower' ? max : min) == null ? 'pass' : 'fail' }
  for (const [bound, direction] of [[min, 1n] as const, [max, -1n] as const]) {
    if (bound == null) continue
    const verdict = against(subject, bound, direction, day)
    if (verdict.result !== 'pass') return verdict
  }
  return { result: 'pass' }
}

/** `direction` is 1 for a lower bound and -1 for an upper one. */
function against(subject: Subject, bound: unknown, direction: bigint, day: string): Verdict {
  if (subject.kind === 'money') {
    // safe because money is compared with money
    const { amount, currency } = bound as Money
    if (currency !== subject.money.currency) return { result: 'unknown' }
    const distance = direction * (decimal(amount) - decimal(subject.money.amount))
    const text = (units: bigint) => moneyText(units, currency)
    return beyond(distance, decimal(amount), {
      unit: currency,
      actual: text(decimal(subject.money.amount)),
      bound: text(decimal(amount)),
      short_by: text(distance),
    })
  }
  if (subject.kind === 'number') {
    const distance = direction * (decimal(Number(bound)) - decimal(subject.number))
    const gap = { unit: subject.unit, actual: subject.number, bound: Number(bound), short_by: numberOf(distance) }
    // Months become more.
    const doesWaitingHelp = subject.isTime && direction === 1n
    const verdict = beyond(distance, decimal(Number(bound)), gap, subject.isTime ? distance <= 12n * one : undefined)
    return { ...verdict, doesWaitingHelp }
  }
  if (subject.kind !== 'date') throw new Error(`${subject.kind} has no bounds`)
  const last = resolveDay(String(bound), day) ?? String(bound)
  const days = Number(direction) * daysApart(subject.date, last)
  if (days <= 0) return { result: 'pass' }
  const furthest = monthsAfter(last, direction === 1n ? -12 : 12)
  return {
    result: 'fail',
    gap: { unit: 'days', actual: subject.date, bound: last, short_by: days },
    isNear: direction === 1n ? subject.date >= furthest : subject.date <= furthest,
    relativeGap: eightDecimals(days / 365),
    // The date stays where it is; "36 months before today" comes later every day.
    doesWaitingHelp: direction === -1n && String(bound).startsWith('today'),
  }
}

function beyond(distance: bigint, bound: bigint, gap: NaiveGap, isNear?: boolean): Verdict {
  if (distance <= 0n) return { result: 'pass' }
  const size = bound < 0n ? -bound : bound
  const relativeGap = size === 0n ? Number.POSITIVE_INFINITY : eightDecimals(Number(distance) / Number(size))
  return { result: 'fail', gap, isNear: isNear ?? distance * 5n <= size, relativeGap }
}

/** What differs by less ranks as equal. */
const eightDecimals = (share: number) => Number(share.toFixed(8))

/** Passes when one entry matches; where none does, an entry that cannot be compared leaves it open. */
function oneOf(entries: readonly unknown[], matches: (entry: unknown) => boolean | undefined): Verdict {
  const answers = entries.map(matches)
  if (answers.includes(true)) return { result: 'pass' }
  return { result: answers.includes(undefined) ? 'unknown' : 'fail' }
}

function opposite({ result }: Verdict): Verdict {
  if (result === 'unknown') return { result }
  return { result: result === 'pass' ? 'fail' : 'pass' }
}

/** Undefined when the two do not compare. */
function isSame(subject: Subject, entry: unknown, day: string): boolean | undefined {
  switch (subject.kind) {
    case 'number':
      return decimal(subject.number) === decimal(Number(entry))
    case 'money': {
      // safe because money is compared with money
      const { amount, currency } = entry as Money
      return currency === subject.money.currency ? decimal(amount) === decimal(subject.money.amount) : undefined
    }
    case 'date':
      return subject.date === (resolveDay(String(entry), day) ?? entry)
    case 'word':
      return subject.word === entry
    case 'postal_code':
      return subject.code === squeezed(String(entry))
    case 'industry':
      return withCode(subject, entry, (code) => subject.code === code)
    case 'endless':
      return false
    default:
      throw new Error(`${subject.kind} is not equal to anything`)
  }
}

function beginsWith(subject: Subject, entry: unknown): boolean | undefined {
  if (subject.kind === 'industry') return withCode(subject, entry, (code) => subject.code.startsWith(code))
  if (subject.kind === 'postal_code') return subject.code.startsWith(squeezed(String(entry)))
  return subject.kind === 'word' && String(subject.word).startsWith(String(entry))
}

function withCode(subject: { system: string }, entry: unknown, matches: (code: string) => boolean) {
  if (typeof entry === 'string') return matches(entry)
  // safe because an entry that is not a text is a code with its system
  const { system, code } = entry as { system: string; code: string }
  return system === subject.system ? matches(code) : undefined
}

function containsAsAsked(subject: Subject, operator: string, wanted: readonly unknown[]): boolean {
  if (subject.kind !== 'list') throw new Error(`${subject.kind} contains nothing`)
  const has = (entry: unknown) => subject.list.some((known) => known === entry)
  if (operator === 'contains_all') return wanted.every(has)
  return operator === 'contains_any' ? wanted.some(has) : !wanted.some(has)
}
