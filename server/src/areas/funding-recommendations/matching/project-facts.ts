// What is known of a project, ready to be compared.
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { dayNumber, monthsBetween } from './days.ts'
import { subjects, todayNumber } from './subjects.ts'

export type CriteriaValues = Readonly<Record<string, unknown>>

/** A known value of a subject. Every fact has all of these, so that comparing stays fast. */
export interface Fact {
  /** An amount in minor units, a count, a number of months, a day. */
  number: number
  /** By which equal values are told. */
  key: string
  /** The currency of an amount, the system of an industry. */
  kind: string
  list: readonly string[]
}

/** Facts by the number of their subject. What is not known is not there. */
export type ProjectFacts = readonly (Fact | undefined)[]

/** `day` is that of the calculation. */
export function factsOf(values: CriteriaValues, day: number): ProjectFacts {
  const facts = new Map<string, Fact>()
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue
    if (key === 'bankruptcy') addBankruptcy(facts, value, day)
    else if (key === 'equipment') addEquipment(facts, value)
    else facts.set(key, factOf(key, value))
  }
  const founded = facts.get('founded_on')
  if (founded && !facts.has('time_in_business_months'))
    facts.set('time_in_business_months', ofNumber(monthsBetween(founded.number, day)))
  return subjects.map(({ name }) => facts.get(name))
}

/** By the number of its subject: whether a fact is worked out from the day, and so may be another one tomorrow. */
export function movingFacts(values: CriteriaValues): readonly boolean[] {
  const isKnown = (value: unknown) => value !== null && value !== undefined
  const moving = new Set<string>()
  if (isKnown(values.founded_on) && !isKnown(values.time_in_business_months)) moving.add('time_in_business_months')
  const bankruptcy = values.bankruptcy as { has: boolean; discharged_on?: string | null } | null | undefined // safe because its form was checked
  if (bankruptcy?.has && bankruptcy.discharged_on) moving.add('bankruptcy.months_since_discharge')
  return subjects.map(({ name }) => moving.has(name))
}

/** Facts with the day it is where a recipient is. */
export function withToday(facts: ProjectFacts, today: number): ProjectFacts {
  return facts.with(todayNumber, ofNumber(today))
}

function ofNumber(number: number): Fact {
  return { number, key: String(number), kind: '', list: [] }
}

function factOf(key: string, value: unknown): Fact {
  if (typeof value === 'number') return ofNumber(value)
  if (Array.isArray(value)) return { number: 0, key: '', kind: '', list: value.map(String) }
  if (typeof value === 'object' && value !== null) {
    if ('currency' in value) {
      const money = value as Money // safe because only amounts have a currency, and their form was checked
      return { ...ofNumber(toMinorUnits(money) ?? Number.NaN), kind: money.currency }
    }
    const { system, code } = value as { system: string; code: string } // safe because only industries are left
    return ofText(code, system)
  }
  if (key.endsWith('_on') || key.endsWith('_by')) return ofNumber(dayNumber(String(value)))
  return ofText(key === 'postal_code' ? plainCode(String(value)) : String(value))
}

/** Without the spaces and hyphens that people put into postal codes. */
export function plainCode(text: string): string {
  return text.toUpperCase().replace(/[ -]/g, '')
}

function ofText(key: string, kind = ''): Fact {
  return { number: 0, key, kind, list: [] }
}

/** Without a bankruptcy any time may have passed since one, and it lies before any day. */
function addBankruptcy(facts: Map<string, Fact>, value: unknown, today: number): void {
  const { has, discharged_on } = value as { has: boolean; discharged_on?: string | null } // safe because its form was checked
  facts.set('bankruptcy.has', ofText(String(has)))
  if (has && !discharged_on) return
  const day = has && discharged_on ? dayNumber(discharged_on) : Number.NEGATIVE_INFINITY
  facts.set('bankruptcy.discharged_on', ofNumber(day))
  facts.set('bankruptcy.months_since_discharge', ofNumber(has ? monthsBetween(day, today) : Number.POSITIVE_INFINITY))
}

function addEquipment(facts: Map<string, Fact>, value: unknown): void {
  const { type, age_years } = value as { type: string; age_years?: number | null } // safe because its form was checked
  facts.set('equipment.type', ofText(type))
  if (typeof age_years === 'number') facts.set('equipment.age_years', ofNumber(age_years))
}
