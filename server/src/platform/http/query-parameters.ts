// The query of a request: every name known, each sent once, each value of its schema. All problems are told together;
// the code of the answer is that of the first kind of problem there is.
import type { TObject } from 'typebox'
import { ApiError, type ErrorDetail, maximumDetails } from '../protocol/errors.ts'
import { type Check, checkAgainst } from '../protocol/validation.ts'

type QueryReader = (queryString: string) => Record<string, unknown>

export function createQueryReader(schema: TObject): QueryReader {
  const allowed = Object.keys(schema.properties)
  const check = checkAgainst(schema)
  return (queryString) => {
    const parameters: Record<string, unknown> = {}
    if (queryString === '') return parameters
    const unsupported: ErrorDetail[] = []
    const repeated: ErrorDetail[] = []
    for (const part of queryString.split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const name = decode(equals === -1 ? part : part.slice(0, equals))
      const value = equals === -1 ? '' : decode(part.slice(equals + 1))
      if (!allowed.includes(name)) unsupported.push(unsupportedDetail(name, allowed))
      else if (Object.hasOwn(parameters, name))
        repeated.push(detail(name, 'repeated_query_parameter', `${name} was sent more than once. Send it once.`))
      else parameters[name] = meaningOf(value, schema.properties[name])
    }
    const invalid = valueProblems(parameters, schema, check)
    const details = [...unsupported, ...repeated, ...invalid].slice(0, maximumDetails)
    if (unsupported.length > 0) throw new ApiError('unsupported_query_parameter', { details })
    if (repeated.length > 0) throw new ApiError('repeated_query_parameter', { details })
    if (invalid.length > 0) throw new ApiError('invalid_query_parameter', { details })
    return parameters
  }
}

/** A text that stands for a number or a boolean, where one is expected; anything else stays a text and fails the check. */
function meaningOf(text: string, schema: unknown): unknown {
  const { type } = schema as { type?: string } // safe because only schemas of parameters are given
  if (type === 'integer' && /^-?[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function valueProblems(parameters: Record<string, unknown>, schema: TObject, check: Check): ErrorDetail[] {
  const nul = Object.keys(parameters).filter((name) => String(parameters[name]).includes('\0'))
  if (nul.length > 0)
    return nul.map((name) => detail(name, 'invalid_format', `${name} must not contain NUL characters.`))
  return check(parameters).map(({ pointer, code, message, meta }) => {
    const name = pointer.slice(1)
    const { minimum, maximum } = (schema.properties[name] ?? {}) as { minimum?: number; maximum?: number } // safe because absent ones stay undefined
    const range = minimum === undefined || maximum === undefined ? {} : { minimum, maximum }
    return detail(name, code, message, { ...meta, ...range })
  })
}

function unsupportedDetail(name: string, allowed: readonly string[]): ErrorDetail {
  const hint = allowed.length > 0 ? `Supported parameters: ${allowed.join(', ')}.` : 'It has no query parameters.'
  const message = `This operation does not support this parameter. ${hint}`
  return detail(name, 'unsupported_query_parameter', message, { allowed })
}

function detail(name: string, code: string, message: string, meta?: Record<string, unknown>): ErrorDetail {
  return { location: 'query', name: name.slice(0, 100), code, message, ...(meta && { meta }) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new ApiError('invalid_request', { message: 'The query string must be valid percent-encoded UTF-8.', cause })
  }
}
