import { setTimeout as wait } from 'node:timers/promises'
import { minute } from './clock.ts'
import type { Context } from './context.ts'
import { claimJobs, type JobDefinition, runJob, scheduleRepeating } from './jobs.ts'
import type { Metrics } from './metrics.ts'

/** Works through due jobs until it is stopped; stopping waits for the jobs under way. */
export function startWorker(
  context: Context,
  definitions: readonly JobDefinition[],
  metrics: Pick<Metrics, 'jobFinished'>,
  { concurrency = 8, idleMs = 1000 } = {},
) {
  const byKind = new Map(definitions.map((definition) => [definition.kind, definition]))
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  const start = (job: Awaited<ReturnType<typeof claimJobs>>[number]) => {
    const work: Promise<void> = runJob(context, byKind, job)
      .then((outcome) => metrics.jobFinished(job.kind, outcome))
      // The lease runs out and another attempt follows.
      .catch((error) => context.log.warn({ err: error, job_id: job.id }, 'the end of a job could not be recorded'))
      .finally(() => running.delete(work))
    running.add(work)
  }

  const loop = async () => {
    let isScheduled = false
    while (!stopping.signal.aborted) {
      let claimed = 0
      try {
        if (!isScheduled) await scheduleRepeating(context, definitions)
        isScheduled = true
        const free = concurrency - running.size
        const jobs = free > 0 ? await claimJobs(context, free, leaseMs) : []
        claimed = jobs.length
        for (const job of jobs) start(job)
      } catch (error) {
        context.log.warn({ err: error }, 'the worker could not reach its jobs')
      }
      if (claimed === 0) await wait(idleMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      else await Promise.race(running)
    }
    await Promise.all(running)
  }
  const ended = loop()
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await ended
    },
  }
}

/** Longer than any job may take: parsing and deliveries have time limits well below it. */
const leaseMs = 5 * minute
