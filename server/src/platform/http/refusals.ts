// The answer to requests that a server under too much load does not carry out: made ready once, because there may be
// thousands a second. Each is counted under its reason; the log has some of them and the number of the others.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, type Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { ApiError } from '../protocol/errors.ts'
import { newId } from '../values/ids.ts'
import type { Reason } from './gate.ts'
import { errorType } from './negotiation.ts'
import { bodyLimitBytes, pathOf } from './request-line.ts'
import { renderError } from './respond.ts'

interface Refusals {
  /** Counts one that is answered elsewhere. */
  count(reason: Reason): void
  /** Writes the whole response to a request that is refused on the bare socket, when it is sent. */
  prepare(reason: Reason, method: string, url: string, accept: string | undefined): () => string
  answer(request: IncomingMessage, response: ServerResponse, reason: Reason, isLast: boolean): void
}

export function createRefusals(context: Context, registry: Registry): Refusals {
  const counts = new Map<Reason, number>()
  new Counter({
    name: 'portico_requests_refused_total',
    help: 'Requests that were answered with 503 because there were more than the server can carry out, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    // Added up elsewhere, because its own way takes longer than the rest of the counting.
    collect() {
      for (const [reason, count] of counts) this.inc({ reason }, count)
      counts.clear()
    },
  })
  const id = newId('req')
  const { body } = renderError(context, overloaded('queue_full'), id)
  const [before = '', behind = ''] = body.split(id)
  const fields = (type: string) =>
    [
      ...['content-type', type, 'content-length', String(Buffer.byteLength(body))],
      ...['cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
    ] as const
  const headOf = (type: string) =>
    fields(type).reduce((text, part, index) => text + part + (index % 2 === 0 ? ': ' : '\r\n'), '')
  const writeAs = (head: string, requestId: string) =>
    `HTTP/1.1 503 Service Unavailable\r\nrequest-id: ${requestId}\r\nretry-after: ${retryAfter()}\r\n${head}\r\n${before}${requestId}${behind}`
  const writers = new Map<string, { head: string; write(): string }>()
  const writerOf = (type: string) => {
    let writer = writers.get(type)
    if (!writer) {
      const head = headOf(type)
      writer = { head, write: () => writeAs(head, newId('req')) }
      writers.set(type, writer)
    }
    return writer
  }
  const summary = createSummary(context)

  /** Whether this one gets a line of its own. */
  const count = (reason: Reason): boolean => {
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
    return summary.add(reason)
  }
  const tell = (reason: Reason, request_id?: string, method?: string, url = ''): void => {
    const path = request_id && pathOf(url).slice(0, 500)
    context.log.warn({ request_id, method, path, status: 503, reason }, 'overloaded: request refused')
  }

  return {
    // The request has a line of its own, like every request that got so far.
    count(reason) {
      if (count(reason)) tell(reason)
    },
    prepare(reason, method, url, accept) {
      const { head, write } = writerOf(errorType(accept))
      if (!count(reason)) return write
      const requestId = newId('req')
      tell(reason, requestId, method, url)
      return () => writeAs(head, requestId)
    },
    answer({ method = '', url = '', headers }, response, reason, isLast) {
      const requestId = newId('req')
      const lines = ['request-id', requestId, 'retry-after', retryAfter(), ...fields(errorType(headers.accept))]
      // What is to come of a file is not worth reading.
      const isLong =
        headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bodyLimitBytes
      if (isLast || isLong) lines.push('connection', 'close')
      response.writeHead(503, lines)
      response.end(before + requestId + behind)
      if (count(reason)) tell(reason, requestId, method, url)
    },
  }
}

/** The answer says nothing of the caller or its key, which nobody has looked at. */
export function overloaded(reason: Reason): ApiError {
  const message = 'The server is receiving more requests than it can process.'
  return new ApiError('service_unavailable', {
    details: [{ location: 'state', name: 'load', code: 'overloaded', message }],
    headers: { 'retry-after': retryAfter() },
    cause: reason,
  })
}

/** Spread, so that those refused together do not come back together. */
function retryAfter(): string {
  return String(1 + Math.floor(Math.random() * 3))
}

/** A line for the first few of a while, and one with the numbers at its end. */
function createSummary({ log }: Context) {
  let counts: Partial<Record<Reason, number>> | undefined
  let told = 0
  return {
    /** Whether this one gets a line of its own. */
    add(reason: Reason): boolean {
      if (!counts) {
        counts = {}
        told = 0
        setTimeout(() => {
          log.warn({ refused: counts }, `overloaded: requests refused in the last ${summaryMs / 1000} seconds`)
          counts = undefined
        }, summaryMs).unref()
      }
      counts[reason] = (counts[reason] ?? 0) + 1
      return told++ < mostTold
    },
  }
}

const summaryMs = 10_000
const mostTold = 20
