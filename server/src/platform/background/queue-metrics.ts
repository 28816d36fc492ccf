import type { Registry } from 'prom-client'
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import { addReadGauge } from '../read-gauges.ts'
import { countJobs, mostCounted, oldestDueJob } from './queue-depth.ts'

/** What waits in the whole deployment, read by every process: the one that should work may be the one that is gone. */
export function addQueueMetrics(context: Context, registry: Registry): void {
  const { log } = context
  addReadGauge(registry, log, {
    name: 'portico_jobs_queued',
    help: `Background jobs by kind and state: due, running, scheduled, dead. At most ${mostCounted} are counted.`,
    labels: ['kind', 'state'],
    read: async () => (await countJobs(context)).map(({ count: value, ...labels }) => ({ labels, value })),
  })
  addReadGauge(registry, log, {
    name: 'portico_jobs_oldest_due_seconds',
    help: 'How long the oldest due background job has waited for a worker.',
    read: async () => [{ value: (await oldestDueJob(context)) / second }],
  })
}
