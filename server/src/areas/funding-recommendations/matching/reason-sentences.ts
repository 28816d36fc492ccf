// A reason in one sentence: what the programme asks for, what is known, and what is missing to it, with the numbers.
import { counted } from '../../../platform/values/counted.ts'
import { fromMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'
import { dateOfDay } from './days.ts'
import type { Gap } from './explanation.ts'
import type { Predicate } from './predicates.ts'
import type { Fact, ProjectFacts } from './project-facts.ts'
import { type Comparison, type StatedRule, today } from './rules.ts'

interface Told {
  rule: StatedRule
  predicate: Predicate
  facts: ProjectFacts
  gap: Gap | null
  result: 'pass' | 'fail' | 'unknown' | 'not_applicable'
  condition: Predicate | undefined
}

export function sentenceOf({ rule, predicate, facts, gap, result, condition }: Told): string {
  const fact = facts.get(predicate.subject)
  if (predicate.subject === today && fact) return windowSentence(predicate, fact, gap)
  const verb = rule.effect === 'required' ? 'Requires' : 'Prefers'
  const when = condition && rule.when ? ` This applies only where ${conditionText(rule.when, condition)}.` : ''
  const asked = `${verb} ${requirement(rule, predicate)}`
  if (result === 'not_applicable')
    return rule.isWish
      ? `The project does not state ${nounOf(predicate.subject).thing}, so this does not apply.`
      : `${asked}.${when} That is not so here.`
  if (!fact) return `${asked}; ${nounOf(predicate.subject).thing} is not known yet.${when}`
  const known = actualText(predicate, fact)
  if (result === 'unknown') {
    const why = incomparable(predicate, fact)
    if (why) return `${asked}; ${known}, and ${why}.${when}`
    return `${asked}; ${known}.${when} Whether it does is not known yet.`
  }
  const missing = gap ? `: ${gapText(predicate, fact, gap)}` : ''
  return `${asked}; ${known}${missing}.${when}`
}

interface Noun {
  /** "a credit score". */
  one: string
  /** "the credit score". */
  thing: string
  /** What comes before the value that is known. */
  has: string
}

const nouns: Record<string, Noun> = {
  amount_requested: { one: 'an amount', thing: 'the amount', has: 'the project asks for' },
  country: { one: 'a business in', thing: 'the country', has: 'this business is in' },
  use_of_funds: { one: 'a use of funds', thing: 'the use of funds', has: 'this project is for' },
  region: { one: 'a business in', thing: 'the region', has: 'this business is in' },
  postal_code: { one: 'a postal code', thing: 'the postal code', has: 'this business has' },
  funding_types: { one: 'a type of funding', thing: 'the type of funding', has: 'the project wants' },
  term_months: { one: 'a term', thing: 'the term', has: 'the project wants' },
  needed_by: { one: 'money needed', thing: 'the day the money is needed by', has: 'this project needs it by' },
  industry: { one: 'an industry', thing: 'the industry', has: 'this business has' },
  legal_form: { one: 'a legal form', thing: 'the legal form', has: 'this business is' },
  time_in_business_months: { one: 'time in business', thing: 'the time in business', has: 'this business has' },
  founded_on: { one: 'a business founded', thing: 'the founding date', has: 'this business was founded on' },
  annual_revenue: { one: 'annual revenue', thing: 'the annual revenue', has: 'this business has' },
  monthly_revenue: { one: 'monthly revenue', thing: 'the monthly revenue', has: 'this business has' },
  net_profit: { one: 'a net profit', thing: 'the net profit', has: 'this business has' },
  employee_count: { one: 'employees', thing: 'the number of employees', has: 'this business has' },
  credit_score: { one: 'a credit score', thing: 'the credit score', has: 'the owner has' },
  business_credit_score: {
    one: 'a business credit score',
    thing: 'the business credit score',
    has: 'this business has',
  },
  collateral: { one: 'collateral', thing: 'the collateral', has: 'this business can give' },
  personal_guarantee: { one: 'a personal guarantee', thing: 'whether an owner guarantees the debt', has: '' },
  ownership_attributes: { one: 'ownership', thing: 'the ownership', has: 'this business is' },
  existing_debt: { one: 'existing debt', thing: 'the existing debt', has: 'this business has' },
  'bankruptcy.has': { one: 'a bankruptcy', thing: 'whether there was a bankruptcy', has: '' },
  'bankruptcy.discharged_on': {
    one: 'a bankruptcy discharged',
    thing: 'the discharge of the bankruptcy',
    has: 'it was discharged on',
  },
  'bankruptcy.months_since_discharge': {
    one: 'time since a bankruptcy',
    thing: 'the discharge of the bankruptcy',
    has: 'it was discharged',
  },
  liens_or_judgments: { one: 'liens or judgments', thing: 'whether there are liens or judgments', has: '' },
  match_funding_percent: { one: 'an own contribution', thing: 'the own contribution', has: 'this business pays' },
  project_start_on: { one: 'a project that starts', thing: 'the start of the project', has: 'this project starts on' },
  'equipment.type': { one: 'equipment', thing: 'the type of equipment', has: 'this project buys' },
  'equipment.age_years': { one: 'equipment', thing: 'the age of the equipment', has: 'this equipment is' },
}

function nounOf(subject: string): Noun {
  return nouns[subject] ?? { one: subject, thing: subject, has: 'the project has' }
}

/** What a rule asks for: "at least 24 months in business". */
function requirement({ criterion, operator, value }: Comparison, predicate: Predicate): string {
  const { subject, form, isNegated, low, high, measure } = predicate
  const { one, thing } = nounOf(subject)
  if (form === 'known') return isNegated ? `${thing} to be left out` : `${thing} to be known`
  if (measure === 'boolean') return booleanRequirement(subject, predicate)
  if (form === 'range') return rangeRequirement(predicate, low, high)
  const list = [...predicate.set, ...predicate.byKind.map(({ key }) => key)].map((entry) =>
    labelOf(predicate.criterion, measure === 'money' ? shownNumber(predicate, Number(entry)) : entry),
  )
  switch (form) {
    case 'any':
      return subject === 'funding_types'
        ? `a project that wants ${either(list)}`
        : `${one} that includes ${either(list)}`
    case 'all':
      return `${one} that includes ${listed(list, 'and')}`
    case 'none':
      return `${one} that does not include ${either(list)}`
    case 'prefix':
      return `${subject === 'industry' ? 'an industry code' : one} that ${isNegated ? 'does not begin' : 'begins'} with ${either(list)}`
    default:
      if (subject === 'country' || subject === 'region')
        return `a business ${isNegated ? 'outside' : 'in'} ${isNegated ? listed(list, 'and') : either(list)}`
      void criterion
      void operator
      void value
      return isNegated
        ? `${one} other than ${either(list)}`
        : list.length === 1
          ? `${one} of ${list[0]}`
          : `${one} of ${either(list)}`
  }
}

function rangeRequirement(predicate: Predicate, low: number, high: number): string {
  const { subject, measure } = predicate
  const shown = (value: number) => shownNumber(predicate, value)
  const { one } = nounOf(subject)
  const [hasLow, hasHigh] = [Number.isFinite(low), Number.isFinite(high)]
  if (measure === 'date') {
    if (hasLow && hasHigh) return `${one} from ${shown(low)} to ${shown(high)}`
    return hasLow ? `${one} on or after ${shown(low)}` : `${one} on or before ${shown(high)}`
  }
  const range =
    hasLow && hasHigh
      ? `between ${shown(low)} and ${shown(high)}`
      : hasLow
        ? `at least ${shown(low)}`
        : `at most ${shown(high)}`
  if (subject === 'time_in_business_months') return `${range} in business`
  if (subject === 'employee_count') return range
  if (subject === 'bankruptcy.months_since_discharge') return `${range} since the discharge of a bankruptcy`
  if (subject === 'equipment.age_years') return `equipment that is ${range} old`
  return hasLow && hasHigh ? `${one} ${range}` : `${one} of ${range}`
}

function booleanRequirement(subject: string, { set, isNegated }: Predicate): string {
  const { one } = nounOf(subject)
  return set.has('true') !== isNegated ? one : `no ${one.replace(/^an? /, '')}`
}

function actualText(predicate: Predicate, fact: Fact): string {
  const { subject, measure, criterion } = predicate
  const { has, one } = nounOf(subject)
  if (measure === 'boolean') return fact.key === 'true' ? `there is ${one}` : `there is no ${one.replace(/^an? /, '')}`
  if (subject === 'bankruptcy.months_since_discharge' || subject === 'bankruptcy.discharged_on') {
    if (!Number.isFinite(fact.number)) return 'there was no bankruptcy'
    return measure === 'date'
      ? `it was discharged on ${shownNumber(predicate, fact.number)}`
      : `it was discharged ${shownNumber(predicate, fact.number)} ago`
  }
  if (measure === 'list')
    return `${has} ${
      fact.list.length > 0
        ? listed(
            fact.list.map((one) => labelOf(criterion, one)),
            'and',
          )
        : 'none'
    }`
  if (measure === 'text' || measure === 'industry') {
    const label = labelOf(criterion, fact.key)
    return measure === 'industry' ? `${has} ${label} (${systemName(fact.kind)})` : `${has} ${label}`
  }
  const shown = measure === 'money' ? shownMoney(fact.number, fact.kind) : shownNumber(predicate, fact.number)
  return `${has} ${shown}${subject === 'equipment.age_years' ? ' old' : ''}`
}

function gapText(predicate: Predicate, fact: Fact, gap: Gap): string {
  const { measure, low } = predicate
  const isShort = fact.number < low
  const distance = Math.abs(fact.number - (isShort ? low : predicate.high))
  if (measure === 'date') return `${counted(distance, 'day')} ${isShort ? 'too early' : 'too late'}`
  const shown = measure === 'money' ? shownMoney(distance, fact.kind) : shownNumber(predicate, Number(gap.short_by))
  return isShort ? `${shown} short` : `${shown} too much`
}

/** Why what is known does not compare, if it does not. */
function incomparable({ measure, currency, byKind }: Predicate, { kind }: Fact): string | undefined {
  if (measure === 'money' && currency !== kind) return `amounts in ${kind} and ${currency} cannot be compared`
  const other = byKind.find((entry) => entry.kind !== kind)
  return other && `codes of ${systemName(kind)} and ${systemName(other.kind)} cannot be compared`
}

function conditionText(when: Comparison, predicate: Predicate): string {
  if (predicate.form === 'known')
    return `${nounOf(predicate.subject).thing} is ${predicate.isNegated ? 'not ' : ''}known`
  return `there is ${requirement(when, predicate)}`
}

function windowSentence({ low, high }: Predicate, { number }: Fact, gap: Gap | null): string {
  const [opens, closes] = [Number.isFinite(low) && dateOfDay(low), Number.isFinite(high) && dateOfDay(high)]
  if (gap && number < low) return `Opens on ${opens}, in ${counted(low - number, 'day')}.`
  if (gap) return `Closed on ${closes}, ${counted(number - high, 'day')} ago.`
  return closes ? `Open until ${closes}.` : `Open since ${opens}.`
}

function shownNumber({ subject, measure, currency }: Predicate, value: number): string {
  if (measure === 'money') return shownMoney(value, currency)
  if (measure === 'date') return dateOfDay(value)
  if (measure === 'percent') return `${value} %`
  if (measure === 'months' || subject === 'term_months') return counted(value, 'month')
  if (subject === 'equipment.age_years') return counted(value, 'year')
  if (subject === 'employee_count') return counted(value, 'employee')
  return String(value)
}

/** "USD 250,000", with cents only where there are any. */
function shownMoney(units: number, currency: string): string {
  const [whole = '', fraction = ''] = fromMinorUnits(units, currency).amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${currency} ${grouped}${/[1-9]/.test(fraction) ? `.${fraction}` : ''}`
}

function labelOf(criterion: string, value: string): string {
  const found = criteriaByKey.get(criterion)?.allowed_values.find((one) => one.value === value)
  return found?.label ?? value
}

function systemName(system: string): string {
  return { naics_2022: 'NAICS 2022', sic_2007: 'SIC 2007', nace_2: 'NACE 2' }[system] ?? system
}

function either(list: readonly string[]): string {
  return listed(list, 'or')
}

function listed(list: readonly string[], word: 'and' | 'or'): string {
  const shown = list.length > 12 ? [...list.slice(0, 10), `${list.length - 10} others`] : list
  return shown.length < 2 ? (shown[0] ?? 'nothing') : `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`
}
