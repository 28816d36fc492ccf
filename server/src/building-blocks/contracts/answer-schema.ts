// The answers of a contract as a JSON Schema that needs nothing of ours to be understood. It says what a value may be;
// three things it cannot say, because they depend on the day or on other answers: bounds relative to today, uniqueness
// within a group, and which questions must be answered.

import { countryCodes, regionCodes } from '../../platform/values/countries.ts'
import { longestEmail, phoneForm } from '../../platform/values/fields.ts'
import { industryForms } from '../../platform/values/industries.ts'
import { emailPattern, webAddressPattern } from '../../platform/values/internet-addresses.ts'
import { currencyCodes, minorDigits } from '../../platform/values/money.ts'
import { lineForm, linesForm } from '../../platform/values/text-forms.ts'
import { isDate } from '../../platform/values/times.ts'
import { longestUrl, monthForm, otherChoice, valueSchemas } from './answer-values.ts'
import { type ContractModel, modelOf, optionsOf } from './contract-model.ts'
import type { GroupedQuestion, Question, Validation } from './contract-schema.ts'
import { isFastEverywhere } from './pattern-ambiguity.ts'
import { atLeast, atMost, notAfter, notBefore } from './range-patterns.ts'
import { compilePattern } from './safe-patterns.ts'
import { longestText } from './validation-words.ts'

type Json = Record<string, unknown>

export function answerSchema(contract: ContractModel['contract'], { id, title }: { id: string; title: string }): Json {
  const model = modelOf(contract)
  const properties = Object.fromEntries(
    contract.questions.flatMap((question) => {
      const schema = question.type === 'group' ? itemsSchema(model, question) : valueSchema(model, question)
      return schema ? [[question.key, { ...schema, description: question.label }]] : []
    }),
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    title,
    type: 'object',
    additionalProperties: false,
    properties,
    $defs: usedLists(JSON.stringify(properties)),
  }
}

/** The long lists that are referred to. */
function usedLists(text: string): Json {
  const lists = { country: { enum: countryCodes }, region: { enum: regionCodes } }
  return Object.fromEntries(Object.entries(lists).filter(([name]) => text.includes(`"#/$defs/${name}"`)))
}

function itemsSchema(model: ContractModel, { repeat, questions = [] }: Question): Json {
  return {
    type: 'array',
    maxItems: repeat?.max ?? 1,
    items: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        questions.flatMap((question) => {
          const schema = valueSchema(model, question)
          return schema ? [[question.key, { ...schema, description: question.label }]] : []
        }),
      ),
    },
  }
}

/** The schema of a question's value; undefined where it is not answered by one. */
function valueSchema(model: ContractModel, question: Question | GroupedQuestion): Json | undefined {
  const { type, validation = {} } = question
  switch (type) {
    case 'display':
    case 'file':
    case 'group':
      return undefined
    case 'text':
    case 'identifier':
    case 'long_text':
      return textSchema(type, validation)
    case 'integer':
    case 'decimal':
      return numberSchema(valueSchemas[type], validation)
    case 'percent':
      return numberSchema(valueSchemas.percent, { min: 0, max: 100, ...validation })
    case 'money':
      return { anyOf: [0, 2, 3, 4].map((digits) => moneySchema(digits, validation)) }
    case 'date':
      return { type: 'string', format: 'date', allOf: [{ pattern: '^(?!0000)' }, ...dayBounds(10, validation)] }
    case 'year_month':
      return { type: 'string', allOf: [{ pattern: monthForm }, ...dayBounds(7, validation)] }
    case 'single_choice':
      return choiceSchema(model, question)
    case 'multi_choice': {
      const { min_items = 1, max_items = 500 } = validation
      return {
        type: 'array',
        uniqueItems: true,
        minItems: min_items,
        maxItems: max_items,
        items: choiceSchema(model, question),
      }
    }
    case 'phone':
      return { type: 'string', pattern: phoneForm }
    case 'email':
      return { type: 'string', maxLength: longestEmail, pattern: emailPattern }
    case 'url':
      return { type: 'string', maxLength: longestUrl, pattern: webAddressPattern }
    case 'country':
      return country
    case 'region':
      return region
    case 'address':
      return addressSchema
    case 'industry':
      return industrySchema
    case 'declaration':
      return { const: true }
    default:
      return plain(valueSchemas[type])
  }
}

function textSchema(type: keyof typeof longestText, validation: Validation): Json {
  const { min_length = 1, max_length = longestText[type], pattern } = validation
  return {
    type: 'string',
    minLength: min_length,
    maxLength: max_length,
    pattern: type === 'long_text' ? linesForm : lineForm,
    ...(pattern !== undefined && patternSchema(pattern)),
  }
}

/** Contracts published before ambiguous patterns were refused may have one, which would stall other validators. */
function patternSchema(pattern: string): Json {
  let isFast = fastPatterns.get(pattern)
  if (isFast === undefined) {
    if (fastPatterns.size >= 1000) fastPatterns.clear()
    isFast = isFastEverywhere(compilePattern(pattern).program)
    fastPatterns.set(pattern, isFast)
  }
  return isFast ? { allOf: [{ pattern }] } : { $comment: `The service also checks the pattern ${pattern}` }
}
const fastPatterns = new Map<string, boolean>()

function numberSchema(
  schema: { type: string; minimum: number; maximum: number } | object,
  validation: Validation,
): Json {
  const { type, minimum, maximum } = { type: 'number', minimum: -1e15, maximum: 1e15, ...schema }
  const { min, max, multiple_of } = validation
  return {
    type,
    minimum: typeof min === 'number' ? Math.max(min, minimum) : minimum,
    maximum: typeof max === 'number' ? Math.min(max, maximum) : maximum,
    ...(multiple_of !== undefined && { multipleOf: multiple_of }),
  }
}

/** Amounts in the currencies that have so many digits after the point. */
function moneySchema(digits: number, { min, max }: Validation): Json {
  const units = String(Number.MAX_SAFE_INTEGER)
  const most = digits === 0 ? units : `${units.slice(0, -digits)}.${units.slice(-digits)}`
  const patterns = [atMost(most, digits), atLeast(`-${most}`, digits)]
  if (typeof min === 'string') patterns.push(atLeast(cut(min, digits, 'up'), digits))
  if (typeof max === 'string') patterns.push(atMost(cut(max, digits, 'down'), digits))
  return {
    type: 'object',
    additionalProperties: false,
    required: ['amount', 'currency'],
    properties: {
      amount: { type: 'string', allOf: patterns.map((inside) => ({ pattern: `^${inside}$` })) },
      currency: { enum: currencyCodes.filter((code) => minorDigits(code) === digits) },
    },
  }
}

/** A bound with no more digits than the amounts it is compared with: moved to the nearest one inside. */
function cut(bound: string, digits: number, direction: 'up' | 'down'): string {
  const [whole = '0', fraction = ''] = bound.replace('-', '').split('.')
  const isNegative = bound.startsWith('-')
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  const isExact = /^0*$/.test(fraction.slice(digits))
  const isAway = !isExact && (direction === 'up') !== isNegative
  const text = String(isAway ? kept + 1n : kept).padStart(digits + 1, '0')
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return isNegative ? `-${amount}` : amount
}

function dayBounds(length: number, { min_date, max_date }: Validation): Json[] {
  const bounds: Json[] = []
  if (min_date !== undefined && isDate(min_date)) bounds.push({ pattern: `^${notBefore(min_date.slice(0, length))}$` })
  if (max_date !== undefined && isDate(max_date)) bounds.push({ pattern: `^${notAfter(max_date.slice(0, length))}$` })
  return bounds
}

function choiceSchema(model: ContractModel, question: Question | GroupedQuestion): Json {
  const known = { enum: optionsOf(model, question).map(({ value }) => value) }
  return question.allow_other ? { anyOf: [known, plain(otherChoice)] } : known
}

const country: Json = { $ref: '#/$defs/country' }
const region: Json = { $ref: '#/$defs/region' }

const { properties: addressProperties, required: addressRequired } = valueSchemas.address
const addressSchema: Json = {
  type: 'object',
  additionalProperties: false,
  required: addressRequired,
  properties: {
    ...plain(addressProperties),
    country,
    region: { anyOf: [region, { type: 'null' }] },
  },
}

const industrySchema: Json = {
  anyOf: Object.entries(industryForms).map(([system, form]) => ({
    type: 'object',
    additionalProperties: false,
    required: ['system', 'code'],
    properties: { system: { const: system }, code: { type: 'string', maxLength: 8, pattern: form.source } },
  })),
}

/** A schema of ours as plain JSON, with patterns in place of the formats that only we know. */
function plain(schema: object): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (value?.format !== 'line') return value
    const { format: _format, description: _description, ...rest } = value
    return { ...rest, pattern: lineForm }
  })
}
