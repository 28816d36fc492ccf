// Requests that Node's parser refuses never reach a route: they are answered on the bare socket, in the same form.
// But only when the answer cannot be taken for that of another request on the same connection.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from '../logging.ts'
import type { ErrorCode } from '../protocol/error-catalogue.ts'
import { ApiError } from '../protocol/errors.ts'
import { newId } from '../values/ids.ts'
import type { Turns } from './pipelining.ts'
import type { RenderedResponse } from './respond.ts'
import type { SocketRefusals } from './socket-refusals.ts'

interface Parts {
  turns: Turns
  refusals?: SocketRefusals
}

type RenderError = (error: ApiError, requestId: string) => RenderedResponse

/** Gives every response of a server a Request-Id and the error shape, those included that Node would write itself. */
export function answerParserErrors(server: Server, parts: Parts, render: RenderError, log: Logger): void {
  const { isHeld } = parts.turns
  const settle = (socket: Duplex) => parts.refusals?.settle(socket)
  const isRefused = (socket: Duplex) => parts.refusals?.isRefused(socket)
  // Node drops headers beyond a number without a word; their size is bounded anyway.
  server.maxHeadersCount = 0
  // An expectation nobody knows is no reason to refuse a request.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => {
    settle(socket)
    const { pending } = conversationOf(socket)
    if (pending || isHeld(socket)) endAfter(socket, pending)
    else answer(socket, 'method_not_allowed', render, log)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { pending, message } = conversationOf(socket)
    // A head that came in half before we stopped reading is not slow: it is us who let it wait.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isHeld(socket)) return
    settle(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    // What has its answer gets no other.
    else if (isRefused(socket)) end(socket, '')
    else if (message && !message.complete) {
      // The body of a request broke: that is the answer to it, unless it has one already.
      if (pending && !pending.headersSent) answer(socket, codeOf(error), render, log)
      else socket.destroy()
    } else if (pending) endAfter(socket, pending)
    else answer(socket, codeOf(error), render, log)
  })
}

/** Behind a request that is being carried out, its answer goes out, and then the connection ends. */
function endAfter(socket: Duplex, pending: ServerResponse | undefined): void {
  if (!pending) {
    socket.destroy()
    return
  }
  pending.once('close', () => socket.destroy())
  pending.shouldKeepAlive = false
}

/** The response under way and the message being read, as Node's own handler looks them up. */
export function conversationOf(socket: Duplex): {
  pending: ServerResponse | undefined
  message: IncomingMessage | undefined
} {
  // safe because Node keeps both there, and absent ones stay undefined
  const inside = socket as Duplex & {
    _httpMessage?: ServerResponse | null
    parser?: { incoming?: IncomingMessage | null } | null
  }
  return { pending: inside._httpMessage ?? undefined, message: inside.parser?.incoming ?? undefined }
}

function answer(socket: Duplex, code: ErrorCode, render: RenderError, log: Logger): void {
  const requestId = newId('req')
  const { status, headers, body } = render(new ApiError(code), requestId)
  const lines = Object.entries({
    ...headers,
    'request-id': requestId,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  // safe because the connections of an HTTP server are sockets
  const { remoteAddress } = socket as Socket
  log.info({ request_id: requestId, status, code, client_address: remoteAddress }, 'request could not be parsed')
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  end(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}

function end(socket: Duplex, text: string): void {
  socket.end(text)
  // A peer that never closes its side is not waited for.
  setTimeout(() => socket.destroy(), 1000).unref()
}

function codeOf(error: NodeJS.ErrnoException): ErrorCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  return 'invalid_request'
}
