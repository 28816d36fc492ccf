import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createRequestDurations } from './request-durations.ts'

interface RequestMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void
}

export interface Metrics extends RequestMetrics {
  jobFinished(kind: string, outcome: 'done' | 'failed' | 'dead' | 'returned' | 'lost'): void
  /** How far the clock of the machine is from Portico's own time. */
  clockSeen(differenceMs: number, isDoubted: boolean): void
  clockJumped(): void
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
  const clock = {
    difference: new Gauge({
      name: 'portico_clock_difference_seconds',
      help: "How far the clock of the machine is ahead of Portico's own time. Negative: behind.",
      registers: [registry],
    }),
    isDoubted: new Gauge({
      name: 'portico_clock_doubted',
      help: '1 while the clock has jumped and is not believed: nothing expires and nothing is deleted.',
      registers: [registry],
    }),
    jumps: new Counter({
      name: 'portico_clock_jumps_total',
      help: 'Jumps of the clock that this process has noticed.',
      registers: [registry],
    }),
  }
  return {
    clockSeen(differenceMs, isDoubted) {
      clock.difference.set(Math.round(differenceMs / 1000))
      clock.isDoubted.set(isDoubted ? 1 : 0)
    },
    clockJumped: () => clock.jumps.inc(),
    registry,
    observe,
    jobFinished: (kind, outcome) => jobs.inc({ kind, outcome }),
  }
}
