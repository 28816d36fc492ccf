import type { Registry } from 'prom-client'
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import { addReadGauge } from '../read-gauges.ts'
import type { JobDefinition } from './jobs.ts'
import { countDeadJobs, countWaitingJobs, mostCounted, oldestDueJob } from './queue-depth.ts'
import { listRepeating } from './repeating-jobs.ts'

/** What waits in the whole deployment, read by every process: the one that should work may be the one that is gone. */
export function addQueueMetrics(context: Context, registry: Registry, known: readonly JobDefinition[]): void {
  const { database, log } = context
  const readDead = seldomIfSlow(() => countDeadJobs(context))
  addReadGauge(registry, log, {
    name: 'portico_jobs_queued',
    help: `Background jobs by kind and state: due, running, scheduled, dead. At most ${mostCounted} that wait and ${mostCounted} dead ones are counted.`,
    labels: ['kind', 'state'],
    read: async () =>
      [...(await countWaitingJobs(context)), ...(await readDead())].map(({ count: value, ...labels }) => ({
        labels,
        value,
      })),
  })
  addReadGauge(registry, log, {
    name: 'portico_jobs_oldest_due_seconds',
    help: 'How long the oldest due background job has waited for a worker.',
    read: async () => [{ value: (await oldestDueJob(context, known)) / second }],
  })
  addReadGauge(registry, log, {
    name: 'portico_jobs_repeating_failures',
    help: 'How often each job that repeats by itself has failed since it last succeeded.',
    labels: ['kind'],
    read: async () =>
      (await listRepeating(database.read, known)).map(({ kind, failures: value }) => ({ labels: { kind }, value })),
  })
}

/** Takes at most a hundredth of the time: what was slow is asked again only after a while, and known until then. */
function seldomIfSlow<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { found: T; until: number } | undefined
  return async () => {
    const begun = performance.now()
    if (last && begun < last.until) return last.found
    const found = await read()
    const now = performance.now()
    last = { found, until: now + 100 * Math.max(0, now - begun - quickMs) }
    return found
  }
}

const quickMs = 20
