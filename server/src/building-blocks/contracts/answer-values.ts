// Whether a value fits its question: its form, its bounds, its options. Whether an answer is missing is decided
// elsewhere (completeness). Only our own schemas are compiled; what a contract says is compared by hand.
import { type Static, type TSchema, Type } from 'typebox'
import { checkAgainst, inWords, type Problem } from '../../platform/protocol/validation.ts'
import { counted } from '../../platform/values/counted.ts'
import { isRegionOf } from '../../platform/values/countries.ts'
import {
  addressFields,
  CalendarDate,
  Country,
  Email,
  notBlank,
  Phone,
  Region,
  WebAddress,
} from '../../platform/values/fields.ts'
import { Industry, isIndustryCode } from '../../platform/values/industries.ts'
import { Money, minorDigits, plainMoney, toMinorUnits } from '../../platform/values/money.ts'
import { type ContractModel, optionsOf } from './contract-model.ts'
import type { GroupedQuestion, Question, QuestionType, Validation } from './contract-schema.ts'
import { compareDecimals } from './decimals.ts'
import { isMultiple, isNumberType, type NumberType, numberBounds, numberRanges } from './number-bounds.ts'
import { resolveDay } from './relative-days.ts'
import { compilePattern, type SafePattern } from './safe-patterns.ts'
import { longestText } from './validation-words.ts'

export const monthForm = inWords('^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])$', 'must be a month such as 2026-01')

export const longestUrl = 2000

/** The form of the values of each type; the types without one are not answered by a value. */
export const valueSchemas = {
  text: Type.String({ minLength: 1, maxLength: longestText.text, pattern: notBlank, format: 'line' }),
  identifier: Type.String({ minLength: 1, maxLength: longestText.identifier, pattern: notBlank, format: 'line' }),
  long_text: Type.String({ minLength: 1, maxLength: longestText.long_text, pattern: notBlank, format: 'lines' }),
  boolean: Type.Boolean(),
  integer: Type.Integer(numberRanges.integer),
  decimal: Type.Number(numberRanges.decimal),
  percent: Type.Number(numberRanges.percent),
  money: Money,
  date: CalendarDate,
  year_month: Type.String({ pattern: monthForm }),
  email: Email,
  phone: Phone,
  url: WebAddress(longestUrl),
  single_choice: undefined,
  multi_choice: undefined,
  address: Type.Object(addressFields, { additionalProperties: false }),
  country: Country,
  region: Region,
  industry: Industry,
  declaration: Type.Literal(true),
  file: undefined,
  group: undefined,
  display: undefined,
} as const satisfies Record<QuestionType, TSchema | undefined>

/** A choice that is none of the options. */
export const otherChoice = Type.Object(
  { other: Type.String({ minLength: 1, maxLength: 200, pattern: notBlank, format: 'line' }) },
  { additionalProperties: false },
)

const formChecks = new Map(
  Object.entries(valueSchemas).flatMap(([type, schema]) => (schema ? [[type, checkAgainst(schema)] as const] : [])),
)

/** What is wrong with a value as an answer to this question, in a sentence; undefined when it fits. */
export function valueProblem(
  model: ContractModel,
  question: Question | GroupedQuestion,
  value: unknown,
  today: string,
): string | undefined {
  const { key, type, validation = {} } = question
  if (type === 'display') return `${key} only displays text and accepts no answer.`
  if (type === 'group') return `${key} is a group: answer it by adding items.`
  if (type === 'file') return `${key} is answered by files: declare and upload them instead.`
  if (type === 'single_choice' || type === 'multi_choice') return choiceProblem(model, question, value)
  const [misshapen] = formChecks.get(type)?.(value) ?? []
  if (misshapen) return formProblem(key, misshapen)
  return boundsProblem(key, type, validation, value, today)
}

/** A value as it is kept: an amount with the digits of its currency, as everywhere else. */
export function plainValue({ type }: Question | GroupedQuestion, value: unknown): unknown {
  return type === 'money' ? plainMoney(value as Money) : value // safe because the value fits its question
}

/** A problem of the value itself names the question; one inside it (an address, an amount) names the field as well. */
function formProblem(key: string, { pointer, message }: Problem): string {
  return pointer === '' ? message.replace(/^The body/, key) : `${key}: ${message}`
}

function choiceProblem(model: ContractModel, question: Question | GroupedQuestion, value: unknown): string | undefined {
  const { key, allow_other, validation = {} } = question
  const options = new Set(optionsOf(model, question).map((option) => option.value))
  const problemOf = (one: unknown): string | undefined => {
    if (typeof one === 'string' && options.has(one)) return undefined
    if (allow_other && isOther(one)) return undefined
    const known = [...options].slice(0, 20).join(', ')
    return `${key} must be one of its options (${known})${allow_other ? ' or {"other": "a text"}' : ''}.`
  }
  if (question.type === 'single_choice') return problemOf(value)
  if (!Array.isArray(value)) return `${key} must be a list.`
  if (new Set(value.map((one) => JSON.stringify(one))).size < value.length) return `${key} must not repeat a value.`
  const { min_items = 1, max_items = 500 } = validation
  if (value.length < min_items) return `${key} must have at least ${counted(min_items, 'choice')}.`
  if (value.length > max_items) return `${key} must have at most ${counted(max_items, 'choice')}.`
  return value.map(problemOf).find((problem) => problem !== undefined)
}

function isOther(value: unknown): boolean {
  return checkOther(value).length === 0
}
const checkOther = checkAgainst(otherChoice)

function boundsProblem(
  key: string,
  type: QuestionType,
  validation: Validation,
  value: unknown,
  today: string,
): string | undefined {
  if (typeof value === 'number' && isNumberType(type)) return numberProblem(key, type, validation, value)
  if (type === 'money') return moneyProblem(key, validation, value as Money) // safe because it has the form of money
  if (type === 'industry') {
    // safe because it has the form of an industry
    return isIndustryCode(value as Industry)
      ? undefined
      : `${key}: code must have the format of its system, such as 722511 for naics_2022.`
  }
  if (type === 'address') return addressProblem(key, value as Static<typeof valueSchemas.address>) // safe because it has the form of an address
  if (typeof value !== 'string') return undefined
  if (type === 'date' || type === 'year_month') return dayProblem(key, validation, value, today)
  const { min_length = 0, max_length = Number.POSITIVE_INFINITY, pattern } = validation
  const length = Array.from(value).length
  if (length < min_length) return `${key} must have at least ${counted(min_length, 'character')}.`
  if (length > max_length) return `${key} must have at most ${counted(max_length, 'character')}.`
  if (pattern !== undefined && !patternOf(pattern).test(value)) return `${key} must match the pattern ${pattern}.`
  return undefined
}

function addressProblem(key: string, { country, region }: Static<typeof valueSchemas.address>): string | undefined {
  if (typeof region !== 'string' || isRegionOf(region, country)) return undefined
  return `${key}: region must be a region of the country of the address.`
}

function numberProblem(key: string, type: NumberType, validation: Validation, value: number): string | undefined {
  const { min, max, multiple_of } = numberBounds(type, validation)
  if (value < min) return `${key} must be at least ${min}.`
  if (value > max) return `${key} must be at most ${max}.`
  if (multiple_of !== undefined && !isMultiple(type, value, multiple_of))
    return `${key} must be a multiple of ${multiple_of}.`
  return undefined
}

function moneyProblem(key: string, { min, max }: Validation, money: Money): string | undefined {
  if (toMinorUnits(money) === undefined)
    return `${key} must have at most ${counted(minorDigits(money.currency), 'decimal place')} in ${money.currency}, and at most 15 digits including decimal places.`
  if (typeof min === 'string' && compareDecimals(money.amount, min) < 0) return `${key} must be at least ${min}.`
  if (typeof max === 'string' && compareDecimals(money.amount, max) > 0) return `${key} must be at most ${max}.`
  return undefined
}

function dayProblem(key: string, { min_date, max_date }: Validation, value: string, today: string): string | undefined {
  const bound = (text: string) => (resolveDay(text, today) ?? text).slice(0, value.length)
  if (min_date !== undefined && value < bound(min_date)) return `${key} must not be before ${bound(min_date)}.`
  if (max_date !== undefined && value > bound(max_date)) return `${key} must not be after ${bound(max_date)}.`
  return undefined
}

/** Contracts are few and their patterns come again and again. */
function patternOf(source: string): SafePattern {
  let pattern = patterns.get(source)
  if (!pattern) {
    if (patterns.size >= 1000) patterns.clear()
    pattern = compilePattern(source)
    patterns.set(source, pattern)
  }
  return pattern
}
const patterns = new Map<string, SafePattern>()
