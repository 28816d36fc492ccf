// The parts of responses that operations share in the OpenAPI document: headers, and the one form of every error.
import type { Operation } from '../platform/http/operation.ts'
import { catalogueEntry, type ErrorCode } from '../platform/protocol/error-catalogue.ts'
import { ErrorBody } from '../platform/protocol/errors.ts'
import { groupBy } from '../platform/values/groups.ts'
import type { JsonSchema, SchemaCollector } from './json-schema.ts'

const text = (description: string) => ({ description, schema: { type: 'string' } })
const seconds = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

/** The components of the document, by name. */
export const responseHeaders = {
  'Request-Id': text('The id of this request. Quote it when you contact support.'),
  RateLimit: text('The remaining quota.'),
  'RateLimit-Policy': text('The quota that applies to this request.'),
  ETag: text('The strong ETag of this version.'),
  Location: text('The address of the new record.'),
  'Idempotent-Replayed': text('`true` when this is the stored response to an earlier identical request.'),
  'Retry-After': seconds('How many seconds to wait before the next attempt.'),
  'WWW-Authenticate': text(
    'The required kind of credential and, if a credential was sent, what is wrong with it (RFC 6750).',
  ),
  Allow: text('The methods that this address accepts.'),
} as const

export function header(name: keyof typeof responseHeaders): JsonSchema {
  return { $ref: `#/components/headers/${name}` }
}

/** The headers of a success. */
/** Asked by POST, answered without a record. */
function isQuestion({ method, idempotency }: Operation): boolean {
  return method === 'POST' && idempotency === 'none'
}

export function headersOf(operation: Operation): JsonSchema {
  return {
    'Request-Id': header('Request-Id'),
    RateLimit: header('RateLimit'),
    'RateLimit-Policy': header('RateLimit-Policy'),
    ...(!operation.collection && !isQuestion(operation) && { ETag: header('ETag') }),
    ...(operation.status !== 200 && { Location: header('Location') }),
    ...(operation.idempotency !== 'none' && { 'Idempotent-Replayed': header('Idempotent-Replayed') }),
  }
}

/** An entry for each status, with the codes that have it. */
export function errorResponses(errors: readonly ErrorCode[], schemas: SchemaCollector): JsonSchema {
  const schema = schemas.refer(ErrorBody, 'received')
  const groups = groupBy(new Set(errors), (code) => catalogueEntry(code).status)
  return Object.fromEntries(
    [...groups].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        headers: {
          'Request-Id': header('Request-Id'),
          ...((status === 401 || status === 403) && { 'WWW-Authenticate': header('WWW-Authenticate') }),
          ...(status === 405 && { Allow: header('Allow') }),
          ...((status === 429 || status === 503 || codes.includes('idempotency_key_in_use')) && {
            'Retry-After': header('Retry-After'),
          }),
        },
        // The same body under the name the caller asks for in Accept.
        content: { 'application/json': { schema }, 'application/problem+json': { schema } },
      },
    ]),
  )
}
