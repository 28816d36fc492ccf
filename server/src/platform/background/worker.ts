// Works through due jobs until it is stopped. Owners take turns: whoever was served longest ago comes first, and none
// may hold more than half of the places, so that one Portal's flood or hanging jobs leave room for the others.
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { claimJobs, dueOwners, type JobDefinition, runJob, scheduleRepeating } from './jobs.ts'
import type { ClaimedJob } from './lease.ts'

interface WorkerOptions {
  places?: number
  idleMs?: number
}

export function startWorker(
  context: Context,
  definitions: readonly JobDefinition[],
  metrics: Pick<Metrics, 'jobFinished'>,
  { places = 16, idleMs = 1000 }: WorkerOptions = {},
) {
  const byKind = new Map(definitions.map((definition) => [definition.kind, definition]))
  const kinds = [...byKind.keys()]
  const stopping = new AbortController()
  // Every job under way listens, and the rest of the loop.
  setMaxListeners(places + 10, stopping.signal)
  const running = new Map<Promise<void>, string>()
  const lastServed = new Map<string, number>()
  let turn = 0

  const placesOf = (owner: string) => [...running.values()].filter((one) => one === owner).length

  const start = (job: ClaimedJob) => {
    const definition = byKind.get(job.kind)
    if (!definition) return
    const work: Promise<void> = runJob(context, definition, job, stopping.signal)
      .then((outcome) => metrics.jobFinished(job.kind, outcome))
      // The lease runs out and another attempt follows.
      .catch((error) => context.log.warn({ err: error, job_id: job.id }, 'the result of a job could not be saved'))
      .finally(() => running.delete(work))
    running.set(work, job.portal_id)
  }

  /** Gives every owner its turn: one job at a time while several wait. */
  const serveOwners = async (): Promise<'look again' | 'wait for a place' | 'rest'> => {
    const owners = await dueOwners(context)
    owners.sort((a, b) => (lastServed.get(a) ?? 0) - (lastServed.get(b) ?? 0))
    let started = 0
    let isCrowded = false
    for (const owner of owners) {
      const free = Math.min(places - running.size, Math.ceil(places / 2) - placesOf(owner))
      if (free <= 0) {
        isCrowded = true
        continue
      }
      const jobs = await claimJobs(context, owner, kinds, owners.length > 1 ? 1 : free)
      if (jobs.length > 0) lastServed.set(owner, ++turn)
      for (const job of jobs) start(job)
      started += jobs.length
    }
    if (lastServed.size > 10_000) lastServed.clear()
    return started > 0 ? 'look again' : isCrowded ? 'wait for a place' : 'rest'
  }

  const loop = async () => {
    let isScheduled = false
    while (!stopping.signal.aborted) {
      let next: Awaited<ReturnType<typeof serveOwners>> = 'rest'
      try {
        if (!isScheduled) await scheduleRepeating(context, definitions)
        isScheduled = true
        next = await serveOwners()
      } catch (error) {
        context.log.warn({ err: error }, 'the worker could not read its jobs from the database')
      }
      if (next === 'look again') continue
      const pause = wait(idleMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await (next === 'wait for a place' ? Promise.race([...running.keys(), pause]) : pause)
    }
    await Promise.all(running.keys())
  }
  const ended = loop()
  return {
    /** Claims nothing more, tells the jobs under way and waits for them: they end, or give up and are due again. */
    async stop(): Promise<void> {
      stopping.abort()
      await ended
    },
  }
}
