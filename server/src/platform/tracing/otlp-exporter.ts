// Sends spans to a collector: OTLP over HTTP, as JSON. A collector that is slow, away or wrong costs spans and nothing
// else: few wait, one batch is under way at a time, each has its deadline, and so has the end; what is lost is counted.
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Logger } from '../logging.ts'
import { version } from '../version.ts'
import type { TraceSettings } from './trace-settings.ts'

export type AttributeValue = string | number | undefined

export interface FinishedSpan {
  trace_id: string
  span_id: string
  parent_span_id: string | undefined
  name: string
  /** As the protocol numbers them: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: 1 | 2 | 3 | 5
  /** Milliseconds since 1970, with their fractions. */
  started_at: number
  ended_at: number
  attributes: Readonly<Record<string, AttributeValue>>
  is_failed: boolean
}

interface SpanExporter {
  add(span: FinishedSpan): void
  counts: { sent: number; dropped: number }
  /** Sends what is left, unless the collector fails or is slow. */
  close(): Promise<void>
}

export function createExporter(settings: TraceSettings, log: Logger): SpanExporter {
  const counts = { sent: 0, dropped: 0 }
  const waiting: FinishedSpan[] = []
  let sending: Promise<void> | undefined
  let isFailing = false
  let isClosed = false
  let underWay: AbortController | undefined

  const send = async (): Promise<void> => {
    const batch = waiting.splice(0, batchSize)
    const exchange = new AbortController()
    underWay = exchange
    // For the whole exchange: a timeout of the socket would see silence only.
    const deadline = setTimeout(() => exchange.abort(), settings.timeout_ms).unref()
    try {
      const rejected = await post(settings, JSON.stringify(messageOf(settings, batch)), exchange.signal)
      const lost = Math.min(rejected, batch.length)
      counts.sent += batch.length - lost
      counts.dropped += lost
      isFailing = false
    } catch (error) {
      counts.dropped += batch.length
      // Once, and not for every batch: the metric says how many.
      if (!isFailing)
        log.warn({ err: error }, 'traces cannot be sent; spans are dropped until the collector accepts them')
      isFailing = true
    } finally {
      clearTimeout(deadline)
    }
  }
  const sendOne = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = undefined
      if (waiting.length >= batchSize && !isClosed) void sendOne()
    })
    return sending
  }
  const timer = setInterval(() => {
    if (waiting.length > 0) void sendOne()
  }, everyMs).unref()
  return {
    counts,
    add(span) {
      if (waiting.length >= mostWaiting) {
        counts.dropped++
        return
      }
      waiting.push(span)
      if (waiting.length === batchSize) void sendOne()
    },
    async close() {
      clearInterval(timer)
      isClosed = true
      // A process that stops has requests to finish within its time, and spans are no reason to be killed.
      const closing = setTimeout(() => {
        counts.dropped += waiting.splice(0).length
        underWay?.abort()
      }, closingMs)
      await sending
      while (waiting.length > 0 && !isFailing) await sendOne()
      clearTimeout(closing)
      counts.dropped += waiting.splice(0).length
    },
  }
}

const mostWaiting = 2048
const batchSize = 512
const everyMs = 5000
/** For all that is left, however many batches. */
const closingMs = 2000
const mostAnswerBytes = 64 * 1024

/** How many spans the collector says it has refused. */
function post({ url, headers }: TraceSettings, body: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const { statusCode = 0 } = response
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > mostAnswerBytes) response.destroy(new Error('the collector sent a very long answer'))
      })
      response.on('error', reject)
      response.on('end', () => {
        if (statusCode >= 200 && statusCode < 300) resolve(rejectedOf(text))
        else reject(new Error(`the collector responded with status ${statusCode}`))
      })
    })
    request.end(body)
  })
}

function rejectedOf(text: string): number {
  try {
    const rejected = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
  } catch {
    return 0 // An answer without a body, or not in JSON: the status is enough.
  }
}

function messageOf({ resource }: TraceSettings, spans: readonly FinishedSpan[]) {
  const scope = { name: 'portico', version }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.version': version, ...resource }) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(span: FinishedSpan) {
  const { trace_id, span_id, parent_span_id, name, kind, started_at, ended_at, attributes, is_failed } = span
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_span_id !== undefined && { parentSpanId: parent_span_id }),
    name,
    kind,
    startTimeUnixNano: nanosecondsOf(started_at),
    endTimeUnixNano: nanosecondsOf(ended_at),
    attributes: attributesOf(attributes),
    status: is_failed ? { code: 2 } : {},
  }
}

function attributesOf(attributes: Readonly<Record<string, AttributeValue>>) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

/** Integers of 64 bits are texts in the JSON of the protocol. */
function anyValue(value: string | number) {
  return typeof value === 'number'
    ? { intValue: String(Math.round(value)) }
    : { stringValue: value.slice(0, longestText) }
}

/** As a text: a number could not hold it. */
function nanosecondsOf(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, '0')}`
}

const longestText = 500
