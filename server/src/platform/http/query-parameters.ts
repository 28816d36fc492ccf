import { ApiError, type ErrorDetail } from './errors.ts'
import type { Check } from './validation.ts'

/** The parameters of a query string, each decoded and each sent once. Refuses names that are not `allowed`. */
export function parseQuery(queryString: string, allowed: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {}
  if (queryString === '') return parameters
  const unsupported = new Set<string>()
  const repeated = new Set<string>()
  for (const part of queryString.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals === -1 ? part : part.slice(0, equals))
    const value = equals === -1 ? '' : decode(part.slice(equals + 1))
    if (!allowed.includes(name)) unsupported.add(name)
    else if (Object.hasOwn(parameters, name)) repeated.add(name)
    else parameters[name] = value
  }
  if (unsupported.size > 0) {
    const hint = allowed.length > 0 ? `It takes: ${allowed.join(', ')}.` : 'It takes none.'
    throw refusal(
      'unsupported_query_parameter',
      [...unsupported],
      `This operation does not take this parameter. ${hint}`,
      { allowed },
    )
  }
  if (repeated.size > 0) throw refusal('repeated_query_parameter', [...repeated], 'Send this parameter once.')
  return parameters
}

/** Checks the values and turns texts into the numbers and booleans they mean, in place. */
export function checkParameters(parameters: Record<string, unknown>, check: Check): void {
  for (const name in parameters) {
    if (String(parameters[name]).includes('\0')) throw refusal('invalid_query_parameter', [name], 'NUL is not allowed.')
  }
  const problems = check(parameters)
  if (problems.length === 0) return
  throw new ApiError('invalid_query_parameter', {
    details: problems.map(
      ({ pointer, ...problem }): ErrorDetail => ({ location: 'query', name: pointer.slice(1), ...problem }),
    ),
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new ApiError('invalid_request', { message: 'The query string is not valid percent-encoded UTF-8.', cause })
  }
}

function refusal(
  code: 'unsupported_query_parameter' | 'repeated_query_parameter' | 'invalid_query_parameter',
  names: string[],
  message: string,
  meta?: Record<string, unknown>,
): ApiError {
  return new ApiError(code, {
    details: names
      .slice(0, 50)
      .map((name) => ({ location: 'query', name: name.slice(0, 100), code, message, ...(meta && { meta }) })),
  })
}
