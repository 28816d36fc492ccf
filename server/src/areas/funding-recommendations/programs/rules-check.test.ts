import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomCase } from '../../../../test/matching/random-catalogues.ts'
import { criteria } from '../criteria/vocabulary.ts'
import { operators } from '../matching/rules.ts'
import { operatorsFor, subjectNames } from '../matching/subjects.ts'
import { eligibilityProblems, programProblems } from './rules-check.ts'
import type { ProgramChange, RuleInput } from './schema.ts'

const usd = (amount: string) => ({ amount, currency: 'USD' })
const rule = (criterion: string, operator: RuleInput['operator'], value?: unknown): RuleInput => ({
  criterion,
  operator,
  ...(value !== undefined && { value }),
})
const problemsOf = (one: RuleInput) => eligibilityProblems([one]).map(({ pointer, code }) => [pointer, code])

describe('a rule that fits', () => {
  test.each<[string, RuleInput['operator'], unknown]>([
    ['amount_requested', 'between', [usd('1000'), usd('1000.00')]],
    ['amount_requested', 'in', [usd('1000'), { amount: '1000', currency: 'EUR' }]],
    ['net_profit', 'gte', usd('-500.50')],
    ['credit_score', 'gte', 650],
    ['match_funding_percent', 'gte', 12.5],
    ['equipment.age_years', 'lte', 2.5],
    ['equipment', 'in', ['vehicle', 'medical']],
    ['founded_on', 'before', 'today-36 months'],
    ['founded_on', 'between', ['today-10 years', 'today-36 months']],
    ['needed_by', 'between', ['2026-01-01', 'today+1 years']],
    ['project_start_on', 'after', '2024-02-29'],
    ['country', 'in', ['US', 'CA']],
    ['region', 'prefix_in', ['US-', 'CA', 'US-CA']],
    ['region', 'not_in', ['US-CA']],
    ['postal_code', 'prefix_in', ['94', 'SW1A 1', 'K1A-0']],
    ['industry', 'in', ['722511', '62.01', { system: 'nace_2', code: 'I' }]],
    ['industry', 'prefix_in', ['7', '62.', { system: 'sic_2007', code: '0' }]],
    ['industry', 'prefix_in', Array.from({ length: 2000 }, (_, index) => String(10 + (index % 90)))],
    ['legal_form', 'ne', 'llc'],
    ['use_of_funds', 'contains_none', ['refinancing']],
    ['personal_guarantee', 'eq', false],
    ['bankruptcy', 'eq', false],
    ['bankruptcy', 'gte', 24],
    ['bankruptcy', 'before', 'today-24 months'],
    ['bankruptcy.discharged_on', 'after', '2020-01-01'],
    ['collateral', 'exists', undefined],
    ['collateral', 'exists', false],
  ])('%s %s %j', (criterion, operator, value) => {
    expect(eligibilityProblems([rule(criterion, operator, value)])).toEqual([])
    const when = rule(criterion, operator, value)
    expect(eligibilityProblems([{ ...rule('country', 'in', ['US']), when }])).toEqual([])
  })

  test('every rule that matching is tested with', () => {
    fc.assert(
      fc.property(randomCase, ({ recipients }) => {
        for (const { programs } of recipients)
          for (const { eligibility } of programs) expect(eligibilityProblems([...eligibility])).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

describe('a rule that does not fit is refused at its place', () => {
  test.each<[string, RuleInput['operator'], unknown, string, string]>([
    ['credit_scores', 'gte', 600, '/criterion', 'invalid_enum'],
    ['today', 'gte', '2026-01-01', '/criterion', 'invalid_enum'],
    ['country', 'gte', 'US', '/operator', 'invalid_enum'],
    ['country', 'prefix_in', ['U'], '/operator', 'invalid_enum'],
    ['use_of_funds', 'in', ['equipment'], '/operator', 'invalid_enum'],
    ['founded_on', 'in', ['2020-01-01'], '/operator', 'invalid_enum'],
    ['bankruptcy', 'in', [true], '/operator', 'invalid_enum'],
    ['credit_score', 'gte', undefined, '/value', 'required'],
    ['credit_score', 'gte', null, '/value', 'invalid_type'],
    ['credit_score', 'gte', '650', '/value', 'invalid_type'],
    ['credit_score', 'gte', 650.5, '/value', 'invalid_type'],
    ['credit_score', 'gte', [650], '/value', 'invalid_type'],
    ['credit_score', 'gte', 1e300, '/value', 'invalid_type'],
    ['match_funding_percent', 'gte', Number.POSITIVE_INFINITY, '/value', 'invalid_type'],
    ['credit_score', 'in', 650, '/value', 'invalid_type'],
    ['credit_score', 'in', [], '/value', 'too_short'],
    ['credit_score', 'in', Array.from({ length: 501 }, () => 1), '/value', 'too_long'],
    ['postal_code', 'prefix_in', Array.from({ length: 2001 }, () => '9'), '/value', 'too_long'],
    ['region', 'prefix_in', Array.from({ length: 501 }, () => 'US'), '/value', 'too_long'],
    ['credit_score', 'between', 650, '/value', 'invalid_type'],
    ['credit_score', 'between', [1, 2, 3], '/value', 'invalid_type'],
    ['credit_score', 'between', [700, 650], '/value', 'out_of_range'],
    ['credit_score', 'between', [700, 'x'], '/value/1', 'invalid_type'],
    ['founded_on', 'between', ['2021-01-01', '2020-01-01'], '/value', 'out_of_range'],
    ['founded_on', 'between', ['today-36 months', 'today-10 years'], '/value', 'out_of_range'],
    ['annual_revenue', 'gte', 100_000, '/value', 'invalid_type'],
    ['annual_revenue', 'gte', { amount: 100_000, currency: 'USD' }, '/value/amount', 'invalid_type'],
    ['annual_revenue', 'gte', { amount: '1' }, '/value/currency', 'required'],
    ['annual_revenue', 'gte', { amount: '1', currency: 'USX' }, '/value/currency', 'invalid_format'],
    ['annual_revenue', 'gte', { amount: '1,000', currency: 'USD' }, '/value/amount', 'invalid_format'],
    ['annual_revenue', 'gte', { amount: '1.001', currency: 'USD' }, '/value/amount', 'invalid_format'],
    ['annual_revenue', 'gte', { amount: '1.5', currency: 'JPY' }, '/value/amount', 'invalid_format'],
    ['annual_revenue', 'gte', { ...usd('1'), unit: 'k' }, '/value/unit', 'unknown_field'],
    ['annual_revenue', 'between', [usd('1'), { amount: '2', currency: 'EUR' }], '/value/1/currency', 'invalid_format'],
    ['annual_revenue', 'between', [usd('2'), usd('1.99')], '/value', 'out_of_range'],
    ['founded_on', 'before', '2025-02-29', '/value', 'invalid_format'],
    ['founded_on', 'before', '29.02.2024', '/value', 'invalid_format'],
    ['founded_on', 'before', 'today - 3 years', '/value', 'invalid_format'],
    ['founded_on', 'before', 2020, '/value', 'invalid_type'],
    ['country', 'in', ['US', 'XX'], '/value/1', 'invalid_format'],
    ['country', 'eq', 'usa', '/value', 'invalid_format'],
    ['country', 'eq', 1, '/value', 'invalid_type'],
    ['region', 'in', ['US-XX'], '/value/0', 'invalid_format'],
    ['region', 'prefix_in', ['XX-'], '/value/0', 'invalid_format'],
    ['postal_code', 'prefix_in', ['94*'], '/value/0', 'invalid_format'],
    ['industry', 'in', ['bakery'], '/value/0', 'invalid_format'],
    ['industry', 'eq', { system: 'naics_2022', code: '0' }, '/value/code', 'invalid_format'],
    ['industry', 'eq', { system: 'naics_2017', code: '72' }, '/value/system', 'invalid_enum'],
    ['industry', 'eq', { system: 'naics_2022' }, '/value/code', 'invalid_type'],
    ['industry', 'eq', { system: 'naics_2022', code: '72', name: 'x' }, '/value/name', 'unknown_field'],
    ['industry', 'prefix_in', [72], '/value/0', 'invalid_type'],
    ['legal_form', 'in', ['llc', 'gmbh'], '/value/1', 'invalid_enum'],
    ['use_of_funds', 'contains_any', ['equipment', 'yacht'], '/value/1', 'invalid_enum'],
    ['equipment.type', 'eq', 'yacht', '/value', 'invalid_enum'],
    ['personal_guarantee', 'eq', 'yes', '/value', 'invalid_type'],
    ['collateral', 'exists', 'yes', '/value', 'invalid_type'],
  ])('%s %s %j: %s %s', (criterion, operator, value, place, code) => {
    const bad = rule(criterion, operator, value)
    expect(problemsOf(bad)).toEqual([[`/eligibility/0${place}`, code]])
    const good = rule('country', 'in', ['US'])
    const found = eligibilityProblems([good, { ...good, when: bad }])
    expect(found.map(({ pointer }) => pointer)).toEqual([`/eligibility/1/when${place}`])
  })

  test('an id that is reserved or taken', () => {
    const one = rule('country', 'in', ['US'])
    const found = eligibilityProblems([
      { ...one, id: 'program.amount' },
      { ...one, id: 'recipient.country' },
      { ...one, id: 'programs' },
      { ...one, id: 'programs' },
    ])
    expect(found.map(({ pointer }) => pointer)).toEqual(['/eligibility/0/id', '/eligibility/1/id', '/eligibility/3/id'])
    expect(found[2]?.message).toBe('id must be unique within the programme; eligibility[2] also has the id programs.')
  })

  test('every operator on every criterion has an answer, and a wrong value never passes', () => {
    for (const criterion of subjectNames)
      for (const operator of operators) {
        const [problem] = eligibilityProblems([rule(criterion, operator, { nonsense: true })])
        expect(problem?.pointer).toMatch(
          operatorsFor(criterion)?.includes(operator) ? /^\/eligibility\/0\/value/ : /^\/eligibility\/0\/operator$/,
        )
        expect(problem?.message).toMatch(/^[A-Za-z].*[.?]$/)
      }
  })

  test('a near name is suggested, and only a near one', () => {
    const messageOf = (criterion: string) => eligibilityProblems([rule(criterion, 'exists')])[0]?.message
    expect(messageOf('time_in_business')).toContain('Did you mean time_in_business_months?')
    expect(messageOf('anual_revenue')).toContain('Did you mean annual_revenue?')
    expect(messageOf('favourite_colour')).toContain('GET /criteria-definitions/ lists the criteria.')
    for (const { key } of criteria) expect(messageOf(`${key}s`)).toContain(`Did you mean ${key}?`)
  })
})

describe('the terms of a programme', () => {
  const places = (input: ProgramChange, window = { opens_on: null, closes_on: null }) =>
    programProblems(input, { ...window, ...input } as Parameters<typeof programProblems>[1]).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    )
  test.each<[string, ProgramChange, string[]]>([
    ['a window', { opens_on: '2026-01-01', closes_on: '2026-01-01' }, []],
    ['a window turned around', { opens_on: '2026-01-02', closes_on: '2026-01-01' }, ['/closes_on out_of_range']],
    ['one amount', { amount: { min: usd('1') } }, []],
    ['amounts turned around', { amount: { min: usd('2'), max: usd('1') } }, ['/amount/min out_of_range']],
    [
      'two currencies',
      { amount: { min: usd('1'), max: { amount: '2', currency: 'EUR' } } },
      ['/amount/max/currency invalid_format'],
    ],
    [
      'too many decimals',
      { amount: { min: usd('1.001'), max: usd('1.2345') } },
      ['/amount/min/amount invalid_format', '/amount/max/amount invalid_format'],
    ],
    ['an amount below zero', { amount: { max: usd('-1') } }, ['/amount/max/amount out_of_range']],
    ['terms turned around', { term_months: { min: 2, max: 1 } }, ['/term_months/min out_of_range']],
    ['rates turned around', { rate: { kind: 'fixed', min: 2, max: 1 } }, ['/rate/min out_of_range']],
    ['days turned around', { time_to_fund_days: { min: 2, max: 1 } }, ['/time_to_fund_days/min out_of_range']],
    ['a fee of nothing', { fees: [{ name: 'Fee' }] }, ['/fees/0 required']],
    [
      'a fee of too many decimals',
      { fees: [{ name: 'Fee', amount: usd('1.001') }] },
      ['/fees/0/amount/amount invalid_format'],
    ],
  ])('%s', (_, input, expected) => {
    expect(places(input)).toEqual(expected)
  })
})
