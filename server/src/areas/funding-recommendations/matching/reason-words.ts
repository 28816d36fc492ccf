// The words for what rules compare, by the name of the subject. In a template, {} stands for the value with its unit
// and # for the number alone.
import { countryName, regionName } from '../../../platform/values/countries.ts'
import { fromMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'

interface Words {
  /** "Requires …", with "at least 650" or "Canada or Germany" in the place of the value. */
  asks: string
  /** "Excludes …". */
  excludes: string
  /** The same with the beginning of a code. */
  asksPrefix?: string
  excludesPrefix?: string
  /** "… is not known yet." */
  thing: string
  has: string
  /** Known to be false, empty or never to have been. */
  hasNot?: string
  /** An amount below zero, and nothing at all. */
  hasLost?: string
  hasZero?: string
  /** As a condition: "for a business in California"; "with" unless it says otherwise. */
  circumstance?: 'for' | 'after'
  /** Below the lower bound, and above the upper one. */
  short: string
  over: string
  /** What one of it is called, and what it is called in a gap. */
  unit?: string
  gapUnit?: string
}

const amounts = { short: '{} short', over: '{} too much' }
const counts = { short: '{} short', over: '{} too many' }
const points = { short: '{} short', over: '{} too high', gapUnit: 'point' }
const dates = { short: '{} too early', over: '{} too late', gapUnit: 'day' }

const words: Record<string, Words> = {
  amount_requested: {
    ...inWords('an amount of {}', 'the requested amount', 'this project asks for {}'),
    circumstance: 'for',
    short: '{} too little',
  },
  country: {
    ...inWords('a business in {}', 'the country', 'this business is in {}'),
    excludes: 'businesses in {}',
    circumstance: 'for',
  },
  region: {
    ...inWords('a business in {}', 'the region', 'this business is in {}'),
    excludes: 'businesses in {}',
    circumstance: 'for',
    asksPrefix: 'a business in a region whose code begins with {}',
    excludesPrefix: 'businesses in regions whose code begins with {}',
  },
  postal_code: {
    ...inWords('the postal code {}', 'the postal code', 'this business has {}'),
    asksPrefix: 'a postal code that begins with {}',
    excludesPrefix: 'postal codes that begin with {}',
  },
  use_of_funds: inWords('funds used for {}', 'the use of funds', 'this project is for {}'),
  funding_types: inWords('the funding type {}', 'the type of funding', 'this project wants {}'),
  term_months: {
    ...inWords('a term of {}', 'the term', 'this project wants #'),
    ...{ short: '{} too short', over: '{} too long', unit: 'month', circumstance: 'for' },
  },
  needed_by: { ...inWords('money needed {}', 'the day the money is needed', 'this project needs it by {}'), ...dates },
  industry: {
    ...inWords('the industry code {}', 'the industry', 'this business has {}'),
    asksPrefix: 'an industry code that begins with {}',
    excludesPrefix: 'industry codes that begin with {}',
  },
  legal_form: inWords('the legal form {}', 'the legal form', 'this business has the legal form {}'),
  time_in_business_months: {
    ...inWords('{} in business', 'the time in business', 'this business has #'),
    ...counts,
    unit: 'month',
  },
  founded_on: {
    ...inWords('a business founded {}', 'the founding date', 'this business was founded on {}'),
    ...dates,
    excludes: 'businesses founded {}',
    circumstance: 'for',
  },
  annual_revenue: { ...inWords('annual revenue of {}', 'the annual revenue', 'this business has {}'), ...amounts },
  monthly_revenue: { ...inWords('monthly revenue of {}', 'the monthly revenue', 'this business has {}'), ...amounts },
  net_profit: {
    ...inWords('a net profit of {}', 'the net profit', 'this business made {}'),
    ...amounts,
    hasLost: 'this business lost {}',
  },
  employee_count: {
    ...inWords('{}', 'the number of employees', 'this business has #'),
    ...counts,
    unit: 'employee',
  },
  credit_score: { ...inWords('a credit score of {}', 'the credit score', 'the owner has {}'), ...points },
  business_credit_score: {
    ...inWords('a business credit score of {}', 'the business credit score', 'this business has {}'),
    ...points,
  },
  collateral: {
    ...inWords('{} as collateral', 'the collateral', 'this business offers {}'),
    hasNot: 'this business offers none',
  },
  personal_guarantee: {
    ...inWords('a personal guarantee', 'whether an owner guarantees the debt', 'an owner gives one'),
    hasNot: 'no owner gives one',
  },
  ownership_attributes: {
    ...inWords('a business that is {}', 'the ownership of the business', 'this business is {}'),
    excludes: 'businesses that are {}',
    circumstance: 'for',
    hasNot: 'this business is not',
  },
  existing_debt: {
    ...inWords('existing debt of {}', 'the existing debt', 'this business owes {}'),
    ...amounts,
    hasZero: 'this business owes nothing',
  },
  'bankruptcy.has': {
    ...inWords('a bankruptcy', 'whether there was a bankruptcy', 'there was one'),
    circumstance: 'after',
    hasNot: 'there was none',
  },
  'bankruptcy.discharged_on': {
    ...inWords('any bankruptcy discharged {}', 'the date of the discharge', 'it was discharged on {}'),
    ...dates,
    hasNot: 'there was no bankruptcy',
  },
  'bankruptcy.months_since_discharge': {
    ...inWords('{} since the discharge of any bankruptcy', 'the date of the discharge', 'it was discharged {} ago'),
    ...counts,
    unit: 'month',
    hasNot: 'there was no bankruptcy',
  },
  liens_or_judgments: {
    ...inWords('liens or judgments', 'whether there are liens or judgments', 'there are some'),
    hasNot: 'there are none',
  },
  match_funding_percent: {
    ...inWords('match funding of {}', 'the match funding', 'this business contributes {}'),
    ...amounts,
    hasZero: 'this business contributes nothing',
    gapUnit: 'percentage point',
  },
  project_start_on: {
    ...inWords('a project that starts {}', 'the start of the project', 'this project starts on {}'),
    ...dates,
    excludes: 'projects that start {}',
    circumstance: 'for',
  },
  'equipment.type': inWords('equipment of the type {}', 'the type of equipment', 'this equipment has the type {}'),
  'equipment.age_years': {
    ...inWords('equipment {} old', 'the age of the equipment', 'this equipment is {} old'),
    ...{ short: '{} too new', over: '{} too old', unit: 'year', hasZero: 'this equipment is new' },
  },
}

export function wordsFor(subject: string): Words {
  return words[subject] ?? inWords(`${subject} of {}`, subject, 'this project has {}')
}

/** What people call a value: a label of the vocabulary, the name of a place. */
export function labelOf(criterion: string, value: string): string {
  const { type, allowed_values } = criteriaByKey.get(criterion) ?? { type: undefined, allowed_values: [] }
  if (type === 'country') return `${countriesWithArticle.has(value) ? 'the ' : ''}${countryName(value)}`
  if (type === 'region') return regionName(value)
  const label = allowed_values.find((one) => one.value === value)?.label ?? value
  // Labels begin with a capital letter, but these are sentences. `LLC` and `S corporation` stay as they are.
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}

/** "USD 250,000", with cents only where there are any. */
export function moneyText(units: number, currency: string): string {
  const [whole = '', fraction = ''] = fromMinorUnits(units, currency).amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${currency} ${grouped}${/[1-9]/.test(fraction) ? `.${fraction}` : ''}`
}

export function systemName(system: string): string {
  return { naics_2022: 'NAICS 2022', sic_2007: 'SIC 2007', nace_2: 'NACE 2' }[system] ?? system
}

/** "Canada, Germany or Spain". A long list is cut. */
export function listText(list: readonly string[], word: 'and' | 'or'): string {
  const shown = list.length > 12 ? [...list.slice(0, 10), `${list.length - 10} others`] : list
  return shown.length < 2 ? (shown[0] ?? 'nothing') : `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`
}

/** "owned by women, veterans or immigrants": the words that all of them begin with come once. */
export function saidOnce(labels: readonly string[]): string[] {
  const beginning = 'owned by '
  return labels.map((label, index) =>
    label.startsWith(beginning) && labels[index - 1]?.startsWith(beginning) ? label.slice(beginning.length) : label,
  )
}

function inWords(asks: string, thing: string, has: string): Words {
  return { asks, excludes: asks, thing, has, ...amounts }
}

const countriesWithArticle = new Set('AE BS CD CF DO GB GM KM KY MH MV NL PH SB SC US'.split(' '))
