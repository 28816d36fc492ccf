// Spans of one process. Which one is under way is known by the chain of calls (AsyncLocalStorage), which costs something:
// nothing here is loaded unless traces are on.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Registry } from 'prom-client'
import { Counter } from 'prom-client'
import type { Logger } from '../logging.ts'
import { type AttributeValue, createExporter, type FinishedSpan } from './otlp-exporter.ts'
import { formatTraceparent, newSpanId, newTraceId, parseTraceparent, type SpanContext } from './span-context.ts'
import type { Sampler, TraceSettings } from './trace-settings.ts'

type Attributes = Record<string, AttributeValue>

/** A part of a trace that has begun. */
export interface Span extends SpanContext {
  end(name: string, attributes: Attributes, isFailed?: boolean): void
}

export interface Tracer {
  /** Begins a span under the one that `traceparent` names, or as the first of a trace. */
  begin(kind: FinishedSpan['kind'], traceparent: unknown): Span
  /** What is called by `work` belongs to the span. */
  within<T>(span: Span, work: () => T): T
  /** Notes what has just ended, under the span that is under way; nothing without one, unless it may stand alone. */
  note(
    kind: FinishedSpan['kind'],
    name: string,
    milliseconds: number,
    attributes: Attributes,
    how?: { isFailed?: boolean; isAlone?: boolean },
  ): void
  /** To hand on to whoever continues the trace. */
  traceparent(): string | undefined
  addMetrics(registry: Registry): void
  close(): Promise<void>
}

export function createTracer(settings: TraceSettings, log: Logger): Tracer {
  const exporter = createExporter(settings, log)
  const current = new AsyncLocalStorage<Span>()
  const beginUnder = (kind: FinishedSpan['kind'], parent: SpanContext | undefined, started_at: number): Span => {
    const trace_id = parent?.trace_id ?? newTraceId()
    const span_id = newSpanId()
    const is_sampled = isSampled(settings.sampler, trace_id, parent)
    return {
      trace_id,
      span_id,
      is_sampled,
      end(name, attributes, is_failed = false) {
        const ids = { trace_id, span_id, parent_span_id: parent?.span_id }
        if (is_sampled) exporter.add({ ...ids, name, kind, started_at, ended_at: now(), attributes, is_failed })
      },
    }
  }
  return {
    begin: (kind, traceparent) => beginUnder(kind, parseTraceparent(traceparent), now()),
    within: (span, work) => current.run(span, work),
    note(kind, name, milliseconds, attributes, { isFailed = false, isAlone = false } = {}) {
      const parent = current.getStore()
      if (!parent && !isAlone) return
      beginUnder(kind, parent, now() - milliseconds).end(name, attributes, isFailed)
    },
    traceparent() {
      const span = current.getStore()
      return span && formatTraceparent(span)
    },
    addMetrics(registry) {
      new Counter({
        name: 'portico_trace_spans_total',
        help: 'Spans of traces that were sent to the collector, and those that were dropped.',
        labelNames: ['outcome'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [outcome, count] of Object.entries(exporter.counts)) this.inc({ outcome }, count)
        },
      })
    },
    close: exporter.close,
  }
}

/** By the digits of the trace, so that every process decides alike. */
function isSampled({ ratio, isParentBased }: Sampler, traceId: string, parent: SpanContext | undefined): boolean {
  if (parent && isParentBased) return parent.is_sampled
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}

/** With fractions of a millisecond, and never backwards. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
