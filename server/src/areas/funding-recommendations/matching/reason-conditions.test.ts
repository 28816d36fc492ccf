import { describe, expect, test } from 'vitest'
import { anywhere, blank, day, eur, usd } from '../../../../test/matching/terms.ts'
import { explain } from './explanation.ts'
import type { CriteriaValues } from './project-facts.ts'
import type { Comparison, ProgramTerms, RecipientTerms } from './rules.ts'

const recipient: RecipientTerms = { ...anywhere, countries: ['US', 'CA'] }

function messageOf(id: string, terms: Partial<ProgramTerms>, values: CriteriaValues): string | undefined {
  const { reasons } = explain({ ...blank, ...terms }, recipient, { values, day })
  return reasons.find(({ rule_id }) => rule_id === id)?.message
}

describe('a reason with a condition', () => {
  const score = {
    id: 'own',
    criterion: 'credit_score',
    operator: 'gte',
    value: 700,
    effect: 'required',
    weight: 1,
  } as const
  const inCalifornia = { criterion: 'region', operator: 'eq', value: 'US-CA' } as const
  const cases: [name: string, when: Comparison, values: CriteriaValues, message: string][] = [
    [
      'that holds',
      inCalifornia,
      { credit_score: 650, region: 'US-CA' },
      'For a business in California, requires a credit score of at least 700; the owner has 650: 50 points short.',
    ],
    [
      'that is false says that it does not apply',
      inCalifornia,
      { credit_score: 650, region: 'US-TX' },
      'For a business in California, requires a credit score of at least 700; this business is in Texas, so this does not apply.',
    ],
    [
      'that is unknown says what is missing',
      inCalifornia,
      { credit_score: 650 },
      'For a business in California, requires a credit score of at least 700; the owner has 650: 50 points short, but the region is not known yet.',
    ],
    [
      'that is unknown says nothing of it when it passes anyway',
      inCalifornia,
      { credit_score: 700 },
      'For a business in California, requires a credit score of at least 700; the owner has 700.',
    ],
    [
      'that cannot be compared says why',
      { criterion: 'annual_revenue', operator: 'gte', value: usd('1.00') },
      { credit_score: 650, annual_revenue: eur('5.00') },
      'With annual revenue of at least USD 1, requires a credit score of at least 700; the owner has 650: 50 points short, but this business has EUR 5, and amounts in EUR and USD cannot be compared.',
    ],
    [
      'that excludes',
      { criterion: 'country', operator: 'ne', value: 'CA' },
      { credit_score: 700, country: 'US' },
      'Except for businesses in Canada, requires a credit score of at least 700; the owner has 700.',
    ],
    [
      'about collateral',
      { criterion: 'collateral', operator: 'contains_any', value: ['equipment', 'real_estate'] },
      { credit_score: 650, collateral: [] },
      'With equipment or real estate as collateral, requires a credit score of at least 700; this business offers none, so this does not apply.',
    ],
    [
      'that some collateral is missing',
      { criterion: 'collateral', operator: 'contains_none', value: ['equipment'] },
      { credit_score: 650, collateral: [] },
      'Except with equipment as collateral, requires a credit score of at least 700; the owner has 650: 50 points short.',
    ],
    [
      'about the amount',
      { criterion: 'amount_requested', operator: 'gte', value: usd('250000.00') },
      { credit_score: 650, amount_requested: usd('300000.00') },
      'For an amount of at least USD 250,000, requires a credit score of at least 700; the owner has 650: 50 points short.',
    ],
    [
      'that something is not given',
      { criterion: 'personal_guarantee', operator: 'eq', value: false },
      { credit_score: 650, personal_guarantee: true },
      'Without a personal guarantee, requires a credit score of at least 700; an owner gives one, so this does not apply.',
    ],
    [
      'that something has happened',
      { criterion: 'bankruptcy.has', operator: 'eq', value: true },
      { credit_score: 650, bankruptcy: { has: false } },
      'After a bankruptcy, requires a credit score of at least 700; there was none, so this does not apply.',
    ],
    [
      'that something is known',
      { criterion: 'collateral', operator: 'exists', value: true },
      { credit_score: 700, collateral: [] },
      'When the collateral is known, requires a credit score of at least 700; the owner has 700.',
    ],
    [
      'that something is not known',
      { criterion: 'liens_or_judgments', operator: 'exists', value: false },
      { credit_score: 700, liens_or_judgments: false },
      'While it is not known whether there are liens or judgments, requires a credit score of at least 700; there are none, so this does not apply.',
    ],
  ]
  test.each(cases)('%s', (_, when, values, message) => {
    expect(messageOf('own', { eligibility: [{ ...score, when }] }, values)).toBe(message)
  })
})

describe('what a programme says of itself reads as an offer', () => {
  const values = { amount_requested: usd('150000.00'), country: 'DE', funding_types: ['grant', 'equity'] }
  const cases: [id: string, terms: Partial<ProgramTerms>, values: CriteriaValues, message: string][] = [
    [
      'program.amount',
      { amount: { min: usd('10000.00'), max: usd('100000.00') } },
      values,
      'Offers USD 10,000 to USD 100,000; this project asks for USD 150,000: USD 50,000 too much.',
    ],
    [
      'program.amount',
      { amount: { min: eur('10000.00'), max: null } },
      values,
      'Offers at least EUR 10,000; this project asks for USD 150,000, and amounts in USD and EUR cannot be compared.',
    ],
    [
      'program.term',
      { term_months: { min: 12, max: 60 } },
      { ...values, term_months: 72 },
      'Offers a term of 12 to 60 months; this project wants 72: 12 months too long.',
    ],
    [
      'program.term',
      { term_months: { min: null, max: 60 } },
      values,
      'Offers a term of at most 60 months; the term is not stated, so this does not apply.',
    ],
    ['program.funding_type', {}, values, 'Offers the funding type term loan; this project wants grant and equity.'],
    [
      'recipient.country',
      {},
      values,
      'Serves businesses in the United States and Canada; this business is in Germany.',
    ],
    ['program.window', { opens_on: '2026-04-01' }, values, 'Opens on 2026-04-01, in 1 day.'],
    ['program.window', { closes_on: '2026-03-29' }, values, 'Closed on 2026-03-29, 2 days ago.'],
    ['program.window', { opens_on: '2026-01-01', closes_on: '2026-03-31' }, values, 'Open until 2026-03-31.'],
    ['program.window', { opens_on: '2026-01-01' }, values, 'Open since 2026-01-01.'],
  ]
  test.each(cases)('%s of %j', (id, terms, known, message) => {
    expect(messageOf(id, terms, known)).toBe(message)
  })
})
