import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { docsUrl } from '../context.ts'
import { redactSecrets } from '../logging.ts'
import { ApiError, errorBody } from '../protocol/errors.ts'
import { errorType } from './negotiation.ts'

/** A response as it goes out, and as it is remembered for a retry. */
export interface RenderedResponse {
  status: number
  headers: Record<string, string>
  body: string
}

export function sendRendered(reply: FastifyReply, { status, headers, body }: RenderedResponse): FastifyReply {
  for (const name in headers) reply.header(name, headers[name])
  // Read from what is sent, so that an error which is replayed has its code, too.
  if (status >= 400) reply.request.error_code = JSON.parse(body).code
  return reply.code(status).send(status === 304 ? undefined : body)
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache' }

export function renderError(context: Context, error: ApiError, requestId: string, accept?: string): RenderedResponse {
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
  if (error instanceof ApiError) {
    // What is refused because there is too much of it is counted and summed up where it is refused.
    const isCounted = error.details?.some(({ code }) => code === 'overloaded') ?? false
    if (error.status === 503 && !isCounted) logReason(context, request, error.cause ?? error)
    return error
  }
  // Its sender hung up in the middle of the body: no trouble of ours, and not the database's.
  if (request.raw.destroyed && !request.raw.complete)
    return new ApiError('invalid_request', {
      message: 'The request body is incomplete: the connection ended early.',
      cause: error,
    })
  const trouble = context.database.troubleOf(error)
  if (trouble?.kind === 'unavailable' || trouble?.kind === 'collision') {
    logReason(context, request, error)
    return new ApiError('service_unavailable', { headers: { 'retry-after': '2' }, cause: error })
  }
  context.log.error({ ...aboutRequest(request), err: error }, 'unexpected error while handling a request')
  return new ApiError('internal_error', { cause: error })
}

/** Whoever gets a 503 can do nothing about its reason; whoever reads the log can. */
function logReason({ log }: Context, request: FastifyRequest, reason: unknown): void {
  log.warn(
    { ...aboutRequest(request), route: request.routeOptions.url, code: 'service_unavailable', err: reason },
    'answered 503: a part of the service is unavailable',
  )
}

/** What every line about a request begins with. */
function aboutRequest({ id, admitted, client_address }: FastifyRequest): Record<string, string | undefined> {
  return { request_id: id, portal_id: admitted?.portal_id, key_id: admitted?.key?.id, client_address }
}
