import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface RequestMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void
}

export interface Metrics extends RequestMetrics {
  jobFinished(kind: string, outcome: 'done' | 'failed' | 'dead'): void
  registry: Registry
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'portico_' })
  const requests = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const jobs = new Counter({
    name: 'portico_jobs_total',
    help: 'Jobs that ended, by outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  new Gauge({ name: 'portico_up', help: 'Always 1 while the process runs.', registers: [registry] }).set(1)
  return {
    registry,
    observe: (method, route, status, durationMs) => requests.observe({ method, route, status }, durationMs / 1000),
    jobFinished: (kind, outcome) => jobs.inc({ kind, outcome }),
  }
}
