// What a programme says, in the one form in which it is stored, compared and matched: amounts with the digits of their
// currency, bounds complete, rules with their ids and defaults. Equal programmes have equal content, however sent.
import { hash } from 'node:crypto'
import { type Money, plainMoney } from '../../../platform/values/money.ts'
import type { Comparison, ProgramTerms, Rule } from '../matching/rules.ts'
import type { ProgramChange, RuleInput } from './schema.ts'

type Bounds = ProgramTerms['term_months']

export interface ProgramContent extends Omit<ProgramTerms, 'id' | 'version'> {
  name: string
  summary: string | null
  rate: { min: number | null; max: number | null; kind: string } | null
  fees: readonly { name: string; amount: Money | null; percent: number | null }[]
  required_documents: readonly string[]
}

/** The columns that hold it. */
export const contentNames = [
  'name',
  'summary',
  'funding_type',
  'opens_on',
  'closes_on',
  'amount',
  'term_months',
  'rate',
  'fees',
  'time_to_fund_days',
  'required_documents',
  'eligibility',
] as const

export const blankContent: ProgramContent = {
  name: '',
  summary: null,
  funding_type: 'other',
  opens_on: null,
  closes_on: null,
  amount: null,
  term_months: null,
  rate: null,
  fees: [],
  time_to_fund_days: null,
  required_documents: [],
  eligibility: [],
}

/** The content after a change that has passed every check. A field that was sent replaces what was there. */
export function changedContent(content: ProgramContent, change: ProgramChange): ProgramContent {
  const { name, summary, funding_type, opens_on, closes_on, required_documents } = change
  const { amount, term_months, rate, fees, time_to_fund_days, eligibility } = change
  return {
    name: name ?? content.name,
    summary: summary === undefined ? content.summary : summary,
    funding_type: funding_type ?? content.funding_type,
    opens_on: opens_on === undefined ? content.opens_on : opens_on,
    closes_on: closes_on === undefined ? content.closes_on : closes_on,
    amount: amount === undefined ? content.amount : amountOf(amount),
    term_months: term_months === undefined ? content.term_months : boundsOf(term_months),
    rate: rate === undefined ? content.rate : rate && { min: rate.min ?? null, max: rate.max ?? null, kind: rate.kind },
    fees:
      fees?.map((fee) => ({ name: fee.name, amount: moneyOf(fee.amount), percent: fee.percent ?? null })) ??
      content.fees,
    time_to_fund_days: time_to_fund_days === undefined ? content.time_to_fund_days : boundsOf(time_to_fund_days),
    required_documents: required_documents ?? content.required_documents,
    eligibility: eligibility ? rulesOf(eligibility) : content.eligibility,
  }
}

/** The columns of what a programme says. The hash is equal for equal content; the status is no part of it. */
export function contentColumns(content: ProgramContent) {
  const { name, summary, funding_type, opens_on, closes_on } = content
  const { amount, term_months, rate, fees, time_to_fund_days, required_documents, eligibility } = content
  const columns = {
    ...{ name, summary, funding_type, opens_on, closes_on },
    amount: amount && JSON.stringify(amount),
    term_months: term_months && JSON.stringify(term_months),
    rate: rate && JSON.stringify(rate),
    fees: JSON.stringify(fees),
    time_to_fund_days: time_to_fund_days && JSON.stringify(time_to_fund_days),
    required_documents: JSON.stringify(required_documents),
    eligibility: JSON.stringify(eligibility),
  }
  // Members are always in the same order here, and no text contains NUL.
  return { ...columns, content_hash: hash('sha256', Object.values(columns).join('\0'), 'base64url') }
}

export function isSameContent(one: ProgramContent, other: ProgramContent): boolean {
  return contentColumns(one).content_hash === contentColumns(other).content_hash
}

/** Rules with ids and defaults; what is not said is left out, so that rows stay small. */
function rulesOf(inputs: readonly RuleInput[]): Rule[] {
  const taken = new Set(inputs.map(({ id }) => id))
  return inputs.map(({ id, effect = 'required', weight = 1, when, message, remedy, ...comparison }, index) => {
    let number = index + 1
    while (id === undefined && taken.has(`rule_${number}`)) number++
    const own = id ?? `rule_${number}`
    taken.add(own)
    return {
      id: own,
      ...plainComparison(comparison),
      effect,
      weight,
      ...(when && { when: plainComparison(when) }),
      ...(message && { message }),
      ...(remedy && { remedy }),
    }
  })
}

function plainComparison({ criterion, operator, value }: Comparison): Comparison {
  return { criterion, operator, value: operator === 'exists' ? (value ?? true) : plainValue(value) }
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainEntry)
  return plainEntry(value)
}

/** Amounts with the digits of their currency, and the members of objects in one order. */
function plainEntry(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  // safe because only amounts have a currency, and their form was checked
  if ('currency' in value) return plainMoney(value as Money)
  return 'system' in value && 'code' in value ? { system: value.system, code: value.code } : value
}

function amountOf(amount: { min?: Money | null; max?: Money | null } | null): ProgramContent['amount'] {
  const [min, max] = [moneyOf(amount?.min), moneyOf(amount?.max)]
  return min === null && max === null ? null : { min, max }
}

function boundsOf(bounds: { min?: number | null; max?: number | null } | null): Bounds {
  const { min = null, max = null } = bounds ?? {}
  return min === null && max === null ? null : { min, max }
}

function moneyOf(money: Money | null | undefined): Money | null {
  return money ? plainMoney(money) : null
}
