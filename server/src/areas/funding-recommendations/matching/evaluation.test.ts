import { describe, expect, test } from 'vitest'
import { anywhere, blank, day, usd } from '../../../../test/matching/terms.ts'
import { compileCatalogue } from './catalogue.ts'
import { evaluateAll, outcomes } from './evaluation.ts'
import { explain, type Reason } from './explanation.ts'
import { type CriteriaValues, factsOf } from './project-facts.ts'
import type { ProgramTerms, Rule } from './rules.ts'

const range = (min: string | null, max: string | null) => ({
  min: min === null ? null : usd(min),
  max: max === null ? null : usd(max),
})

function program(terms: Partial<ProgramTerms>, ...rules: Partial<Rule>[]): ProgramTerms {
  return { ...blank, ...terms, eligibility: rules.map((one, index) => rule({ id: `rule_${index + 1}`, ...one })) }
}

function rule(given: Partial<Rule>): Rule {
  return { id: 'rule', criterion: 'credit_score', operator: 'gte', value: 600, effect: 'required', weight: 1, ...given }
}

const passing: Partial<Rule> = { criterion: 'credit_score', operator: 'gte', value: 600 }
const nearly: Partial<Rule> = { criterion: 'credit_score', operator: 'gte', value: 700 }
const failing: Partial<Rule> = { criterion: 'legal_form', operator: 'eq', value: 'corporation' }
const open: Partial<Rule> = { criterion: 'employee_count', operator: 'gte', value: 5 }
const values: CriteriaValues = {
  credit_score: 650,
  legal_form: 'llc',
  country: 'US',
  amount_requested: usd('50000.00'),
}

function evaluateOne(one: ProgramTerms, known: CriteriaValues = values, recipient = anywhere) {
  const evaluation = evaluateAll([compileCatalogue([one], recipient, day)], factsOf(known, day), 'prj_1')
  const { reasons, ...rest } = explain(one, recipient, { values: known, day })
  const score = evaluation.scores[0]
  return {
    outcome: outcomes[evaluation.outcomes[0] ?? -1],
    score: score === -1 ? null : score,
    reasons: new Map(reasons.map((reason) => [reason.rule_id, reason])),
    ...rest,
  }
}

const outcomeOf = (...rules: Partial<Rule>[]) => evaluateOne(program({}, ...rules)).outcome
const scoreOf = (...rules: Partial<Rule>[]) => evaluateOne(program({}, ...rules)).score
const preferred = (one: Partial<Rule>): Partial<Rule> => ({ ...one, effect: 'preferred' })

describe('the outcome', () => {
  test('is eligible when every required rule passes, or there is none', () => {
    expect(outcomeOf(passing)).toBe('eligible')
    expect(outcomeOf()).toBe('eligible')
  })

  test('is ineligible when two required rules fail, however near', () => {
    expect(outcomeOf(nearly, { ...nearly, value: 690 })).toBe('ineligible')
    expect(outcomeOf(failing, nearly)).toBe('ineligible')
  })

  test('is ineligible when one required rule fails beyond tolerance', () => {
    expect(outcomeOf(failing)).toBe('ineligible')
    expect(outcomeOf(failing, open)).toBe('ineligible')
  })

  test('is near_miss when exactly one required rule fails within tolerance, whatever is unknown beside it', () => {
    expect(outcomeOf(nearly, passing)).toBe('near_miss')
    const { outcome, missing_criteria } = evaluateOne(program({}, nearly, open))
    expect(outcome).toBe('near_miss')
    expect(missing_criteria).toEqual(['employee_count'])
  })

  test('is undetermined when nothing fails and something required is unknown', () => {
    expect(outcomeOf(open, passing)).toBe('undetermined')
  })

  test('is not changed by preferred rules', () => {
    expect(outcomeOf(passing, preferred(failing), preferred(open), preferred(nearly))).toBe('eligible')
  })
})

describe('a rule with a condition', () => {
  const conditionHolds = { criterion: 'country', operator: 'eq', value: 'US' } as const
  const conditionFails = { criterion: 'country', operator: 'eq', value: 'CA' } as const
  const conditionIsNear = { criterion: 'credit_score', operator: 'gte', value: 651 } as const
  const conditionIsOpen = { criterion: 'region', operator: 'eq', value: 'US-CA' } as const
  const resultOf = (one: Partial<Rule>) => evaluateOne(program({}, one)).reasons.get('rule_1')?.result

  test('counts where the condition holds', () => {
    expect(resultOf({ ...failing, when: conditionHolds })).toBe('fail')
    expect(resultOf({ ...open, when: conditionHolds })).toBe('unknown')
  })

  test('is not_applicable where the condition is false, however near it is', () => {
    for (const when of [conditionFails, conditionIsNear])
      for (const one of [passing, failing, open]) expect(resultOf({ ...one, when })).toBe('not_applicable')
  })

  test('passes while the condition is unknown if it passes itself, and is unknown otherwise', () => {
    expect(resultOf({ ...passing, when: conditionIsOpen })).toBe('pass')
    expect(resultOf({ ...failing, when: conditionIsOpen })).toBe('unknown')
    expect(resultOf({ ...nearly, when: conditionIsOpen })).toBe('unknown')
    expect(resultOf({ ...open, when: conditionIsOpen })).toBe('unknown')
  })

  test('misses what the condition waits for, and what it waits for itself', () => {
    const missing = (one: Partial<Rule>) => evaluateOne(program({}, one)).missing_criteria
    expect(missing({ ...failing, when: conditionIsOpen })).toEqual(['region'])
    expect(missing({ ...open, when: conditionIsOpen })).toEqual(['employee_count', 'region'])
    expect(missing({ ...passing, when: conditionIsOpen })).toEqual([])
  })

  test('counts for nothing when it is not_applicable', () => {
    expect(evaluateOne(program({}, passing, { ...failing, when: conditionFails }))).toMatchObject({
      outcome: 'eligible',
      score: 100,
    })
  })
})

describe('the score', () => {
  test('is the weight of what passed in all that is decided, in percent', () => {
    expect(scoreOf(passing)).toBe(100)
    expect(scoreOf({ ...passing, weight: 3 }, preferred({ ...failing, weight: 1 }))).toBe(75)
    expect(scoreOf({ ...passing, weight: 1 }, preferred({ ...failing, weight: 2 }))).toBe(33)
    expect(scoreOf({ ...passing, weight: 2 }, preferred({ ...failing, weight: 1 }))).toBe(67)
  })

  test('leaves out what is unknown or not applicable', () => {
    expect(scoreOf(passing, open, preferred(open))).toBe(100)
  })

  test('rounds half a point up, also with weights that are no whole numbers', () => {
    expect(scoreOf({ ...passing, weight: 1 }, preferred({ ...failing, weight: 7 }))).toBe(13)
    expect(scoreOf({ ...passing, weight: 0.1 }, preferred({ ...failing, weight: 0.7 }))).toBe(13)
    expect(
      scoreOf({ ...passing, weight: 0.1 }, { ...passing, weight: 0.6 }, preferred({ ...failing, weight: 4.9 })),
    ).toBe(13)
  })

  test('is null when nothing is decided', () => {
    expect(scoreOf(open)).toBeNull()
    expect(scoreOf()).toBeNull()
    expect(scoreOf({ ...passing, weight: 0 })).toBeNull()
  })

  test('is null of a near miss and of the ineligible', () => {
    expect(scoreOf(nearly, passing)).toBeNull()
    expect(scoreOf(failing, passing)).toBeNull()
  })

  test('counts what a programme says of itself with weight 1', () => {
    const one = program({ amount: range('1000.00', null) }, preferred(failing))
    expect(evaluateOne(one).score).toBe(50)
  })
})

describe('what a programme says of itself', () => {
  const reason = (id: string, one: ProgramTerms, known = values, recipient = anywhere): Reason | undefined =>
    evaluateOne(one, known, recipient).reasons.get(id)

  test('program.amount: the amount requested lies inside its range, either side of which may be absent', () => {
    const resultOf = (min: string | null, max: string | null) =>
      reason('program.amount', program({ amount: range(min, max) }))?.result
    expect(resultOf('50000.00', '50000.00')).toBe('pass')
    expect(resultOf('50000.01', null)).toBe('fail')
    expect(resultOf(null, '49999.99')).toBe('fail')
    expect(resultOf(null, '50000.00')).toBe('pass')
    expect(resultOf(null, null)).toBeUndefined()
  })

  test('program.term: the term wanted lies inside its range, and it does not apply without one', () => {
    const one = program({ term_months: { min: 12, max: 60 } })
    expect(reason('program.term', one, { ...values, term_months: 60 })?.result).toBe('pass')
    expect(reason('program.term', one, { ...values, term_months: 61 })?.result).toBe('fail')
    expect(reason('program.term', one)?.result).toBe('not_applicable')
    expect(evaluateOne(one).outcome).toBe('eligible')
  })

  test('program.funding_type: it is among those wanted, and it does not apply without a wish', () => {
    const one = program({ funding_type: 'grant' })
    expect(reason('program.funding_type', one, { ...values, funding_types: ['grant', 'equity'] })?.result).toBe('pass')
    expect(reason('program.funding_type', one, { ...values, funding_types: ['equity'] })?.result).toBe('fail')
    expect(reason('program.funding_type', one)?.result).toBe('not_applicable')
  })

  test('recipient.country: the country is among those of the recipient, who serves every country without any', () => {
    const resultOf = (countries: string[]) =>
      reason('recipient.country', blank, values, { ...anywhere, countries })?.result
    expect(resultOf(['CA', 'US'])).toBe('pass')
    expect(resultOf(['CA'])).toBe('fail')
    expect(resultOf([])).toBeUndefined()
  })

  test('program.window: the day at the recipient lies between its opening and its closing, both included', () => {
    const resultOf = (opens_on: string | null, closes_on: string | null) =>
      evaluateOne(program({ opens_on, closes_on })).outcome
    expect(resultOf('2026-03-31', '2026-03-31')).toBe('eligible')
    expect(resultOf('2026-04-01', null)).toBe('near_miss')
    expect(resultOf('2027-03-31', null)).toBe('near_miss')
    expect(resultOf('2027-04-01', null)).toBe('ineligible')
    expect(resultOf(null, '2026-03-30')).toBe('near_miss')
    expect(resultOf(null, '2025-03-30')).toBe('ineligible')
    const ahead = { ...anywhere, today: day + 1 }
    expect(evaluateOne(program({ opens_on: '2026-04-01' }), values, ahead).outcome).toBe('eligible')
  })

  test('gives way to its own rule about the same criterion', () => {
    const amount = range('100000.00', null)
    const own = { criterion: 'amount_requested', operator: 'gte', value: usd('10000.00'), effect: 'preferred' } as const
    expect([...evaluateOne(program({ amount }, own)).reasons.keys()].toSorted()).toEqual([
      'program.funding_type',
      'rule_1',
    ])
    const elsewhere: Partial<Rule> = { criterion: 'country', operator: 'in', value: ['US'] }
    const { reasons, outcome } = evaluateOne(program({}, elsewhere), values, { ...anywhere, countries: ['CA'] })
    expect([reasons.has('recipient.country'), outcome]).toEqual([false, 'eligible'])
  })

  test('stays beside a condition about the same criterion', () => {
    const when = { criterion: 'country', operator: 'eq', value: 'US' } as const
    const { reasons } = evaluateOne(program({}, { ...passing, when }), values, { ...anywhere, countries: ['CA'] })
    expect(reasons.get('recipient.country')?.result).toBe('fail')
  })
})

describe('the gap', () => {
  const gapOf = (one: Partial<Rule>, known: CriteriaValues) =>
    evaluateOne(program({}, one), known).reasons.get('rule_1')?.gap

  test('of an amount is in its currency', () => {
    const asked = { criterion: 'annual_revenue', operator: 'gte', value: usd('100000.00') } as const
    const gap = { unit: 'USD', actual: '80000.50', bound: '100000.00', short_by: '19999.50' }
    expect(gapOf(asked, { annual_revenue: usd('80000.50') })).toEqual(gap)
  })

  test('of a percentage, of a number, of months and of dates has its unit', () => {
    expect(gapOf({ criterion: 'match_funding_percent', value: 12.5 }, { match_funding_percent: 10.1 })).toEqual({
      unit: 'percent',
      actual: 10.1,
      bound: 12.5,
      short_by: 2.4,
    })
    expect(gapOf(nearly, values)).toEqual({ unit: 'number', actual: 650, bound: 700, short_by: 50 })
    expect(gapOf({ criterion: 'time_in_business_months', value: 24 }, { founded_on: '2024-08-31' })).toEqual({
      unit: 'months',
      actual: 19,
      bound: 24,
      short_by: 5,
    })
    expect(gapOf({ criterion: 'term_months', operator: 'lte', value: 12 }, { term_months: 24 })).toEqual({
      unit: 'months',
      actual: 24,
      bound: 12,
      short_by: 12,
    })
    expect(
      gapOf({ criterion: 'needed_by', operator: 'after', value: 'today+30 days' }, { needed_by: '2026-04-20' }),
    ).toEqual({ unit: 'days', actual: '2026-04-20', bound: '2026-04-30', short_by: 10 })
  })

  test('is there for every failing bound, also beyond tolerance, and measures to the bound that is missed', () => {
    const between = { criterion: 'credit_score', operator: 'between', value: [700, 800] } as const
    expect(gapOf(between, { credit_score: 300 })).toMatchObject({ bound: 700, short_by: 400 })
    expect(gapOf(between, { credit_score: 850 })).toMatchObject({ bound: 800, short_by: 50 })
  })

  test('is null for what passes, is unknown or has no bound', () => {
    expect(gapOf(passing, values)).toBeNull()
    expect(gapOf(open, values)).toBeNull()
    expect(gapOf(failing, values)).toBeNull()
    expect(gapOf({ criterion: 'bankruptcy', operator: 'lte', value: 12 }, { bankruptcy: { has: false } })).toBeNull()
  })
})

describe('the estimated amount', () => {
  const estimateOf = (min: string | null, max: string | null, requested = usd('50000.00')) =>
    evaluateOne(program({ amount: range(min, max) }), {
      amount_requested: requested,
    }).estimated_amount

  test('is the part of the requested amount inside the range of the programme', () => {
    expect(estimateOf('10000.00', '30000.00')).toEqual({ min: usd('10000.00'), max: usd('30000.00') })
    expect(estimateOf('10000.00', '90000.00')).toEqual({ min: usd('10000.00'), max: usd('50000.00') })
    expect(estimateOf(null, '30000.00')).toEqual({ min: usd('0.00'), max: usd('30000.00') })
    expect(estimateOf('50000.00', null)).toEqual({ min: usd('50000.00'), max: usd('50000.00') })
    expect(estimateOf(null, null)).toEqual({ min: usd('0.00'), max: usd('50000.00') })
  })

  test('is null when nothing overlaps, the currencies differ or no amount is known', () => {
    expect(estimateOf('50000.01', null)).toBeNull()
    expect(estimateOf(null, '90000.00', { amount: '50000.00', currency: 'EUR' })).toBeNull()
    expect(evaluateOne(blank, {}).estimated_amount).toBeNull()
  })
})

describe('missing criteria', () => {
  const usefulness = (known: CriteriaValues, ...programs: ProgramTerms[]) =>
    evaluateAll([compileCatalogue(programs, anywhere, day)], factsOf(known, day), 'prj_1').most_useful_criteria
  const employees = { criterion: 'employee_count', operator: 'gte', value: 5 } as const
  const revenue = { criterion: 'annual_revenue', operator: 'gte', value: usd('1000.00') } as const

  test('are ranked by how many undetermined programmes each alone would settle', () => {
    expect(
      usefulness(
        values,
        program({}, revenue),
        program({}, employees),
        program({}, { ...employees, value: 9 }, employees),
        program({}, employees, revenue),
        program({}, failing, revenue),
        program({}, nearly, revenue),
      ),
    ).toEqual([
      { criterion: 'employee_count', would_settle: 2 },
      { criterion: 'annual_revenue', would_settle: 1 },
    ])
  })

  test('settle nothing where an amount in another currency or a code of another system stays open', () => {
    const known = { ...values, existing_debt: { amount: '1.00', currency: 'EUR' } }
    const inDollars = { criterion: 'existing_debt', operator: 'lte', value: usd('10.00') } as const
    expect(usefulness(known, program({}, employees, inDollars))).toEqual([])
    expect(usefulness(known, program({}, inDollars))).toEqual([])
  })

  test('of preferred rules settle nothing and keep nothing from being settled', () => {
    expect(usefulness(values, program({}, preferred(employees)))).toEqual([])
    expect(usefulness(values, program({}, preferred(employees), revenue))).toEqual([
      { criterion: 'annual_revenue', would_settle: 1 },
    ])
  })

  test('are listed with those of required rules first', () => {
    expect(evaluateOne(program({}, preferred(employees), revenue)).missing_criteria).toEqual([
      'annual_revenue',
      'employee_count',
    ])
  })

  test('are named by the criterion, also when only a part of it is missing', () => {
    const known = { ...values, bankruptcy: { has: true } }
    const one = program({}, { criterion: 'bankruptcy.discharged_on', operator: 'before', value: 'today-24 months' })
    expect(evaluateOne(one, known).missing_criteria).toEqual(['bankruptcy'])
    expect(usefulness(known, one)).toEqual([{ criterion: 'bankruptcy', would_settle: 1 }])
  })
})
