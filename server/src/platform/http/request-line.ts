// What can be told from the first line and the headers of a request, before anything else.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../protocol/errors.ts'

export const bodyLimitBytes = 1024 * 1024
const addressLimitBytes = 8 * 1024
const headersLimitBytes = 16 * 1024
/** What Node reads at the most: the address and the headers together, so that each can be refused under its own name. */
export const headLimitBytes = 96 * 1024

/** What is wrong with the size or the form of a request's head, if anything. */
export function headProblem(request: FastifyRequest): ApiError | undefined {
  const { url, headers, raw } = request
  if (url.length > addressLimitBytes) return new ApiError('uri_too_long')
  let bytes = 0
  let hosts = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i] ?? ''
    bytes += name.length + (raw.rawHeaders[i + 1]?.length ?? 0) + 4
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (bytes > headersLimitBytes) return new ApiError('headers_too_large')
  if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) {
    return new ApiError('invalid_request', { message: 'An HTTP/1.1 request must have exactly one Host header.' })
  }
  const length = headers['content-length']
  // Asked for only with a body: the options of a route are put together anew each time.
  if (length !== undefined && Number(length) > request.routeOptions.bodyLimit) return payloadTooLarge()
  return undefined
}

export function payloadTooLarge(): ApiError {
  const detail = {
    location: 'body',
    pointer: '',
    code: 'payload_too_large',
    message: 'The body must be at most 1 MiB.',
    meta: { limit_bytes: bodyLimitBytes },
  } as const
  return new ApiError('payload_too_large', { message: 'The request body is larger than 1 MiB.', details: [detail] })
}

export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

export function queryStringOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
