// The rules of a programme, as it states them, and what it says of itself as rules too.
import type { Money } from '../../../platform/values/money.ts'

export const operators = [
  'eq',
  'ne',
  'in',
  'not_in',
  'gte',
  'lte',
  'between',
  'contains_any',
  'contains_all',
  'contains_none',
  'prefix_in',
  'not_prefix_in',
  'exists',
  'before',
  'after',
] as const
export type Operator = (typeof operators)[number]

/** One comparison of a criterion with a value. */
export interface Comparison {
  criterion: string
  operator: Operator
  value?: unknown
}

export interface Rule extends Comparison {
  id: string
  effect: 'required' | 'preferred'
  weight: number
  /** The rule counts only where this holds. */
  when?: Comparison
  message?: string
  remedy?: 'answer' | 'time' | 'none'
}

/** What matching needs to know of a programme. */
export interface ProgramTerms {
  id: string
  version: number
  funding_type: string
  opens_on: string | null
  closes_on: string | null
  amount: { min: Money | null; max: Money | null } | null
  term_months: { min: number | null; max: number | null } | null
  time_to_fund_days: { min: number | null; max: number | null } | null
  eligibility: readonly Rule[]
}

/** What matching needs to know of the recipient a programme belongs to. */
export interface RecipientTerms {
  id: string
  /** None: every country. */
  countries: readonly string[]
  /** The day it is where the recipient is, as a number of days. */
  today: number
}

/** A rule ready to be evaluated: one of the programme's own, or one that follows from what it says of itself. */
export interface StatedRule extends Rule {
  /** A wish of the project: without it the rule does not apply. */
  isWish?: boolean
}

/** Every rule of a programme. Its own rules take the place of those that follow from its terms. */
export function rulesOf(program: ProgramTerms, recipient: Pick<RecipientTerms, 'countries'>): StatedRule[] {
  const { amount, term_months, funding_type, opens_on, closes_on, eligibility } = program
  const stated = new Set(eligibility.map(({ criterion }) => criterion))
  const reserved: (StatedRule | undefined)[] = [
    bounded('program.amount', 'amount_requested', amount?.min, amount?.max),
    withWish(bounded('program.term', 'term_months', term_months?.min, term_months?.max)),
    withWish(reservedRule('program.funding_type', 'funding_types', 'contains_any', [funding_type])),
    recipient.countries.length > 0
      ? reservedRule('recipient.country', 'country', 'in', recipient.countries)
      : undefined,
    bounded('program.window', today, opens_on, closes_on),
  ]
  return [...reserved.filter((rule) => rule !== undefined && !stated.has(rule.criterion)), ...eligibility].filter(
    (rule) => rule !== undefined,
  )
}

/** Not a criterion of the project, but the day at the recipient's. */
export const today = 'today'

function bounded<T>(id: string, criterion: string, min: T | null | undefined, max: T | null | undefined) {
  if (min != null && max != null) return reservedRule(id, criterion, 'between', [min, max])
  if (min != null) return reservedRule(id, criterion, 'gte', min)
  return max != null ? reservedRule(id, criterion, 'lte', max) : undefined
}

function reservedRule(id: string, criterion: string, operator: Operator, value: unknown): StatedRule {
  return { id, criterion, operator, value, effect: 'required', weight: 1 }
}

function withWish(rule: StatedRule | undefined): StatedRule | undefined {
  return rule && { ...rule, isWish: true }
}
