// What a rule compares: a criterion, a part of one, or something worked out from it.
import { type CriterionType, criteria } from '../criteria/vocabulary.ts'
import { type Operator, today } from './rules.ts'

/** How values of a subject compare, and how far a miss is. */
export type Measure = 'number' | 'percent' | 'money' | 'months' | 'date' | 'boolean' | 'text' | 'industry' | 'list'

export interface Subject {
  /** Its place in `subjects`. */
  number: number
  name: string
  /** The criterion that has to be known. */
  criterion: string
  measure: Measure
  operators: readonly Operator[]
}

const ofOrder: readonly Operator[] = ['gte', 'lte', 'between', 'eq', 'ne', 'in', 'not_in', 'exists']
const ofTexts: readonly Operator[] = ['eq', 'ne', 'in', 'not_in', 'exists']
const ofCodes: readonly Operator[] = ['prefix_in', 'not_prefix_in', ...ofTexts]
const operatorsOf: Record<Measure, readonly Operator[]> = {
  number: ofOrder,
  percent: ofOrder,
  months: ofOrder,
  money: ofOrder,
  date: ['before', 'after', 'gte', 'lte', 'between', 'eq', 'ne', 'exists'],
  boolean: ['eq', 'ne', 'exists'],
  text: ofTexts,
  industry: ofCodes,
  list: ['contains_any', 'contains_all', 'contains_none', 'exists'],
}

const measures: Record<Exclude<CriterionType, 'bankruptcy' | 'equipment'>, Measure> = {
  money: 'money',
  integer: 'number',
  percent: 'percent',
  date: 'date',
  boolean: 'boolean',
  choice: 'text',
  choices: 'list',
  country: 'text',
  region: 'text',
  postal_code: 'text',
  industry: 'industry',
}

const parts = [
  subject('bankruptcy.has', 'bankruptcy', 'boolean'),
  subject('bankruptcy.discharged_on', 'bankruptcy', 'date'),
  subject('bankruptcy.months_since_discharge', 'bankruptcy', 'months'),
  subject('equipment.type', 'equipment', 'text'),
  subject('equipment.age_years', 'equipment', 'number'),
]

/** A criterion of several parts, named without one: the part the operator is about. */
const partsByOperator: Record<string, Partial<Record<Operator, string>>> = {
  bankruptcy: {
    eq: 'bankruptcy.has',
    ne: 'bankruptcy.has',
    exists: 'bankruptcy.has',
    before: 'bankruptcy.discharged_on',
    after: 'bankruptcy.discharged_on',
    gte: 'bankruptcy.months_since_discharge',
    lte: 'bankruptcy.months_since_discharge',
    between: 'bankruptcy.months_since_discharge',
  },
  equipment: {
    eq: 'equipment.type',
    ne: 'equipment.type',
    in: 'equipment.type',
    not_in: 'equipment.type',
    exists: 'equipment.type',
    gte: 'equipment.age_years',
    lte: 'equipment.age_years',
    between: 'equipment.age_years',
  },
}

export const subjects: readonly Subject[] = [
  ...criteria.flatMap(({ key, type }) =>
    type === 'bankruptcy' || type === 'equipment' ? [] : [simpleSubject(key, type)],
  ),
  ...parts,
  subject(today, today, 'date'),
].map((one, number) => ({ number, ...one }))

const subjectsByName: ReadonlyMap<string, Subject> = new Map(subjects.map((one) => [one.name, one]))

/** The day at the recipient. */
export const todayNumber = subjects.length - 1

/** Names a rule may compare. */
export const subjectNames: readonly string[] = [...subjectsByName.keys(), ...Object.keys(partsByOperator)].filter(
  (name) => name !== today,
)

/** Undefined when there is no such criterion, or the operator does not fit it. */
export function subjectOf(criterion: string, operator: Operator): Subject | undefined {
  const name = partsByOperator[criterion]?.[operator] ?? criterion
  const found = subjectsByName.get(name)
  return found?.operators.includes(operator) ? found : undefined
}

/** What can be done with a criterion; undefined when there is no such criterion. */
export function operatorsFor(criterion: string): readonly Operator[] | undefined {
  const choices = partsByOperator[criterion]
  // safe because the members of such a choice are operators
  return choices ? (Object.keys(choices) as Operator[]) : subjectsByName.get(criterion)?.operators
}

function simpleSubject(key: string, type: keyof typeof measures): Omit<Subject, 'number'> {
  if (key === 'time_in_business_months') return subject(key, key, 'months')
  const one = subject(key, key, measures[type])
  return type === 'region' || type === 'postal_code' ? { ...one, operators: ofCodes } : one
}

function subject(name: string, criterion: string, measure: Measure): Omit<Subject, 'number'> {
  return { name, criterion, measure, operators: operatorsOf[measure] }
}
