import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { docsUrl } from '../context.ts'
import { redactSecrets } from '../logging.ts'
import { ApiError, errorBody } from './errors.ts'
import type { StoredResponse } from './idempotency.ts'
import { errorType } from './negotiation.ts'

export function sendStored(reply: FastifyReply, { status, headers, body }: StoredResponse): FastifyReply {
  for (const name in headers) reply.header(name, headers[name])
  return reply.code(status).send(body)
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache' }

export function renderError(context: Context, error: ApiError, requestId: string, accept?: string): StoredResponse {
  const headers: Record<string, string> = {
    'content-type': errorType(accept),
    'cache-control': 'no-store',
    ...error.headers,
  }
  return {
    status: error.status,
    headers,
    // A caller's own words are named back to it, but never a key that slipped into them.
    body: redactSecrets(JSON.stringify(errorBody(error, requestId, docsUrl(context.config, '')))),
  }
}

/** Turns whatever was thrown into an answer of the catalogue; what nobody foresaw is logged and becomes a 500. */
export function toApiError(context: Context, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const trouble = context.database.troubleOf(error)
  if (trouble?.kind === 'unavailable' || trouble?.kind === 'collision') {
    context.log.warn({ request_id: request.id, err: error }, 'the database could not answer')
    return new ApiError('service_unavailable', { headers: { 'retry-after': '2' }, cause: error })
  }
  context.log.error({ request_id: request.id, err: error }, 'a request failed unexpectedly')
  return new ApiError('internal_error', { cause: error })
}
