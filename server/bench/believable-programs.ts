// Programmes as lenders and grant makers state them, by random numbers that come again.
import type { CriteriaValues } from '../src/areas/funding-recommendations/matching/project-facts.ts'
import type {
  Comparison,
  ProgramTerms,
  RecipientTerms,
  Rule,
} from '../src/areas/funding-recommendations/matching/rules.ts'
import { createSeededRandom, type SeededRandom } from '../test/faults/seeded-random.ts'

/** A project of which every criterion is known. */
export const knownProject: CriteriaValues = {
  amount_requested: usd(75_000),
  country: 'US',
  use_of_funds: ['equipment', 'working_capital'],
  region: 'US-CA',
  postal_code: '94110',
  funding_types: ['term_loan', 'line_of_credit', 'asset_finance', 'microloan'],
  term_months: 36,
  needed_by: '2026-09-30',
  industry: { system: 'naics_2022', code: '722511' },
  legal_form: 'llc',
  time_in_business_months: 58,
  annual_revenue: usd(640_000),
  monthly_revenue: usd(53_000),
  net_profit: usd(48_000),
  employee_count: 14,
  credit_score: 705,
  business_credit_score: 68,
  collateral: ['equipment', 'receivables'],
  personal_guarantee: true,
  ownership_attributes: ['women_owned'],
  existing_debt: usd(85_000),
  bankruptcy: { has: true, discharged_on: '2019-05-31' },
  liens_or_judgments: false,
  match_funding_percent: 20,
  project_start_on: '2026-10-15',
  equipment: { type: 'restaurant', age_years: 3 },
}

export const rulesOfProgram = 10
export const programsOfRecipient = 1000

/** Each recipient with its programmes, one after the other: a million of them need not be there at once. */
export function* believableRecipients(count: number, day: number) {
  const random = createSeededRandom(11)
  for (let number = 0; number * programsOfRecipient < count; number++) {
    const recipient: RecipientTerms = {
      id: `rcp_${number}`,
      countries: random.below(4) > 0 ? ['US'] : ['US', 'CA'],
      today: day,
    }
    const size = Math.min(programsOfRecipient, count - number * programsOfRecipient)
    yield { recipient, programs: Array.from({ length: size }, (_, index) => programOf(random, number, index)) }
  }
}

function programOf(random: SeededRandom, recipient: number, index: number): ProgramTerms {
  const min = 500 * random.below(100)
  return {
    id: `prg_${String(recipient * programsOfRecipient + index).padStart(26, '0')}`,
    version: 1,
    funding_type: random.pick(fundingTypes),
    opens_on: random.below(4) === 0 ? `2026-0${1 + random.below(9)}-01` : null,
    closes_on: null,
    amount: { min: usd(min), max: usd(min + 1000 * (1 + random.below(500))) },
    term_months: { min: random.below(13), max: 24 + random.below(97) },
    time_to_fund_days: { min: 1 + random.below(10), max: 10 + random.below(60) },
    eligibility: rulesFor(random),
  }
}

function rulesFor(random: SeededRandom): Rule[] {
  const left = [...statements]
  return Array.from({ length: rulesOfProgram }, (_, index) => {
    const [state] = left.splice(random.below(left.length), 1)
    if (!state) throw new Error('a programme has more rules than there are statements')
    const isPreferred = random.below(3) === 0
    return {
      id: `rule_${index}`,
      ...state(random),
      effect: isPreferred ? 'preferred' : 'required',
      weight: isPreferred ? 1 + random.below(5) : 1,
      ...(random.below(5) === 0 && { when: random.pick(conditions)(random) }),
    }
  })
}

type Statement = (random: SeededRandom) => Comparison

const statements: readonly Statement[] = [
  (random) => atLeast('time_in_business_months', random.below(73)),
  (random) => atLeast('annual_revenue', usd(10_000 + 500 * random.below(1400))),
  (random) => atLeast('monthly_revenue', usd(1000 + 100 * random.below(550))),
  (random) => atLeast('net_profit', usd(-20_000 + 250 * random.below(300))),
  (random) => atLeast('credit_score', 500 + random.below(230)),
  (random) => atLeast('business_credit_score', 20 + random.below(55)),
  (random) => ({ criterion: 'employee_count', operator: 'between', value: [random.below(10), 12 + random.below(490)] }),
  (random) => atMost('existing_debt', usd(50_000 + 250 * random.below(2000))),
  (random) => ({ criterion: 'industry', operator: 'not_prefix_in', value: some(random, industries, 6) }),
  (random) => ({ criterion: 'region', operator: 'in', value: random.pick(footprints) }),
  (random) => ({ criterion: 'legal_form', operator: 'in', value: ['llc', ...some(random, legalForms, 4)] }),
  (random) => ({ criterion: 'use_of_funds', operator: 'contains_any', value: some(random, uses, 5) }),
  (random) => ({ criterion: 'collateral', operator: 'contains_any', value: some(random, collaterals, 4) }),
  () => ({ criterion: 'liens_or_judgments', operator: 'eq', value: false }),
  () => ({ criterion: 'personal_guarantee', operator: 'eq', value: true }),
  (random) => atLeast('bankruptcy', 12 * (1 + random.below(8))),
  (random) => atLeast('match_funding_percent', 0.5 * random.below(50)),
  (random) => ({ criterion: 'equipment', operator: 'lte', value: 1 + random.below(15) }),
  (random) => ({
    criterion: 'needed_by',
    operator: 'after',
    // February has no 29th.
    value: `2026-0${1 + random.below(9)}-${Math.min(28, 10 + random.below(20))}`,
  }),
]

const conditions: readonly Statement[] = [
  (random) => atLeast('amount_requested', usd(5000 * random.below(50))),
  (random) => atMost('time_in_business_months', random.below(61)),
  (random) => ({ criterion: 'use_of_funds', operator: 'contains_any', value: some(random, uses, 2) }),
  (random) => ({ criterion: 'legal_form', operator: 'in', value: some(random, legalForms, 3) }),
]

const fundingTypes = ['term_loan', 'line_of_credit', 'asset_finance', 'microloan', 'grant', 'invoice_finance']
const legalForms = ['sole_proprietor', 'partnership', 'llp', 'corporation', 's_corp', 'nonprofit', 'cooperative']
const uses = [
  'working_capital',
  'equipment',
  'vehicles',
  'inventory',
  'renovation',
  'refinancing',
  'hiring',
  'marketing',
]
const collaterals = ['real_estate', 'equipment', 'vehicles', 'inventory', 'receivables', 'cash']
const industries = '11 21 23 31 32 42 44 45 48 51 52 53 54 56 61 62 71 721 7224 81 92'.split(' ')
const states = 'AL AK AZ AR CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC'
  .split(' ')
  .map((state) => `US-${state}`)
const footprints = Array.from({ length: 300 }, (_, seed) => {
  const random = createSeededRandom(seed)
  return [...(seed % 4 === 0 ? [] : ['US-CA']), ...some(random, states, 20)]
})

function some<T>(random: SeededRandom, items: readonly T[], most: number): T[] {
  const left = [...items]
  return Array.from({ length: 1 + random.below(most) }, () => left.splice(random.below(left.length), 1)).flat()
}

function atLeast(criterion: string, value: unknown): Comparison {
  return { criterion, operator: 'gte', value }
}

function atMost(criterion: string, value: unknown): Comparison {
  return { criterion, operator: 'lte', value }
}

function usd(amount: number) {
  return { amount: `${amount}.00`, currency: 'USD' }
}
