// Requests that Node's parser refuses never reach a route: they are answered on the bare socket, in the same form.

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from '../context.ts'
import { newId } from '../ids.ts'
import type { ErrorCode } from './error-catalogue.ts'
import { ApiError } from './errors.ts'
import { renderError } from './respond.ts'

export function answerParserError(context: Context, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAwaitingResponse(socket)) {
    socket.destroy()
    return
  }
  const requestId = newId('req')
  const { status, headers, body } = renderError(context, new ApiError(codeOf(error)), requestId)
  const lines = Object.entries({
    ...headers,
    'request-id': requestId,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  context.log.info({ request_id: requestId, status, parser_error: error.code }, 'a request could not be parsed')
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  // A peer that never closes its side is not waited for.
  setTimeout(() => socket.destroy(), 1000).unref()
}

/** An answer here would be taken for that of an earlier request on the same connection, which may well have succeeded. */
function isAwaitingResponse(socket: Socket): boolean {
  // safe because Node keeps the response under way there, and its own handler looks at it the same way
  return Boolean((socket as Socket & { _httpMessage?: object | null })._httpMessage)
}

function codeOf(error: NodeJS.ErrnoException): ErrorCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  return 'invalid_request'
}
