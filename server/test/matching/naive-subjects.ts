// What a rule compares, and what is known of it: the naive evaluator's own reading of criteria.
import type { Comparison } from '../../src/areas/funding-recommendations/matching/rules.ts'
import type { Money } from '../../src/platform/values/money.ts'
import { completedMonths } from './naive-days.ts'

export type Values = Readonly<Record<string, unknown>>

/** How a criterion compares, and what is known of it. */
export type Subject =
  | { kind: 'missing'; criterion: string }
  | { kind: 'number'; number: number; unit: 'number' | 'percent' | 'months'; isTime: boolean }
  | { kind: 'money'; money: Money }
  | { kind: 'date'; date: string }
  | { kind: 'endless'; passes: 'lower' | 'upper' }
  | { kind: 'word'; word: string | boolean }
  | { kind: 'postal_code'; code: string }
  | { kind: 'industry'; system: string; code: string }
  | { kind: 'list'; list: readonly string[] }

export function subjectOf({ criterion, operator }: Comparison, values: Values, day: string): Subject {
  const [key = '', part] = criterion.split('.')
  const value = values[key]
  if (key === 'time_in_business_months' && value == null) {
    const founded = values.founded_on
    if (typeof founded !== 'string') return { kind: 'missing', criterion: key }
    return { kind: 'number', number: completedMonths(founded, day), unit: 'months', isTime: true }
  }
  if (value == null) return { kind: 'missing', criterion: key }
  if (key === 'bankruptcy') return bankruptcyOf(value, part ?? partFor(operator), day)
  if (key === 'equipment') return equipmentOf(value, part ?? (isBound(operator) ? 'age_years' : 'type'))
  if (key === 'industry') {
    // safe because the value of this criterion is an industry
    return { kind: 'industry', ...(value as { system: string; code: string }) }
  }
  if (key === 'postal_code') return { kind: 'postal_code', code: squeezed(String(value)) }
  if (Array.isArray(value)) return { kind: 'list', list: value }
  if (typeof value === 'number') {
    const isMonths = key === 'time_in_business_months' || key === 'term_months'
    const unit = key === 'match_funding_percent' ? 'percent' : isMonths ? 'months' : 'number'
    return { kind: 'number', number: value, unit, isTime: key === 'time_in_business_months' }
  }
  // safe because of the values that remain only money is an object
  if (typeof value === 'object') return { kind: 'money', money: value as Money }
  if (/^(needed_by|founded_on|project_start_on)$/.test(key)) return { kind: 'date', date: String(value) }
  return { kind: 'word', word: typeof value === 'boolean' ? value : String(value) }
}
const isBound = (operator: string) => ['gte', 'lte', 'between'].includes(operator)

function partFor(operator: string) {
  if (isBound(operator)) return 'months_since_discharge'
  return operator === 'before' || operator === 'after' ? 'discharged_on' : 'has'
}

function bankruptcyOf(value: unknown, part: string, day: string): Subject {
  // safe because the value of this criterion is a bankruptcy
  const { has, discharged_on } = value as { has: boolean; discharged_on?: string | null }
  if (part === 'has') return { kind: 'word', word: has }
  // As if infinitely long ago: before any day, and infinitely many months.
  if (!has) return { kind: 'endless', passes: part === 'discharged_on' ? 'upper' : 'lower' }
  if (!discharged_on) return { kind: 'missing', criterion: 'bankruptcy' }
  if (part === 'discharged_on') return { kind: 'date', date: discharged_on }
  return { kind: 'number', number: completedMonths(discharged_on, day), unit: 'months', isTime: true }
}

function equipmentOf(value: unknown, part: string): Subject {
  // safe because the value of this criterion is equipment
  const { type, age_years } = value as { type: string; age_years?: number | null }
  if (part === 'type') return { kind: 'word', word: type }
  if (age_years == null) return { kind: 'missing', criterion: 'equipment' }
  return { kind: 'number', number: age_years, unit: 'number', isTime: false }
}

export const squeezed = (postalCode: string) => postalCode.toUpperCase().replaceAll(' ', '').replaceAll('-', '')
