import { describe, expect, test } from 'vitest'
import { anywhere, blank, day, eur, usd } from '../../../../test/matching/terms.ts'
import { explain } from './explanation.ts'
import type { CriteriaValues } from './project-facts.ts'
import type { Comparison, Operator, ProgramTerms, Rule } from './rules.ts'

const naics = { system: 'naics_2022', code: '722511' }
const sic = { system: 'sic_2007', code: '5610' }

function messageOf(rule: Partial<Rule> & Comparison, values: CriteriaValues): string | undefined {
  const terms: ProgramTerms = { ...blank, eligibility: [{ id: 'own', effect: 'required', weight: 1, ...rule }] }
  return explain(terms, anywhere, { values, day }).reasons.find(({ rule_id }) => rule_id === 'own')?.message
}

type Row = [criterion: string, operator: Operator, value: unknown, known: unknown, message: string]

/** Every criterion with bounds: passed, missed below, missed above, unknown. */
const bounds: Row[] = [
  [
    'amount_requested',
    'gte',
    usd('10000.00'),
    usd('8000.00'),
    'Requires an amount of at least USD 10,000; this project asks for USD 8,000: USD 2,000 too little.',
  ],
  [
    'amount_requested',
    'lte',
    usd('10000.00'),
    usd('12500.50'),
    'Requires an amount of at most USD 10,000; this project asks for USD 12,500.50: USD 2,500.50 too much.',
  ],
  [
    'amount_requested',
    'between',
    [usd('10000.00'), usd('50000.00')],
    usd('20000.00'),
    'Requires an amount of USD 10,000 to USD 50,000; this project asks for USD 20,000.',
  ],
  [
    'amount_requested',
    'gte',
    usd('10000.00'),
    undefined,
    'Requires an amount of at least USD 10,000; the requested amount is not known yet.',
  ],
  [
    'amount_requested',
    'gte',
    usd('10000.00'),
    eur('20000.00'),
    'Requires an amount of at least USD 10,000; this project asks for EUR 20,000, and amounts in EUR and USD cannot be compared.',
  ],
  [
    'annual_revenue',
    'gte',
    usd('250000.00'),
    usd('200000.00'),
    'Requires annual revenue of at least USD 250,000; this business has USD 200,000: USD 50,000 short.',
  ],
  [
    'annual_revenue',
    'gte',
    usd('250000.00'),
    usd('250000.00'),
    'Requires annual revenue of at least USD 250,000; this business has USD 250,000.',
  ],
  [
    'annual_revenue',
    'lte',
    usd('250000.00'),
    usd('300000.00'),
    'Requires annual revenue of at most USD 250,000; this business has USD 300,000: USD 50,000 too much.',
  ],
  [
    'annual_revenue',
    'gte',
    usd('250000.00'),
    eur('300000.00'),
    'Requires annual revenue of at least USD 250,000; this business has EUR 300,000, and amounts in EUR and USD cannot be compared.',
  ],
  ['annual_revenue', 'eq', usd('0.00'), usd('0.50'), 'Requires annual revenue of USD 0; this business has USD 0.50.'],
  [
    'annual_revenue',
    'gte',
    usd('250000.00'),
    undefined,
    'Requires annual revenue of at least USD 250,000; the annual revenue is not known yet.',
  ],
  [
    'monthly_revenue',
    'gte',
    usd('20000.00'),
    usd('19999.99'),
    'Requires monthly revenue of at least USD 20,000; this business has USD 19,999.99: USD 0.01 short.',
  ],
  [
    'net_profit',
    'gte',
    usd('0.00'),
    usd('-5000.00'),
    'Requires a net profit of at least USD 0; this business lost USD 5,000: USD 5,000 short.',
  ],
  [
    'net_profit',
    'gte',
    usd('0.00'),
    usd('5000.00'),
    'Requires a net profit of at least USD 0; this business made USD 5,000.',
  ],
  [
    'existing_debt',
    'lte',
    usd('50000.00'),
    usd('60000.00'),
    'Requires existing debt of at most USD 50,000; this business owes USD 60,000: USD 10,000 too much.',
  ],
  [
    'time_in_business_months',
    'gte',
    24,
    19,
    'Requires at least 24 months in business; this business has 19: 5 months short.',
  ],
  ['time_in_business_months', 'gte', 24, 30, 'Requires at least 24 months in business; this business has 30.'],
  [
    'time_in_business_months',
    'lte',
    36,
    40,
    'Requires at most 36 months in business; this business has 40: 4 months too many.',
  ],
  [
    'time_in_business_months',
    'between',
    [12, 24],
    11,
    'Requires 12 to 24 months in business; this business has 11: 1 month short.',
  ],
  [
    'time_in_business_months',
    'gte',
    24,
    undefined,
    'Requires at least 24 months in business; the time in business is not known yet.',
  ],
  ['time_in_business_months', 'eq', 1, 2, 'Requires 1 month in business; this business has 2.'],
  ['term_months', 'lte', 60, 72, 'Requires a term of at most 60 months; this project wants 72: 12 months too long.'],
  ['term_months', 'gte', 12, 6, 'Requires a term of at least 12 months; this project wants 6: 6 months too short.'],
  ['term_months', 'between', [12, 60], 12, 'Requires a term of 12 to 60 months; this project wants 12.'],
  ['employee_count', 'gte', 5, 3, 'Requires at least 5 employees; this business has 3: 2 employees short.'],
  ['employee_count', 'between', [1, 10], 12, 'Requires 1 to 10 employees; this business has 12: 2 employees too many.'],
  ['employee_count', 'gte', 1, 1, 'Requires at least 1 employee; this business has 1.'],
  ['credit_score', 'gte', 650, 620, 'Requires a credit score of at least 650; the owner has 620: 30 points short.'],
  ['credit_score', 'lte', 650, 651, 'Requires a credit score of at most 650; the owner has 651: 1 point too high.'],
  ['credit_score', 'in', [650, 660], 640, 'Requires a credit score of 650 or 660; the owner has 640.'],
  [
    'credit_score',
    'gte',
    650,
    undefined,
    'Requires a credit score of at least 650; the credit score is not known yet.',
  ],
  [
    'business_credit_score',
    'gte',
    80,
    60,
    'Requires a business credit score of at least 80; this business has 60: 20 points short.',
  ],
  [
    'match_funding_percent',
    'gte',
    12.5,
    10.1,
    'Requires match funding of at least 12.5 %; this business contributes 10.1 %: 2.4 percentage points short.',
  ],
  ['match_funding_percent', 'gte', 20, 25, 'Requires match funding of at least 20 %; this business contributes 25 %.'],
  [
    'equipment.age_years',
    'lte',
    5,
    { type: 'vehicle', age_years: 7 },
    'Requires equipment at most 5 years old; this equipment is 7 years old: 2 years too old.',
  ],
  [
    'equipment',
    'lte',
    5,
    { type: 'vehicle', age_years: 1 },
    'Requires equipment at most 5 years old; this equipment is 1 year old.',
  ],
  [
    'equipment',
    'gte',
    1,
    { type: 'vehicle', age_years: 0 },
    'Requires equipment at least 1 year old; this equipment is new: 1 year too new.',
  ],
  [
    'equipment',
    'lte',
    5,
    { type: 'vehicle', age_years: null },
    'Requires equipment at most 5 years old; the age of the equipment is not known yet.',
  ],
  [
    'needed_by',
    'after',
    '2026-06-30',
    '2026-06-20',
    'Requires money needed on or after 2026-06-30; this project needs it by 2026-06-20: 10 days too early.',
  ],
  [
    'needed_by',
    'before',
    '2026-06-30',
    '2026-07-01',
    'Requires money needed on or before 2026-06-30; this project needs it by 2026-07-01: 1 day too late.',
  ],
  [
    'founded_on',
    'before',
    'today-36 months',
    '2023-05-01',
    'Requires a business founded on or before 2023-03-31; this business was founded on 2023-05-01: 31 days too late.',
  ],
  [
    'founded_on',
    'between',
    ['2020-01-01', '2022-12-31'],
    '2021-06-30',
    'Requires a business founded between 2020-01-01 and 2022-12-31; this business was founded on 2021-06-30.',
  ],
  [
    'project_start_on',
    'after',
    'today',
    '2026-03-01',
    'Requires a project that starts on or after 2026-03-31; this project starts on 2026-03-01: 30 days too early.',
  ],
  [
    'project_start_on',
    'eq',
    '2026-05-01',
    '2026-05-02',
    'Requires a project that starts on 2026-05-01; this project starts on 2026-05-02.',
  ],
  [
    'project_start_on',
    'after',
    'today',
    undefined,
    'Requires a project that starts on or after 2026-03-31; the start of the project is not known yet.',
  ],
  [
    'bankruptcy',
    'gte',
    24,
    { has: true, discharged_on: '2025-03-31' },
    'Requires at least 24 months since the discharge of any bankruptcy; it was discharged 12 months ago: 12 months short.',
  ],
  [
    'bankruptcy',
    'gte',
    24,
    { has: false },
    'Requires at least 24 months since the discharge of any bankruptcy; there was no bankruptcy.',
  ],
  [
    'bankruptcy',
    'gte',
    24,
    { has: true, discharged_on: null },
    'Requires at least 24 months since the discharge of any bankruptcy; the date of the discharge is not known yet.',
  ],
  [
    'bankruptcy',
    'before',
    '2024-01-01',
    { has: true, discharged_on: '2024-01-11' },
    'Requires any bankruptcy discharged on or before 2024-01-01; it was discharged on 2024-01-11: 10 days too late.',
  ],
  [
    'bankruptcy.discharged_on',
    'before',
    '2024-01-01',
    undefined,
    'Requires any bankruptcy discharged on or before 2024-01-01; the date of the discharge is not known yet.',
  ],
]

/** Every criterion with lists: passed, failed, excluded, unknown. */
const lists: Row[] = [
  [
    'country',
    'in',
    ['US', 'CA'],
    'DE',
    'Requires a business in the United States or Canada; this business is in Germany.',
  ],
  ['country', 'eq', 'US', 'US', 'Requires a business in the United States; this business is in the United States.'],
  [
    'country',
    'not_in',
    ['US', 'GB'],
    'GB',
    'Excludes businesses in the United States or the United Kingdom; this business is in the United Kingdom.',
  ],
  ['country', 'in', ['US'], undefined, 'Requires a business in the United States; the country is not known yet.'],
  [
    'region',
    'in',
    ['US-CA', 'US-NV'],
    'US-OR',
    'Requires a business in California or Nevada; this business is in Oregon.',
  ],
  [
    'region',
    'not_in',
    ['US-CA', 'US-NV'],
    'US-OR',
    'Excludes businesses in California or Nevada; this business is in Oregon.',
  ],
  [
    'region',
    'prefix_in',
    ['US'],
    'CA-ON',
    'Requires a business in a region whose code begins with US; this business is in Ontario.',
  ],
  [
    'postal_code',
    'in',
    ['10001', '94110'],
    '10001',
    'Requires the postal code 10001 or 94110; this business has 10001.',
  ],
  [
    'postal_code',
    'prefix_in',
    ['SW1', 'EC'],
    'N1 9GU',
    'Requires a postal code that begins with SW1 or EC; this business has N19GU.',
  ],
  [
    'postal_code',
    'not_prefix_in',
    ['SW1'],
    'SW1A 1AA',
    'Excludes postal codes that begin with SW1; this business has SW1A1AA.',
  ],
  [
    'industry',
    'prefix_in',
    ['72', '44'],
    naics,
    'Requires an industry code that begins with 72 or 44; this business has 722511 (NAICS 2022).',
  ],
  [
    'industry',
    'not_prefix_in',
    ['72'],
    naics,
    'Excludes industry codes that begin with 72; this business has 722511 (NAICS 2022).',
  ],
  [
    'industry',
    'in',
    [sic],
    naics,
    'Requires the industry code 5610 (SIC 2007); this business has 722511 (NAICS 2022), and codes of NAICS 2022 and SIC 2007 cannot be compared.',
  ],
  ['industry', 'eq', '722511', naics, 'Requires the industry code 722511; this business has 722511 (NAICS 2022).'],
  [
    'industry',
    'prefix_in',
    ['72'],
    undefined,
    'Requires an industry code that begins with 72; the industry is not known yet.',
  ],
  [
    'legal_form',
    'in',
    ['corporation', 's_corp'],
    'llc',
    'Requires the legal form corporation or S corporation; this business has the legal form limited liability company (LLC).',
  ],
  [
    'legal_form',
    'ne',
    'nonprofit',
    'llc',
    'Excludes the legal form nonprofit; this business has the legal form limited liability company (LLC).',
  ],
  [
    'use_of_funds',
    'contains_any',
    ['equipment', 'vehicles'],
    ['hiring', 'payroll'],
    'Requires funds used for equipment or vehicles; this project is for hiring and payroll.',
  ],
  [
    'use_of_funds',
    'contains_none',
    ['refinancing', 'taxes'],
    ['equipment'],
    'Excludes funds used for refinancing of debt or taxes; this project is for equipment.',
  ],
  [
    'use_of_funds',
    'contains_all',
    ['equipment', 'training'],
    ['equipment', 'training', 'hiring'],
    'Requires funds used for equipment and training; this project is for equipment, training and hiring.',
  ],
  [
    'funding_types',
    'contains_any',
    ['grant'],
    ['term_loan', 'equity'],
    'Requires the funding type grant; this project wants term loan and equity.',
  ],
  [
    'collateral',
    'contains_any',
    ['real_estate', 'cash'],
    [],
    'Requires real estate or cash as collateral; this business offers none.',
  ],
  [
    'collateral',
    'contains_all',
    ['real_estate', 'cash'],
    ['cash'],
    'Requires real estate and cash as collateral; this business offers cash.',
  ],
  [
    'collateral',
    'contains_none',
    ['inventory'],
    ['inventory'],
    'Excludes inventory as collateral; this business offers inventory.',
  ],
  ['collateral', 'contains_any', ['cash'], undefined, 'Requires cash as collateral; the collateral is not known yet.'],
  [
    'ownership_attributes',
    'contains_any',
    ['women_owned', 'rural'],
    ['veteran_owned'],
    'Requires a business that is owned by women or in a rural area; this business is owned by veterans.',
  ],
  [
    'ownership_attributes',
    'contains_any',
    ['women_owned', 'minority_owned', 'rural', 'veteran_owned'],
    ['family_owned', 'veteran_owned'],
    'Requires a business that is owned by women, members of a minority, in a rural area or owned by veterans; this business is owned by a family and veterans.',
  ],
  [
    'ownership_attributes',
    'contains_any',
    ['women_owned'],
    [],
    'Requires a business that is owned by women; this business is not.',
  ],
  ['personal_guarantee', 'eq', true, false, 'Requires a personal guarantee; no owner gives one.'],
  ['personal_guarantee', 'eq', true, true, 'Requires a personal guarantee; an owner gives one.'],
  ['personal_guarantee', 'ne', true, false, 'Requires no personal guarantee; no owner gives one.'],
  [
    'personal_guarantee',
    'eq',
    true,
    undefined,
    'Requires a personal guarantee; it is not known yet whether an owner guarantees the debt.',
  ],
  ['liens_or_judgments', 'eq', false, true, 'Requires no liens or judgments; there are some.'],
  ['liens_or_judgments', 'eq', false, false, 'Requires no liens or judgments; there are none.'],
  ['bankruptcy', 'eq', false, { has: true, discharged_on: null }, 'Requires no bankruptcy; there was one.'],
  ['bankruptcy', 'eq', false, { has: false }, 'Requires no bankruptcy; there was none.'],
  ['bankruptcy', 'eq', false, undefined, 'Requires no bankruptcy; it is not known yet whether there was a bankruptcy.'],
  [
    'equipment',
    'in',
    ['medical', 'restaurant'],
    { type: 'vehicle', age_years: 1 },
    'Requires equipment of the type medical equipment or restaurant equipment; this equipment has the type vehicle.',
  ],
  [
    'equipment',
    'ne',
    'vehicle',
    { type: 'vehicle', age_years: 1 },
    'Excludes equipment of the type vehicle; this equipment has the type vehicle.',
  ],
  [
    'annual_revenue',
    'in',
    [usd('1.00'), eur('2.00')],
    usd('3.00'),
    'Requires annual revenue of USD 1 or EUR 2; this business has USD 3, and amounts in USD and EUR cannot be compared.',
  ],
  [
    'annual_revenue',
    'exists',
    true,
    undefined,
    'Requires an answer on the annual revenue; the annual revenue is not known yet.',
  ],
  ['annual_revenue', 'exists', true, usd('3.00'), 'Requires an answer on the annual revenue; this business has USD 3.'],
  [
    'annual_revenue',
    'exists',
    false,
    usd('3.00'),
    'Requires no answer on the annual revenue; this business has USD 3.',
  ],
  [
    'liens_or_judgments',
    'exists',
    true,
    undefined,
    'Requires an answer on whether there are liens or judgments; it is not known yet whether there are liens or judgments.',
  ],
]

describe('a reason says what is asked for, what is known and how far apart they are', () => {
  test.each([...bounds, ...lists])('%s %s %j with %j: %s', (criterion, operator, value, known, message) => {
    const [key = ''] = criterion.split('.')
    expect(messageOf({ criterion, operator, value }, { [key]: known })).toBe(message)
  })

  test('and names what is preferred or to be avoided', () => {
    const score = { criterion: 'credit_score', operator: 'gte', value: 650, effect: 'preferred' } as const
    expect(messageOf(score, { credit_score: 640 })).toBe(
      'Prefers a credit score of at least 650; the owner has 640: 10 points short.',
    )
    const region = { criterion: 'region', operator: 'not_in', value: ['US-CA'], effect: 'preferred' } as const
    expect(messageOf(region, { region: 'US-CA' })).toBe(
      'Prefers to avoid businesses in California; this business is in California.',
    )
  })

  test('and counts the months in business from the founding', () => {
    const asked = { criterion: 'time_in_business_months', operator: 'gte', value: 24 } as const
    expect(messageOf(asked, { founded_on: '2024-08-31' })).toBe(
      'Requires at least 24 months in business; this business has 19: 5 months short.',
    )
  })

  test('and shortens long lists', () => {
    const codes = Array.from({ length: 20 }, (_, number) => String(10 + number))
    expect(messageOf({ criterion: 'industry', operator: 'not_prefix_in', value: codes }, {})).toBe(
      'Excludes industry codes that begin with 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 or 10 others; the industry is not known yet.',
    )
  })
})
