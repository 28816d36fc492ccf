// What one process tells the next of a trace, in the form of W3C Trace Context: `00-<trace>-<span>-<flags>`.
import { randomBytes } from 'node:crypto'

export interface SpanContext {
  trace_id: string
  span_id: string
  is_sampled: boolean
}

/** Undefined for anything that is not exactly what the standard allows: the trace then begins here. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  if (typeof header !== 'string' || header.length > longest) return undefined
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header)
  const [, version, trace_id = '', span_id = '', flags = '', more] = match ?? []
  if (!match || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return undefined
  return { trace_id, span_id, is_sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceparent({ trace_id, span_id, is_sampled }: SpanContext): string {
  return `00-${trace_id}-${span_id}-${is_sampled ? '01' : '00'}`
}

export const newTraceId = () => randomBytes(16).toString('hex')
export const newSpanId = () => randomBytes(8).toString('hex')

/** A later version may have more at its end, but not without bound. */
const longest = 256
