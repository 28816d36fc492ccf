// Everything that can be decided before the body is read, in the order the interface promises:
// key → rate → grant → media type → query → required headers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type Authenticator, type Principal, requireGrant } from '../protocol/authentication.ts'
import { ApiError, type ErrorDetail } from '../protocol/errors.ts'
import { type IfMatch, parseIfMatch } from '../protocol/etag.ts'
import { counted } from '../values/counted.ts'
import { parseIdempotencyKey } from './idempotency.ts'
import { acceptsJson, isJsonType } from './negotiation.ts'
import type { Operation } from './operation.ts'
import { createQueryReader } from './query-parameters.ts'
import { policyHeader, type RateDecision, type RateLimiter, remainingHeader } from './rate-limit.ts'
import { headerOf, queryStringOf } from './request-line.ts'

/** A request that may go on to its body and its handler. */
export interface Admission {
  principal: Principal
  query: Record<string, unknown>
  query_string: string
  idempotency_key: string | undefined
  if_match_header: string
  if_match: IfMatch | null
}

export interface AdmissionParts {
  context: Context
  authenticator: Authenticator
  rateLimiter: RateLimiter
}

export function createAdmission(operation: Operation, { context, authenticator, rateLimiter }: AdmissionParts) {
  const readQuery = createQueryReader(operation.query)

  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    decision: RateDecision | undefined,
  ): Admission => {
    if (decision) countRate(reply, operation, principal, decision)
    requireGrant(principal, operation.grant)
    requireMediaTypes(request, operation)
    const queryString = queryStringOf(request.url)
    const query = readQuery(queryString)
    const idempotency_key =
      operation.idempotency === 'none' ? undefined : parseIdempotencyKey(headerOf(request, 'idempotency-key'))
    const if_match_header = headerOf(request, 'if-match')
    requireHeaders(operation, idempotency_key, if_match_header)
    const if_match = operation.ifMatch && if_match_header !== undefined ? parseIfMatch(if_match_header) : null
    return {
      principal,
      query,
      query_string: queryString,
      idempotency_key,
      if_match_header: if_match_header ?? '',
      if_match,
    }
  }

  /** Answers at once when the key is remembered and rates are counted in memory, which is nearly always. */
  return (request: FastifyRequest, reply: FastifyReply): Admission | Promise<Admission> => {
    const withPrincipal = (principal: Principal): Admission | Promise<Admission> => {
      // Before anything refuses it: the log names the key of a refused request, too.
      request.admitted = principal
      if (!context.config.rate_limits) return admit(request, reply, principal, undefined)
      const decision = rateLimiter.take(principal.key.id, operation.rate, principal.rate_limits[operation.rate])
      return decision instanceof Promise
        ? decision.then((taken) => admit(request, reply, principal, taken))
        : admit(request, reply, principal, decision)
    }
    const principal = authenticator.authenticate(request.headers.authorization)
    return principal instanceof Promise ? principal.then(withPrincipal) : withPrincipal(principal)
  }
}

function countRate(reply: FastifyReply, operation: Operation, principal: Principal, decision: RateDecision): void {
  const limit = principal.rate_limits[operation.rate]
  reply.header('ratelimit-policy', policyHeader(operation.rate, limit))
  reply.header('ratelimit', remainingHeader(operation.rate, decision))
  if (decision.isAllowed) return
  throw new ApiError('rate_limited', {
    message: `Rate limit exceeded: this API key can send ${counted(limit.quota, `${operation.rate} request`)} in ${counted(limit.window_seconds, 'second')}. Retry in ${counted(decision.retry_seconds, 'second')}.`,
    details: [
      {
        location: 'header',
        name: 'Authorization',
        code: 'rate_limited',
        message: `The ${operation.rate} quota of this API key is used up.`,
        meta: {
          policy: operation.rate,
          limit: limit.quota,
          window_seconds: limit.window_seconds,
          retry_after_seconds: decision.retry_seconds,
        },
      },
    ],
    headers: { 'retry-after': String(decision.retry_seconds) },
  })
}

/** Missing headers are reported together; the first one decides the error code. */
function requireHeaders(operation: Operation, idempotencyKey: string | undefined, ifMatch: string | undefined): void {
  const missing: ErrorDetail[] = []
  const add = (name: string, message: string) => missing.push({ location: 'header', name, code: 'required', message })
  const isKeyMissing = operation.idempotency === 'required' && idempotencyKey === undefined
  if (isKeyMissing) add('Idempotency-Key', 'Idempotency-Key is required for this request.')
  if (operation.ifMatch && ifMatch === undefined) {
    add('If-Match', 'If-Match is required for every change to an existing record.')
  }
  if (missing.length === 0) return
  throw new ApiError(isKeyMissing ? 'idempotency_key_required' : 'precondition_required', { details: missing })
}

function requireMediaTypes(request: FastifyRequest, operation: Operation): void {
  const { headers } = request
  const hasBody =
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  if (hasBody) {
    if (operation.method === 'GET')
      throw new ApiError('invalid_request', { message: 'A GET request must not have a body.' })
    const type = headers['content-type']
    const isEncoded = (headers['content-encoding'] ?? 'identity') !== 'identity'
    // A chunked body may turn out to be empty, and then needs no type: that is seen when it has been read.
    const isUndecided = type === undefined && headers['transfer-encoding'] !== undefined
    if (isEncoded) throw unsupportedMediaType('Content-Encoding')
    if (!isUndecided && (type === undefined || !isJsonType(type))) throw unsupportedMediaType('Content-Type')
  }
  if (!acceptsJson(headers.accept)) {
    throw new ApiError('not_acceptable', {
      details: [
        {
          location: 'header',
          name: 'Accept',
          code: 'not_acceptable',
          message: 'Accept must allow application/json. You can also omit the header.',
          meta: { available: ['application/json'] },
        },
      ],
    })
  }
}

export function unsupportedMediaType(name: 'Content-Type' | 'Content-Encoding'): ApiError {
  return new ApiError('unsupported_media_type', {
    headers: { accept: 'application/json' },
    details: [
      {
        location: 'header',
        name,
        code: 'unsupported_media_type',
        message: 'The body must be uncompressed JSON with Content-Type: application/json.',
        meta: { supported: ['application/json'] },
      },
    ],
  })
}
