// Two validators: bodies are taken as they are, query parameters are texts that may mean numbers and booleans.
// Both report every problem, so that a caller can mend all of them at once.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import type { TSchema } from 'typebox'
import { isCurrency } from '../money.ts'
import { isCountry, isRegion } from '../places.ts'
import { isDate, isTime } from '../times.ts'
import type { ValidationCode } from './error-catalogue.ts'

export interface Problem {
  /** JSON Pointer of the value, or of the value that is missing or should not be there. */
  pointer: string
  code: ValidationCode
  message: string
  meta?: Record<string, unknown>
}

export type Check = (value: unknown) => Problem[]

export function checkBody(schema: TSchema): Check {
  return createCheck(() => bodies, schema)
}

export function checkQuery(schema: TSchema): Check {
  return createCheck(() => queries, schema)
}

/** Compiling a schema takes milliseconds, so it waits for the first value. */
function createCheck(validator: () => Ajv, schema: TSchema): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= validator().compile(schema)
    if (validate(value)) return []
    return (validate.errors ?? []).filter((error) => !isAboutNull(error)).map(toProblem)
  }
}

/** A nullable field is a choice of two; what matters is what is wrong with the value, not that it is not null either. */
function isAboutNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')
}

function toProblem(error: ErrorObject): Problem {
  const { keyword, instancePath, params } = error
  const field = instancePath.split('/').at(-1) || 'The body'
  switch (keyword) {
    case 'required':
      return {
        pointer: `${instancePath}/${params.missingProperty}`,
        code: 'required',
        message: `${params.missingProperty} is required.`,
      }
    case 'additionalProperties':
      return {
        pointer: `${instancePath}/${escapePointer(params.additionalProperty)}`,
        code: 'unknown_field',
        message: 'This field is not known here.',
      }
    case 'type':
      return {
        pointer: instancePath,
        code: 'invalid_type',
        message: `${field} must be of type ${[params.type].flat().join(' or ')}.`,
        meta: { expected: [params.type].flat() },
      }
    case 'enum':
      return {
        pointer: instancePath,
        code: 'invalid_enum',
        message: `${field} must be one of: ${params.allowedValues.filter((v: unknown) => v !== null).join(', ')}.`,
        meta: { allowed: params.allowedValues },
      }
    case 'const':
      return {
        pointer: instancePath,
        code: 'invalid_enum',
        message: `${field} must be ${params.allowedValue}.`,
        meta: { allowed: [params.allowedValue] },
      }
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return {
        pointer: instancePath,
        code: 'too_long',
        message: `${field} may have at most ${params.limit} ${unitOf(keyword)}.`,
        meta: { maximum: params.limit },
      }
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return {
        pointer: instancePath,
        code: 'too_short',
        message: `${field} must have at least ${params.limit} ${unitOf(keyword)}.`,
        meta: { minimum: params.limit },
      }
    case 'minimum':
    case 'exclusiveMinimum':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be at least ${params.limit}.`,
        meta: { minimum: params.limit },
      }
    case 'maximum':
    case 'exclusiveMaximum':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be at most ${params.limit}.`,
        meta: { maximum: params.limit },
      }
    case 'multipleOf':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be a multiple of ${params.multipleOf}.`,
        meta: { multiple_of: params.multipleOf },
      }
    case 'format':
      return {
        pointer: instancePath,
        code: 'invalid_format',
        message: `${field} must be ${formatNames[params.format] ?? `a valid ${params.format}`}.`,
        meta: { format: params.format },
      }
    default:
      return {
        pointer: instancePath,
        code: 'invalid_format',
        message: `${field} does not have the expected form.`,
        ...(keyword === 'pattern' && { meta: { pattern: params.pattern } }),
      }
  }
}

function unitOf(keyword: string): string {
  return keyword.endsWith('Length') ? 'characters' : keyword.endsWith('Items') ? 'entries' : 'fields'
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

const formatNames: Record<string, string> = {
  country: 'an ISO 3166-1 country code of two capital letters, such as US',
  region: 'an ISO 3166-2 code, such as US-CA',
  currency: 'an ISO 4217 code, such as USD',
  phone: 'a phone number in E.164 form, such as +14155550100',
  'web-address': 'an http or https address',
  email: 'an e-mail address',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    removeAdditional: false,
    useDefaults: false,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    unicodeRegExp: true,
  })
  // safe because the package's default export is the plugin itself under both module systems
  const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: readonly string[]) => void
  addFormats(ajv, ['email', 'uri'])
  ajv.addFormat('date', isDate)
  ajv.addFormat('date-time', isTime)
  ajv.addFormat('country', isCountry)
  ajv.addFormat('region', isRegion)
  ajv.addFormat('currency', isCurrency)
  ajv.addFormat('phone', /^\+[1-9][0-9]{6,14}$/)
  ajv.addFormat('web-address', (text: string) => URL.canParse(text) && /^https?:\/\/[^/@\s]+(\/\S*)?$/.test(text))
  return ajv
}

const bodies = createAjv(false)
const queries = createAjv(true)
