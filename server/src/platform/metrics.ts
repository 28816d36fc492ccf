import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createRequestDurations } from './request-durations.ts'

export interface RequestMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void
}

export interface Metrics extends RequestMetrics {
  jobFinished(kind: string, outcome: 'done' | 'failed' | 'dead' | 'returned' | 'lost'): void
  registry: Registry
}

export function createMetrics(lostLogLines: () => number = () => 0): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'portico_' })
  const observe = createRequestDurations(registry)
  const jobs = new Counter({
    name: 'portico_jobs_total',
    help: 'Finished jobs by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  new Gauge({ name: 'portico_up', help: 'Always 1 while the process runs.', registers: [registry] }).set(1)
  new Counter({
    name: 'portico_log_lines_lost_total',
    help: 'Log lines that could not be written.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(lostLogLines())
    },
  })
  return {
    registry,
    observe,
    jobFinished: (kind, outcome) => jobs.inc({ kind, outcome }),
  }
}
