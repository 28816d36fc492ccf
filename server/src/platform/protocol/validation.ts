// Values against their schemas: nothing is coerced, dropped or filled in, and every problem is reported, so that a
// caller can mend all of them at once.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import type { TSchema } from 'typebox'
import { counted } from '../values/counted.ts'
import { isCountry, isRegion } from '../values/countries.ts'
import { metadataKey, notBlank, phoneForm } from '../values/fields.ts'
import { idPrefixes, prefixOfPattern } from '../values/ids.ts'
import { isEmail, isWebAddress } from '../values/internet-addresses.ts'
import { decimalForm, isCurrency, moneyForm } from '../values/money.ts'
import { filenameForm, lineForm, linesForm, textProblem } from '../values/text-forms.ts'
import { isDate, isTime, isTimeZone } from '../values/times.ts'
import type { ValidationCode } from './error-catalogue.ts'

export interface Problem {
  /** JSON Pointer of the value, or of the value that is missing or should not be there. */
  pointer: string
  code: ValidationCode
  message: string
  meta?: Record<string, unknown>
}

export type Check = (value: unknown) => Problem[]

/** Compiling a schema takes milliseconds, so it waits for the first value. */
export function checkAgainst(schema: TSchema): Check {
  let validate: ValidateFunction | undefined
  const findOverlong = overlongFinder(schema)
  return (value) => {
    const overlong = findOverlong?.(value, '') ?? []
    if (overlong.length > 0) return overlong
    ajv ??= createAjv()
    validate ??= ajv.compile(schema)
    if (validate(value)) return []
    const errors = validate.errors ?? []
    const tooShort = new Set(errors.filter(({ keyword }) => keyword === 'minLength').map((error) => error.instancePath))
    // A text that is too short has one problem, not also that of its form.
    const isFollowing = ({ keyword, instancePath }: ErrorObject) =>
      (keyword === 'pattern' || keyword === 'format') && tooShort.has(instancePath)
    return errors.filter((error) => !isAboutNull(error) && !isFollowing(error)).map(toProblem)
  }
}

type OverlongFinder = (value: unknown, pointer: string) => Problem[]

/**
 * Finds lists that are too long, before their items are looked at: a validator that reports everything would go through
 * all of them. Undefined where a schema has no lists, so that only what holds lists is walked through.
 */
function overlongFinder(schema: TSchema): OverlongFinder | undefined {
  const s = schema as { maxItems?: number; items?: TSchema; properties?: Record<string, TSchema>; anyOf?: TSchema[] } // safe because a TypeBox schema is a JSON Schema
  if (s.anyOf) {
    const finders = s.anyOf.map(overlongFinder).filter((finder) => finder !== undefined)
    return finders.length > 0 ? (value, pointer) => finders.flatMap((find) => find(value, pointer)) : undefined
  }
  if (s.items) {
    const { maxItems: maximum = Number.POSITIVE_INFINITY } = s
    const findInItem = overlongFinder(s.items)
    return (value, pointer) => {
      if (!Array.isArray(value)) return []
      if (value.length > maximum) return [tooLong(pointer, 'maxItems', maximum)]
      return findInItem ? value.flatMap((item, index) => findInItem(item, `${pointer}/${index}`)) : []
    }
  }
  const members = Object.entries(s.properties ?? {}).flatMap(([name, member]) => {
    const find = overlongFinder(member)
    return find ? [{ name, find }] : []
  })
  if (members.length === 0) return undefined
  return (value, pointer) => {
    if (value === null || typeof value !== 'object') return []
    const held = value as Record<string, unknown> // safe because it is an object that came out of JSON
    const found: Problem[] = []
    for (const { name, find } of members) {
      if (held[name] !== undefined && held[name] !== null) found.push(...find(held[name], `${pointer}/${name}`))
    }
    return found
  }
}

function tooLong(pointer: string, keyword: string, maximum: number): Problem {
  const message = `${fieldOf(pointer)} must have at most ${sizeOf(keyword, maximum)}.`
  return { pointer, code: 'too_long', message, meta: { maximum } }
}

/** A nullable field is a choice of two; what matters is what is wrong with the value, not that it is not null either. */
function isAboutNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')
}

/** A plain number is what most people try first. */
function isMoney({ parentSchema }: ErrorObject): boolean {
  return parentSchema?.title === 'Money'
}

function toProblem(error: ErrorObject): Problem {
  const { keyword, instancePath, params } = error
  const field = fieldOf(instancePath)
  switch (keyword) {
    case 'required':
      return {
        pointer: `${instancePath}/${params.missingProperty}`,
        code: 'required',
        message: `${params.missingProperty} is required.`,
      }
    case 'additionalProperties':
      if (error.parentSchema?.patternProperties !== undefined) return keyProblem(error, field)
      return {
        pointer: `${instancePath}/${escapePointer(params.additionalProperty)}`,
        code: 'unknown_field',
        message: `${shortened(params.additionalProperty)} is not a known field.`,
      }
    case 'type':
      return {
        pointer: instancePath,
        code: 'invalid_type',
        message: isMoney(error)
          ? `${field} must be ${moneyForm}.`
          : `${field} must be of type ${[params.type].flat().join(' or ')}.`,
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
      return tooLong(instancePath, keyword, params.limit)
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return {
        pointer: instancePath,
        code: 'too_short',
        message: `${field} must have at least ${sizeOf(keyword, params.limit)}.`,
        meta: { minimum: params.limit },
      }
    case 'exclusiveMinimum':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be more than ${params.limit}.`,
        meta: { minimum: params.limit },
      }
    case 'minimum':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be at least ${params.limit}.`,
        meta: { minimum: params.limit },
      }
    case 'exclusiveMaximum':
      return {
        pointer: instancePath,
        code: 'out_of_range',
        message: `${field} must be less than ${params.limit}.`,
        meta: { maximum: params.limit },
      }
    case 'maximum':
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
        message: `${field} ${formatHint(params.format, error.data)}.`,
        meta: { format: params.format },
      }
    case 'pattern':
      return {
        pointer: instancePath,
        code: 'invalid_format',
        message: `${field} ${patternHint(params.pattern) ?? `must match the pattern ${params.pattern}`}.`,
        meta: { pattern: params.pattern },
      }
    case 'uniqueItems':
      return { pointer: instancePath, code: 'invalid_format', message: `${field} must not repeat a value.` }
    default:
      return {
        pointer: instancePath,
        code: 'invalid_format',
        message: `${field} must have the form this operation describes.`,
      }
  }
}

/** Where a caller chooses the names of fields, a name has a form. */
function keyProblem({ instancePath, params, parentSchema }: ErrorObject, field: string): Problem {
  const [pattern = ''] = Object.keys(parentSchema?.patternProperties ?? {})
  return {
    pointer: `${instancePath}/${escapePointer(params.additionalProperty)}`,
    code: 'invalid_format',
    message: `Every key of ${field} ${patternHint(pattern) ?? `must match the pattern ${pattern}`}; received "${shortened(params.additionalProperty)}".`,
    meta: { pattern },
  }
}

function sizeOf(keyword: string, count: number): string {
  if (keyword.endsWith('Length')) return counted(count, 'character')
  return keyword.endsWith('Items') ? counted(count, 'entry', 'entries') : counted(count, 'field')
}

/** A caller's own field name may be a megabyte long. */
function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A field as people name it: an entry of a list by the list and its number. */
export function fieldOf(pointer: string): string {
  const [last = '', list = ''] = pointer.split('/').reverse()
  return /^\d+$/.test(last) && list !== '' ? `${list}[${last}]` : last || 'The body'
}

/** What a pattern means, where saying so helps. */
const patternHints = new Map([
  [notBlank, 'must not be blank'],
  [decimalForm, 'must be a decimal string such as 1250.00'],
  [metadataKey, 'must have 1 to 64 characters from A–Z a–z 0–9 _ . -'],
])

/** Lets a pattern of a schema be told in words when a value does not have its form. Returns the pattern. */
export function inWords(pattern: string, words: string): string {
  patternHints.set(pattern, words)
  return pattern
}

function patternHint(pattern: string): string | undefined {
  const prefix = prefixOfPattern(pattern)
  return patternHints.get(pattern) ?? (prefix && `must be an id that begins with ${prefix}_ (${idPrefixes[prefix]})`)
}

function formatHint(format: string, value: unknown): string {
  if (format === 'line' || format === 'lines') return textProblem(value, format === 'lines')
  return `must be ${formatNames[format] ?? `a valid ${format}`}`
}

const formatNames: Record<string, string> = {
  country: 'an ISO 3166-1 country code of two uppercase letters, such as US',
  region: 'an ISO 3166-2 code, such as US-CA',
  currency: 'an ISO 4217 code, such as USD',
  phone: 'a phone number in E.164 form, such as +14155550100',
  'web-address': 'an http or https URL without credentials, such as https://example.com',
  filename: 'a plain file name: no path, no control characters, at least one letter or digit',
  'idn-email': 'an e-mail address such as office@example.com',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00Z (in a URL, write + as %2B)',
  'time-zone': 'an IANA time zone such as Europe/Berlin',
}

function createAjv(): Ajv {
  const created = new Ajv({
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    unicodeRegExp: true,
    // The message for a text names the character that is wrong with it.
    verbose: true,
  })
  // safe because the package's default export is the plugin itself under both module systems
  const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: readonly string[]) => void
  addFormats(created, ['uri'])
  created.addFormat('idn-email', isEmail)
  created.addFormat('web-address', isWebAddress)
  // A text of spaces alone is reported by the published pattern.
  created.addFormat('line', (text: string) => text.trim() === '' || line.test(text))
  created.addFormat('lines', (text: string) => text.trim() === '' || lines.test(text))
  created.addFormat('filename', new RegExp(filenameForm, 'u'))
  created.addFormat('date', isDate)
  created.addFormat('date-time', isTime)
  created.addFormat('time-zone', isTimeZone)
  created.addFormat('country', isCountry)
  created.addFormat('region', isRegion)
  created.addFormat('currency', isCurrency)
  created.addFormat('phone', new RegExp(phoneForm))
  return created
}

const line = new RegExp(lineForm, 'u')
const lines = new RegExp(linesForm, 'u')
let ajv: Ajv | undefined
