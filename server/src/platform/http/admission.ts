// Everything that can be decided before the body is read, in the order the interface promises:
// key → rate → grant → media type → query → required headers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type Authenticator, type Principal, requireGrant } from './authentication.ts'
import { ApiError } from './errors.ts'
import { type IfMatch, parseIfMatch } from './etag.ts'
import { parseIdempotencyKey } from './idempotency.ts'
import { acceptsJson } from './negotiation.ts'
import type { Operation } from './operation.ts'
import { checkParameters, parseQuery } from './query-parameters.ts'
import { policyHeader, type RateDecision, type RateLimiter, remainingHeader } from './rate-limit.ts'
import { checkQuery } from './validation.ts'

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
  const allowedParameters = Object.keys(operation.query.properties)
  const check = checkQuery(operation.query)

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
    const query: Record<string, unknown> = parseQuery(queryString, allowedParameters)
    if (queryString !== '') checkParameters(query, check)
    const idempotency_key =
      operation.method === 'GET' ? undefined : parseIdempotencyKey(headerOf(request, 'idempotency-key'))
    if (operation.method === 'POST' && idempotency_key === undefined) {
      throw new ApiError('idempotency_key_required', {
        details: [
          {
            location: 'header',
            name: 'Idempotency-Key',
            code: 'required',
            message: 'This header is required on every POST.',
          },
        ],
      })
    }
    const if_match_header = headerOf(request, 'if-match')
    if (operation.ifMatch && if_match_header === undefined) {
      throw new ApiError('precondition_required', {
        details: [
          {
            location: 'header',
            name: 'If-Match',
            code: 'required',
            message: 'This header is required for every change of an existing record.',
          },
        ],
      })
    }
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

export const bodyLimitBytes = 1024 * 1024
const uriLimitBytes = 8 * 1024

/** What can be told of a request's size before its body is read. */
export function sizeProblem(request: FastifyRequest): ApiError | undefined {
  if (request.url.length > uriLimitBytes) return new ApiError('uri_too_long')
  if (Number(request.headers['content-length']) > bodyLimitBytes) return payloadTooLarge()
  return undefined
}

export function payloadTooLarge(): ApiError {
  return new ApiError('payload_too_large', {
    message: 'The body is larger than 1 MiB.',
    details: [
      {
        location: 'body',
        pointer: '',
        code: 'payload_too_large',
        message: 'Send at most 1 MiB.',
        meta: { limit_bytes: bodyLimitBytes },
      },
    ],
  })
}

export function queryStringOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function countRate(reply: FastifyReply, operation: Operation, principal: Principal, decision: RateDecision): void {
  const limit = principal.rate_limits[operation.rate]
  reply.header('ratelimit-policy', policyHeader(operation.rate, limit))
  reply.header('ratelimit', remainingHeader(operation.rate, decision))
  if (decision.isAllowed) return
  throw new ApiError('rate_limited', {
    message: `This key may send ${limit.quota} ${operation.rate} requests in ${limit.window_seconds} seconds. Wait ${decision.retry_seconds} seconds.`,
    details: [
      {
        location: 'header',
        name: 'Authorization',
        code: 'rate_limited',
        message: 'The bucket of this key is empty.',
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

function requireMediaTypes(request: FastifyRequest, operation: Operation): void {
  const { headers } = request
  const hasBody =
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  if (hasBody) {
    if (operation.method === 'GET') throw new ApiError('invalid_request', { message: 'A GET request has no body.' })
    const type = headers['content-type']
    if (type === undefined || !jsonType.test(type) || headers['content-encoding'] !== undefined) {
      throw new ApiError('unsupported_media_type', {
        headers: { accept: 'application/json' },
        details: [
          {
            location: 'header',
            name: headers['content-encoding'] === undefined ? 'Content-Type' : 'Content-Encoding',
            code: 'unsupported_media_type',
            message: 'Send application/json, uncompressed.',
            meta: { supported: ['application/json'] },
          },
        ],
      })
    }
  }
  if (!acceptsJson(headers.accept)) {
    throw new ApiError('not_acceptable', {
      details: [
        {
          location: 'header',
          name: 'Accept',
          code: 'not_acceptable',
          message: 'Accept application/json, or leave the header out.',
          meta: { available: ['application/json'] },
        },
      ],
    })
  }
}

const jsonType = /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i
