// Random programmes and projects whose values often lie exactly on a bound, exactly a fifth or a year away from it,
// one step further, or on the last day of a February.
import fc from 'fast-check'
import { dayNumber } from '../../src/areas/funding-recommendations/matching/days.ts'
import type {
  Comparison,
  Operator,
  ProgramTerms,
  RecipientTerms,
  Rule,
} from '../../src/areas/funding-recommendations/matching/rules.ts'
import type { Money } from '../../src/platform/values/money.ts'
import { dateOf, monthsAfter } from './naive-days.ts'
import { decimal, moneyText, numberOf, one } from './naive-decimals.ts'
import type { Values } from './naive-subjects.ts'

export interface RandomCase {
  projectId: string
  day: string
  values: Values
  recipients: { recipient: RecipientTerms; programs: ProgramTerms[] }[]
}

/** What a project may say of a criterion, and what a rule may ask of it. */
interface Family {
  value: fc.Arbitrary<unknown>
  /** What each operator compares with. */
  asked: Partial<Record<Operator, fc.Arbitrary<unknown>>>
}

const exists = fc.constantFrom(true, true, false, undefined)
const some = <T>(items: readonly T[]) => fc.constantFrom(...items)
const listsOf = <T>(items: readonly T[]) =>
  fc.subarray([...items], { minLength: 1, maxLength: Math.min(3, items.length) })

function ordered<T>(bounds: readonly T[], sizeOf: (bound: T) => bigint | string): fc.Arbitrary<[T, T]> {
  return fc.tuple(some(bounds), some(bounds)).map(([a, b]) => (sizeOf(a) <= sizeOf(b) ? [a, b] : [b, a]))
}

/** On each bound, a fifth away from it, and a step to either side of these. */
function aroundFifths(bounds: readonly bigint[], step: bigint): bigint[] {
  return bounds.flatMap((bound) => {
    const fifth = (bound - (bound % (step * 5n))) / 5n
    return [bound, bound - fifth, bound + fifth].flatMap((value) => [value, value, value - step, value + step])
  })
}

function ofNumbers(bounds: readonly number[], values: readonly number[]): Family {
  const [bound, list] = [some(bounds), listsOf(bounds)]
  const between = ordered(bounds, decimal)
  return {
    value: some(values),
    asked: { gte: bound, lte: bound, between, eq: bound, ne: bound, in: list, not_in: list, exists },
  }
}

/** Numbers of as many decimal places as `step` has. */
function numbers(bounds: readonly number[], step = 1): Family {
  const values = aroundFifths(bounds.map(decimal), decimal(step)).map(numberOf)
  return ofNumbers(
    bounds,
    values.filter((value) => value >= 0),
  )
}

function months(bounds: readonly number[]): Family {
  const values = bounds.flatMap((bound) => [-13, -12, -1, 0, 0, 1, 12, 13].map((away) => bound + away))
  return ofNumbers(
    bounds,
    values.filter((value) => value >= 0),
  )
}

const amounts = ['0.00', '1000.00', '25000.00', '33333.35', '250000.00']
const currencies = ['USD', 'USD', 'USD', 'USD', 'EUR', 'JPY']

function money(texts: readonly string[]): Family {
  const bounds = currencies.flatMap((currency) => texts.map((text) => inCurrency(decimal(text), currency)))
  const values = currencies.flatMap((currency) => {
    const step = currency === 'JPY' ? one : one / 100n
    return aroundFifths(texts.map(decimal), step).map((units) => inCurrency(units, currency))
  })
  const [bound, list] = [some(bounds), listsOf(bounds)]
  return {
    value: some(values),
    asked: { gte: bound, lte: bound, between: moneyRange, eq: bound, ne: bound, in: list, not_in: list, exists },
  }
}

const inCurrency = (units: bigint, currency: string): Money => ({ amount: moneyText(units, currency), currency })

const moneyRange = fc
  .tuple(some(currencies), ordered(amounts, decimal))
  .map(([currency, range]) => range.map((text) => inCurrency(decimal(text), currency)))

const oddDays = ['2023-02-28', '2024-02-29', '2024-03-01', '2025-02-28', '2025-03-31', '2025-12-31', '2026-11-15']
const daysAround = oddDays.flatMap((date) =>
  [date, monthsAfter(date, -12), monthsAfter(date, 12)].flatMap((day) => [day, day, besides(day, -1), besides(day, 1)]),
)

function besides(date: string, days: number): string {
  return dateOf(dayNumber(date) + days)
}

const relativeDays = ['today', 'today-12 months', 'today-1 years', 'today+30 days', 'today-36 months', 'today+1 months']
const dateBound = fc.oneof(some(oddDays), some(relativeDays))
const dateRange = ordered(oddDays, (date) => date)
const dates: Family = {
  value: some(daysAround),
  asked: {
    before: dateBound,
    after: dateBound,
    gte: dateBound,
    lte: dateBound,
    between: dateRange,
    eq: dateBound,
    ne: dateBound,
    exists,
  },
}

function words(items: readonly string[]): Family {
  const [word, list] = [some(items), listsOf(items)]
  return { value: word, asked: { eq: word, ne: word, in: list, not_in: list, exists } }
}

function codes(values: readonly unknown[], full: readonly unknown[], beginnings: readonly unknown[]): Family {
  const [code, list, prefixes] = [some(full), listsOf(full), listsOf([...beginnings, ...full])]
  return {
    value: some(values),
    asked: { eq: code, ne: code, in: list, not_in: list, prefix_in: prefixes, not_prefix_in: prefixes, exists },
  }
}

function lists(items: readonly string[], minLength: number): Family {
  const asked = listsOf(items)
  return {
    value: fc.subarray([...items], { minLength, maxLength: 3 }),
    asked: { contains_any: asked, contains_all: asked, contains_none: asked, exists },
  }
}

const booleans: Family = { value: fc.boolean(), asked: { eq: fc.boolean(), ne: fc.boolean(), exists } }

const naics = (code: string) => ({ system: 'naics_2022', code })
const sic = (code: string) => ({ system: 'sic_2007', code })
const industries: Family = codes(
  [naics('722511'), naics('722513'), naics('56'), sic('56'), sic('5610')],
  ['722511', '5610', '56', naics('722511'), naics('56'), sic('5610'), sic('56')],
  ['7225', naics('72'), sic('7')],
)

const bankruptcy: Family['value'] = fc.oneof(
  fc.record({ has: fc.constant(false) }),
  fc.record({ has: fc.constant(true), discharged_on: fc.oneof(fc.constant(null), some(daysAround), some(daysAround)) }),
)
const sinceDischarge = months([12, 24, 36])
const equipmentTypes = words(['vehicle', 'medical', 'office'])
const equipmentAge = numbers([0, 5, 7.5, 10], 0.5)
const equipment: Family['value'] = fc.record({
  type: equipmentTypes.value,
  age_years: fc.oneof(equipmentAge.value, equipmentAge.value, fc.constant(null)),
})

/** Every name a rule may compare. */
export const families: Record<string, Family> = {
  amount_requested: money(amounts.filter((amount) => amount !== '0.00')),
  country: words(['US', 'CA', 'GB', 'DE']),
  use_of_funds: lists(['working_capital', 'equipment', 'inventory', 'hiring'], 1),
  region: codes(['US-CA', 'US-NY', 'CA-ON'], ['US-CA', 'US-NY', 'CA-ON'], ['US', 'US-', 'CA']),
  postal_code: codes(
    ['SW1A 1AA', 'sw1a1aa', '10001', '10001-1234', 'SW2'],
    ['SW1A 1AA', '10001', 'sw2', '1-0001'],
    ['SW', 'sw1 ', '100'],
  ),
  funding_types: lists(['term_loan', 'grant', 'equity'], 1),
  term_months: numbers([5, 12, 60]),
  needed_by: dates,
  industry: industries,
  legal_form: words(['llc', 'corporation', 'partnership']),
  time_in_business_months: months([0, 6, 12, 24, 36]),
  founded_on: dates,
  annual_revenue: money(amounts),
  monthly_revenue: money(amounts),
  net_profit: money([...amounts, '-5000.00', '-33333.35']),
  employee_count: numbers([0, 5, 10, 50]),
  credit_score: numbers([600, 650, 700]),
  business_credit_score: numbers([50, 80]),
  collateral: lists(['real_estate', 'equipment', 'cash'], 0),
  personal_guarantee: booleans,
  ownership_attributes: lists(['women_owned', 'veteran_owned', 'rural'], 0),
  existing_debt: money(amounts),
  bankruptcy: {
    value: bankruptcy,
    asked: {
      ...booleans.asked,
      before: dateBound,
      after: dateBound,
      gte: some([12, 24, 36]),
      lte: some([12, 24, 36]),
      between: ordered([12, 24, 36], decimal),
    },
  },
  'bankruptcy.has': { value: bankruptcy, asked: booleans.asked },
  'bankruptcy.discharged_on': { value: bankruptcy, asked: dates.asked },
  'bankruptcy.months_since_discharge': { value: bankruptcy, asked: sinceDischarge.asked },
  liens_or_judgments: booleans,
  match_funding_percent: numbers([0, 0.3, 10, 12.5, 33.35], 0.01),
  project_start_on: dates,
  equipment: {
    value: equipment,
    asked: {
      ...equipmentTypes.asked,
      gte: some([0, 5, 7.5, 10]),
      lte: some([0, 5, 7.5, 10]),
      between: ordered([0, 5, 7.5, 10], decimal),
    },
  },
  'equipment.type': { value: equipment, asked: equipmentTypes.asked },
  'equipment.age_years': { value: equipment, asked: equipmentAge.asked },
}

const comparison: fc.Arbitrary<Comparison> = fc.oneof(
  ...Object.entries(families).map(([criterion, { asked }]) =>
    fc.oneof(
      ...Object.entries(asked).map(([operator, value]) =>
        // safe because the keys of what is asked are operators
        value.map((bound) => ({ criterion, operator: operator as Operator, value: bound })),
      ),
    ),
  ),
)

const rule: fc.Arbitrary<Omit<Rule, 'id'>> = fc
  .record({
    compared: comparison,
    effect: some(['required', 'required', 'preferred'] as const),
    weight: some([1, 1, 1, 2, 3, 0.5, 0.1, 0.6, 4.9, 0]),
    when: fc.option(comparison, { freq: 2, nil: undefined }),
  })
  .map(({ compared, when, ...rest }) => ({ ...compared, ...rest, ...(when && { when }) }))

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })
const sides = <T>(range: fc.Arbitrary<readonly [T, T]>) =>
  fc.tuple(range, some(['both', 'both', 'min', 'max', 'none'])).map(([[min, max], kept]) => ({
    min: kept === 'both' || kept === 'min' ? min : null,
    max: kept === 'both' || kept === 'max' ? max : null,
  }))

const program: fc.Arbitrary<Omit<ProgramTerms, 'id'>> = fc.record({
  version: fc.constant(1),
  funding_type: some(['term_loan', 'grant']),
  opens_on: maybe(some(daysAround)),
  closes_on: maybe(some(daysAround)),
  // safe because a range has two sides
  amount: maybe(sides(moneyRange as fc.Arbitrary<[Money, Money]>)),
  term_months: maybe(sides(ordered([5, 12, 60], decimal))),
  time_to_fund_days: maybe(sides(fc.tuple(some([1, 2, 3]), some([3, 4])))),
  eligibility: fc
    .array(rule, { maxLength: 4 })
    .map((rules) => rules.map((one, index) => ({ id: `rule_${index}`, ...one }))),
})

const values: fc.Arbitrary<Values> = fc
  .record({
    known: fc.record(
      Object.fromEntries(
        Object.entries(families)
          .filter(([key]) => !key.includes('.'))
          .map(([key, { value }]) => [key, fc.option(value, { freq: 4, nil: undefined })]),
      ),
    ),
    // Months in business must often be counted from the day of founding.
    isFoundingOnly: fc.boolean(),
  })
  .map(({ known, isFoundingOnly }) => ({ ...known, ...(isFoundingOnly && { time_in_business_months: undefined }) }))

export const randomCase: fc.Arbitrary<RandomCase> = fc
  .record({
    projectId: some(['prj_1', 'prj_2', 'prj_3']),
    day: some(daysAround),
    values,
    recipients: fc.array(
      fc.record({
        countries: fc.subarray(['US', 'CA', 'GB']),
        daysAhead: some([-1, 0, 0, 1]),
        programs: fc.array(program, { maxLength: 4 }),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ recipients, day, ...rest }) => ({
    ...rest,
    day,
    recipients: recipients.map(({ countries, daysAhead, programs }, number) => ({
      recipient: { id: `rcp_${number}`, countries, today: dayNumber(day) + daysAhead },
      programs: programs.map((terms, index) => ({ id: `prg_${number}_${index}`, ...terms })),
    })),
  }))
