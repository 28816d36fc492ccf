// Whether a condition of a contract makes sense: its form, and what it compares a question's answers with.
import { checkAgainst } from '../../platform/protocol/validation.ts'
import { isCountry, isRegion } from '../../platform/values/countries.ts'
import { Industry, isIndustryCode } from '../../platform/values/industries.ts'
import { Money } from '../../platform/values/money.ts'
import { isDate } from '../../platform/values/times.ts'
import {
  type Comparison,
  type ContractProblem,
  type GroupedQuestion,
  type Operator,
  type Option,
  operators,
  type Question,
  type QuestionType,
} from './contract-schema.ts'
import { compareDecimals, isAmount } from './decimals.ts'
import { isRelativeDay, resolveDay } from './relative-days.ts'

/** What is wrong with the form of a condition. */
export function conditionShapeProblems(condition: unknown, place: string, depth = 1): ContractProblem[] {
  if (condition === null || typeof condition !== 'object' || Array.isArray(condition))
    return [{ place, message: 'A condition must be an object.' }]
  if (depth > maximumDepth)
    return [{ place, message: `Conditions must be nested at most ${maximumDepth} levels deep.` }]
  const names = Object.keys(condition)
  const [word = ''] = names
  if (names.length === 1 && ['all', 'any', 'not'].includes(word)) {
    const list: unknown = Object.values(condition)[0]
    if (!Array.isArray(list) || list.length === 0 || list.length > maximumLength)
      return [{ place: `${place}/${word}`, message: `${word} must be a list of 1 to ${maximumLength} conditions.` }]
    return list.flatMap((one, index) => conditionShapeProblems(one, `${place}/${word}/${index}`, depth + 1))
  }
  const unknown = names.filter((name) => !['question', 'operator', 'value'].includes(name))
  if (unknown.length > 0)
    return unknown.map((name) => ({
      place: `${place}/${name}`,
      message: `${name.slice(0, 60)} is not a known field of a condition.`,
    }))
  const { question, operator } = condition as Partial<Comparison> // safe because absent fields are undefined
  if (typeof question !== 'string')
    return [{ place: `${place}/question`, message: 'A comparison must name a question.' }]
  if (!operators.includes(operator as Operator))
    // safe because it is only looked for
    return [{ place: `${place}/operator`, message: `operator must be one of ${operators.join(', ')}.` }]
  return []
}

const [compare, order] = [
  ['equals', 'not_equals', 'in', 'not_in'],
  ['gt', 'gte', 'lt', 'lte', 'between'],
] as const satisfies Operator[][]
const parts = ['contains', 'not_contains'] as const satisfies Operator[]

const operatorsByType: Record<QuestionType, readonly Operator[]> = {
  text: [...compare, ...parts],
  long_text: [...compare, ...parts],
  email: [...compare, ...parts],
  phone: [...compare, ...parts],
  url: [...compare, ...parts],
  identifier: [...compare, ...parts],
  boolean: ['equals', 'not_equals'],
  declaration: ['equals', 'not_equals'],
  integer: [...compare, ...order],
  decimal: [...compare, ...order],
  percent: [...compare, ...order],
  money: ['equals', 'not_equals', ...order],
  date: [...compare, ...order, 'before', 'after'],
  year_month: [...compare, ...order, 'before', 'after'],
  single_choice: compare,
  multi_choice: [...compare, ...parts],
  country: compare,
  region: compare,
  industry: compare,
  address: [],
  file: [],
  group: [],
  display: [],
}

/** Why a comparison can never be true, or cannot be intended; undefined when it is fine. */
export function conditionValueProblem(
  { question: key, operator, value }: Comparison,
  question: Question | GroupedQuestion,
  options: readonly Option[],
): string | undefined {
  if (question.type === 'display') return `${key} only displays text and is never answered.`
  if (operator === 'exists')
    return value === undefined || typeof value === 'boolean'
      ? undefined
      : 'The value of exists must be true, false or absent.'
  const allowed = operatorsByType[question.type]
  if (!allowed.includes(operator)) {
    return `${operator} is not allowed: ${key} is of type ${question.type}, which accepts ${['exists', ...allowed].join(', ')}.`
  }
  const problemOf = (one: unknown) => valueProblem(one, question, options)
  if (operator === 'in' || operator === 'not_in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > 500)
      return `The value of ${operator} must be a list of 1 to 500 values.`
    return value.map(problemOf).find((problem) => problem !== undefined)
  }
  if (operator === 'between') {
    if (!Array.isArray(value) || value.length !== 2) return 'The value of between must be a list of two values.'
    const problem = problemOf(value[0]) ?? problemOf(value[1])
    return (
      problem ??
      (isReversed(value[0], value[1]) ? 'The first value of between must not be more than the second.' : undefined)
    )
  }
  if ((operator === 'contains' || operator === 'not_contains') && question.type !== 'multi_choice')
    return typeof value === 'string' && value !== '' ? undefined : `The value of ${operator} must be a text.`
  return problemOf(value)
}

function valueProblem(
  value: unknown,
  { key, type }: Question | GroupedQuestion,
  options: readonly Option[],
): string | undefined {
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'percent':
      return typeof value === 'number' ? undefined : `${key} must be compared with a number.`
    case 'boolean':
    case 'declaration':
      return typeof value === 'boolean' ? undefined : `${key} must be compared with true or false.`
    case 'money':
      return isAmount(value) || isMoney(value)
        ? undefined
        : `${key} must be compared with a decimal string such as "25000.00", or with an amount and its currency.`
    case 'date':
    case 'year_month':
      return typeof value === 'string' && (isDate(value) || isRelativeDay(value) || isMonth(value))
        ? undefined
        : `${key} must be compared with a date, or with a relative date such as today-18 years.`
    case 'single_choice':
    case 'multi_choice':
      if (typeof value !== 'string') return `${key} must be compared with the value of an option.`
      return options.some((option) => option.value === value) ? undefined : `${key} has no option ${value}.`
    case 'industry':
      // safe because it has the form of an industry
      return checkIndustry(value).length === 0 && isIndustryCode(value as Industry)
        ? undefined
        : `${key} must be compared with a system and a code.`
    case 'country':
      return typeof value === 'string' && isCountry(value)
        ? undefined
        : `${key} must be compared with a country such as US.`
    case 'region':
      return typeof value === 'string' && isRegion(value)
        ? undefined
        : `${key} must be compared with a region such as US-CA.`
    default:
      return typeof value === 'string' ? undefined : `${key} must be compared with a text.`
  }
}

function isReversed(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a > b
  if (isAmount(a) && isAmount(b)) return compareDecimals(a, b) > 0
  if (typeof a !== 'string' || typeof b !== 'string') return false
  // Two days relative to today keep their order whatever the day; a fixed one and a relative one do not.
  const [first, second] = [resolveDay(a, anyDay), resolveDay(b, anyDay)]
  if (first !== undefined && second !== undefined) return first > second
  return isDate(a) && isDate(b) && a > b
}

function isMoney(value: unknown): boolean {
  return checkMoney(value).length === 0
}

function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
}

const checkMoney = checkAgainst(Money)
const checkIndustry = checkAgainst(Industry)
const anyDay = '2026-07-15'
const maximumDepth = 8
const maximumLength = 50
