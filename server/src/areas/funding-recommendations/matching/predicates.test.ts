import { describe, expect, test } from 'vitest'
import { dayNumber } from './days.ts'
import { evaluate, fail, near, pass, predicateOf, unknown } from './predicates.ts'
import { type CriteriaValues, factsOf } from './project-facts.ts'
import type { Comparison, Operator } from './rules.ts'

const day = '2026-03-31'
const usd = (amount: string) => ({ amount, currency: 'USD' })
const naics = (code: string) => ({ system: 'naics_2022', code })

type Case = [
  criterion: string,
  operator: Operator,
  value: unknown,
  known: unknown,
  result: 'pass' | 'fail' | 'near' | 'unknown',
]

function resultOf(comparison: Comparison, values: CriteriaValues): string {
  const result = evaluate(predicateOf(comparison, dayNumber(day)), factsOf(values, dayNumber(day)))
  return { [pass]: 'pass', [fail]: 'fail', [near]: 'near', [unknown]: 'unknown' }[Number(result)] ?? 'not applicable'
}

function holds(cases: readonly Case[]) {
  for (const [criterion, operator, value, known, result] of cases) {
    const [key = ''] = criterion.split('.')
    const found = resultOf({ criterion, operator, value }, known === undefined ? {} : { [key]: known })
    expect([criterion, operator, value, known, found]).toEqual([criterion, operator, value, known, result])
  }
}

describe('a comparison', () => {
  test('includes its bounds', () => {
    holds([
      ['credit_score', 'gte', 650, 650, 'pass'],
      ['credit_score', 'gte', 650, 649, 'near'],
      ['credit_score', 'lte', 650, 650, 'pass'],
      ['credit_score', 'lte', 650, 651, 'near'],
      ['credit_score', 'between', [600, 700], 600, 'pass'],
      ['credit_score', 'between', [600, 700], 700, 'pass'],
      ['credit_score', 'between', [600, 700], 599, 'near'],
      ['credit_score', 'between', [600, 700], 701, 'near'],
      ['annual_revenue', 'gte', usd('100000.00'), usd('100000.00'), 'pass'],
      ['annual_revenue', 'gte', usd('100000.00'), usd('99999.99'), 'near'],
      ['needed_by', 'before', '2026-06-30', '2026-06-30', 'pass'],
      ['needed_by', 'before', '2026-06-30', '2026-07-01', 'near'],
      ['needed_by', 'after', '2026-06-30', '2026-06-30', 'pass'],
      ['needed_by', 'after', '2026-06-30', '2026-06-29', 'near'],
      ['needed_by', 'between', ['2026-01-01', '2026-06-30'], '2026-01-01', 'pass'],
    ])
  })

  test('of what is not known is unknown, also when it excludes something', () => {
    holds([
      ['credit_score', 'gte', 650, undefined, 'unknown'],
      ['credit_score', 'ne', 650, null, 'unknown'],
      ['country', 'not_in', ['US'], undefined, 'unknown'],
      ['collateral', 'contains_none', ['cash'], undefined, 'unknown'],
      ['industry', 'not_prefix_in', ['72'], undefined, 'unknown'],
      ['personal_guarantee', 'eq', false, undefined, 'unknown'],
      ['bankruptcy', 'eq', false, undefined, 'unknown'],
    ])
  })

  test('with exists passes what is known and leaves open what is not', () => {
    holds([
      ['collateral', 'exists', true, [], 'pass'],
      ['collateral', 'exists', undefined, ['cash'], 'pass'],
      ['collateral', 'exists', true, undefined, 'unknown'],
      ['personal_guarantee', 'exists', true, false, 'pass'],
    ])
  })

  test('with exists false passes what is not known and fails what is', () => {
    holds([
      ['collateral', 'exists', false, undefined, 'pass'],
      ['collateral', 'exists', false, ['cash'], 'fail'],
    ])
  })

  test('with prefix_in compares codes and postal codes from their beginning', () => {
    holds([
      ['industry', 'prefix_in', ['72', '44'], naics('722511'), 'pass'],
      ['industry', 'prefix_in', ['2251'], naics('722511'), 'fail'],
      ['industry', 'prefix_in', ['7225110'], naics('722511'), 'fail'],
      ['industry', 'not_prefix_in', ['72'], naics('722511'), 'fail'],
      ['industry', 'not_prefix_in', ['44'], naics('722511'), 'pass'],
      ['postal_code', 'prefix_in', ['SW1'], 'SW1A 1AA', 'pass'],
      ['postal_code', 'prefix_in', ['1AA'], 'SW1A 1AA', 'fail'],
      ['region', 'prefix_in', ['US-'], 'US-CA', 'pass'],
    ])
  })

  test('of postal codes ignores case, spaces and hyphens', () => {
    holds([
      ['postal_code', 'eq', 'sw1a1aa', 'SW1A 1AA', 'pass'],
      ['postal_code', 'prefix_in', ['sw-1a 1'], 'SW1A1AA', 'pass'],
      ['postal_code', 'in', ['10001-1234'], '100011234', 'pass'],
      ['postal_code', 'not_in', ['SW1A-1AA'], 'sw1a 1aa', 'fail'],
    ])
  })

  test('of an industry with a plain code does not ask for its system', () => {
    holds([
      ['industry', 'eq', '5610', { system: 'sic_2007', code: '5610' }, 'pass'],
      ['industry', 'eq', '5610', { system: 'nace_2', code: '5610' }, 'pass'],
      ['industry', 'ne', '5610', { system: 'nace_2', code: '56.10' }, 'pass'],
    ])
  })

  test('of an industry with a code of another system is unknown, unless something else matches', () => {
    const sic = { system: 'sic_2007', code: '5610' }
    holds([
      ['industry', 'in', [naics('5610')], sic, 'unknown'],
      ['industry', 'not_in', [naics('5610')], sic, 'unknown'],
      ['industry', 'in', [naics('5610'), sic], sic, 'pass'],
      ['industry', 'not_in', [naics('5610'), '5610'], sic, 'fail'],
      ['industry', 'prefix_in', [naics('56'), '56'], sic, 'pass'],
      ['industry', 'prefix_in', [{ system: 'sic_2007', code: '57' }], sic, 'fail'],
    ])
  })

  test('with contains compares lists', () => {
    holds([
      ['collateral', 'contains_any', ['cash', 'vehicles'], ['real_estate', 'cash'], 'pass'],
      ['collateral', 'contains_any', ['cash'], ['real_estate'], 'fail'],
      ['collateral', 'contains_any', ['cash'], [], 'fail'],
      ['collateral', 'contains_all', ['cash', 'real_estate'], ['real_estate', 'cash', 'vehicles'], 'pass'],
      ['collateral', 'contains_all', ['cash', 'real_estate'], ['cash'], 'fail'],
      ['collateral', 'contains_none', ['cash'], ['real_estate'], 'pass'],
      ['collateral', 'contains_none', ['cash'], [], 'pass'],
      ['collateral', 'contains_none', ['cash', 'vehicles'], ['vehicles'], 'fail'],
    ])
  })

  test('of amounts in different currencies is unknown', () => {
    holds([
      ['annual_revenue', 'gte', { amount: '1', currency: 'JPY' }, usd('100000.00'), 'unknown'],
      ['annual_revenue', 'ne', { amount: '1.00', currency: 'EUR' }, usd('1.00'), 'unknown'],
      ['annual_revenue', 'in', [{ amount: '1.00', currency: 'EUR' }, usd('2.00')], usd('1.00'), 'unknown'],
      ['annual_revenue', 'in', [{ amount: '1.00', currency: 'EUR' }, usd('1.00')], usd('1.00'), 'pass'],
      ['annual_revenue', 'between', [usd('0.00'), { amount: '9.00', currency: 'EUR' }], usd('1.00'), 'unknown'],
    ])
  })

  test('takes equal amounts for equal however they are written', () => {
    holds([
      ['annual_revenue', 'eq', usd('1000'), usd('1000.00'), 'pass'],
      ['annual_revenue', 'eq', usd('1000.5'), usd('1000.50'), 'pass'],
      ['match_funding_percent', 'eq', 10, 10.0, 'pass'],
    ])
  })

  test('may be with a day told from the day of the calculation', () => {
    holds([
      ['founded_on', 'before', 'today-36 months', '2023-03-31', 'pass'],
      ['founded_on', 'before', 'today-36 months', '2023-04-01', 'near'],
      ['founded_on', 'before', 'today-1 months', '2026-02-28', 'pass'],
      ['founded_on', 'before', 'today-1 months', '2026-03-01', 'near'],
      ['project_start_on', 'after', 'today', day, 'pass'],
      ['project_start_on', 'after', 'today+30 days', '2026-04-29', 'near'],
    ])
  })
})

describe('months in business', () => {
  const inBusiness = (months: number): Comparison => ({
    criterion: 'time_in_business_months',
    operator: 'gte',
    value: months,
  })

  test('are completed months since the founding when only that is known', () => {
    expect(resultOf(inBusiness(24), { founded_on: '2024-03-31' })).toBe('pass')
    expect(resultOf(inBusiness(24), { founded_on: '2024-04-01' })).toBe('near')
    // The 31st of March, a month earlier, is the last of February.
    expect(resultOf(inBusiness(1), { founded_on: '2026-02-28' })).toBe('pass')
    expect(resultOf(inBusiness(1), { founded_on: '2026-03-01' })).toBe('near')
  })

  test('are those that were stated, whatever the founding', () => {
    expect(resultOf(inBusiness(24), { founded_on: '2000-01-01', time_in_business_months: 23 })).toBe('near')
    expect(resultOf(inBusiness(24), { founded_on: '2026-01-01', time_in_business_months: 24 })).toBe('pass')
  })

  test('are none before the founding', () => {
    expect(resultOf(inBusiness(0), { founded_on: '2026-12-31' })).toBe('pass')
  })

  test('of one founded on a leap day are twelve on the first of March', () => {
    const on = (date: string) =>
      evaluate(predicateOf(inBusiness(12), dayNumber(date)), factsOf({ founded_on: '2024-02-29' }, dayNumber(date)))
    expect([on('2025-02-28'), on('2025-03-01')]).toEqual([near, pass])
  })
})

describe('a miss is near', () => {
  test('for a number or an amount up to a fifth of the bound', () => {
    holds([
      ['credit_score', 'gte', 650, 520, 'near'],
      ['credit_score', 'gte', 650, 519, 'fail'],
      ['employee_count', 'lte', 50, 60, 'near'],
      ['employee_count', 'lte', 50, 61, 'fail'],
      ['term_months', 'lte', 60, 72, 'near'],
      ['term_months', 'lte', 60, 73, 'fail'],
      ['annual_revenue', 'gte', usd('33333.35'), usd('26666.68'), 'near'],
      ['annual_revenue', 'gte', usd('33333.35'), usd('26666.67'), 'fail'],
      ['match_funding_percent', 'gte', 0.3, 0.24, 'near'],
      ['match_funding_percent', 'gte', 0.3, 0.23, 'fail'],
    ])
  })

  test('never at a bound of zero, and by its size at one below', () => {
    holds([
      ['net_profit', 'gte', usd('0.00'), usd('-0.01'), 'fail'],
      ['net_profit', 'gte', usd('-5000.00'), usd('-6000.00'), 'near'],
      ['net_profit', 'gte', usd('-5000.00'), usd('-6000.01'), 'fail'],
    ])
  })

  test('for time in business and time since a discharge up to 12 months', () => {
    const discharged = (discharged_on: string) => ({ has: true, discharged_on })
    holds([
      ['time_in_business_months', 'gte', 24, 12, 'near'],
      ['time_in_business_months', 'gte', 24, 11, 'fail'],
      ['time_in_business_months', 'lte', 6, 18, 'near'],
      ['time_in_business_months', 'lte', 6, 19, 'fail'],
      ['bankruptcy', 'gte', 36, discharged('2024-03-31'), 'near'],
      ['bankruptcy', 'gte', 36, discharged('2024-04-01'), 'fail'],
    ])
  })

  test('for dates up to 12 months from the bound, also over a leap day', () => {
    holds([
      ['needed_by', 'after', '2026-06-30', '2025-06-30', 'near'],
      ['needed_by', 'after', '2026-06-30', '2025-06-29', 'fail'],
      ['needed_by', 'before', '2026-06-30', '2027-06-30', 'near'],
      ['needed_by', 'before', '2026-06-30', '2027-07-01', 'fail'],
      ['needed_by', 'before', '2023-03-01', '2024-03-01', 'near'],
      ['needed_by', 'before', '2023-03-01', '2024-03-02', 'fail'],
      ['needed_by', 'before', '2024-02-29', '2025-02-28', 'near'],
      ['needed_by', 'before', '2024-02-29', '2025-03-01', 'fail'],
      ['needed_by', 'after', '2024-02-29', '2023-02-28', 'near'],
      ['needed_by', 'after', '2024-02-29', '2023-02-27', 'fail'],
    ])
  })

  test('for nothing else', () => {
    holds([
      ['country', 'eq', 'US', 'CA', 'fail'],
      ['credit_score', 'eq', 650, 649, 'fail'],
      ['credit_score', 'in', [650, 660], 649, 'fail'],
      ['needed_by', 'eq', '2026-06-30', '2026-06-29', 'fail'],
      ['liens_or_judgments', 'eq', false, true, 'fail'],
      ['collateral', 'contains_any', ['cash'], ['vehicles'], 'fail'],
    ])
  })
})

describe('a bankruptcy', () => {
  const never = { has: false }
  const open = { has: true, discharged_on: null }
  const discharged = { has: true, discharged_on: '2024-03-31' }

  test('is compared by whether there was one with eq and ne', () => {
    holds([
      ['bankruptcy', 'eq', false, never, 'pass'],
      ['bankruptcy', 'eq', false, open, 'fail'],
      ['bankruptcy', 'ne', true, never, 'pass'],
      ['bankruptcy.has', 'eq', true, discharged, 'pass'],
    ])
  })

  test('is compared by its discharge with before and after', () => {
    holds([
      ['bankruptcy', 'before', '2024-03-31', discharged, 'pass'],
      ['bankruptcy', 'before', '2024-03-30', discharged, 'near'],
      ['bankruptcy', 'before', 'today-24 months', discharged, 'pass'],
      ['bankruptcy.discharged_on', 'after', '2024-03-31', discharged, 'pass'],
    ])
  })

  test('is compared by completed months since its discharge with gte, lte and between', () => {
    holds([
      ['bankruptcy', 'gte', 24, discharged, 'pass'],
      ['bankruptcy', 'gte', 25, discharged, 'near'],
      ['bankruptcy', 'lte', 24, discharged, 'pass'],
      ['bankruptcy', 'between', [12, 24], discharged, 'pass'],
      ['bankruptcy.months_since_discharge', 'eq', 24, discharged, 'pass'],
    ])
  })

  test('that never was lies infinitely long ago', () => {
    holds([
      ['bankruptcy', 'before', '1900-01-01', never, 'pass'],
      ['bankruptcy', 'gte', 1200, never, 'pass'],
      ['bankruptcy', 'after', '1900-01-01', never, 'fail'],
      ['bankruptcy', 'lte', 1200, never, 'fail'],
    ])
  })

  test('without its discharge is unknown where that is compared', () => {
    holds([
      ['bankruptcy', 'before', '2024-03-31', open, 'unknown'],
      ['bankruptcy', 'gte', 24, open, 'unknown'],
      ['bankruptcy.discharged_on', 'exists', true, open, 'unknown'],
    ])
  })
})

describe('equipment', () => {
  test('is compared by its type with eq, ne, in and not_in, by its age with gte, lte and between', () => {
    const van = { type: 'vehicle', age_years: 5 }
    holds([
      ['equipment', 'eq', 'vehicle', van, 'pass'],
      ['equipment', 'ne', 'vehicle', van, 'fail'],
      ['equipment', 'in', ['medical', 'vehicle'], van, 'pass'],
      ['equipment', 'not_in', ['medical'], van, 'pass'],
      ['equipment', 'lte', 5, van, 'pass'],
      ['equipment', 'gte', 6, van, 'near'],
      ['equipment', 'between', [1, 4], van, 'fail'],
      ['equipment.type', 'eq', 'vehicle', van, 'pass'],
      ['equipment.age_years', 'lte', 7.5, { type: 'vehicle', age_years: 9 }, 'near'],
    ])
  })

  test('without its age is unknown where that is compared', () => {
    holds([
      ['equipment', 'lte', 5, { type: 'vehicle' }, 'unknown'],
      ['equipment', 'eq', 'vehicle', { type: 'vehicle', age_years: null }, 'pass'],
    ])
  })
})
