// Works through due jobs until it is stopped. Owners take turns: whoever was served longest ago comes first, and none
// may hold more than half of the places, so that one Portal's flood or hanging jobs leave room for the others. A kind that
// mostly waits may have places of its own number (`most_at_once`), and leaves the rest to other kinds.
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { claimJobs, dueOwners, type JobDefinition, scheduleRepeating } from './jobs.ts'
import type { ClaimedJob } from './lease.ts'
import { runJob } from './run-job.ts'

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
  const running = new Map<Promise<void>, ClaimedJob>()
  const lastServed = new Map<string, number>()
  let turn = 0
  /** When it last saw its queue. */
  let lookedAt = performance.now()

  /** How many more of so many places an owner may have, counting the jobs that `isMeant` says. */
  const roomIn = (most: number, owner: string, isMeant: (job: ClaimedJob) => boolean): number => {
    const taken = [...running.values()].filter(isMeant)
    return Math.min(
      most - taken.length,
      Math.ceil(most / 2) - taken.filter(({ portal_id }) => portal_id === owner).length,
    )
  }
  const roomOf = (kind: string, owner: string): number => {
    const most = byKind.get(kind)?.most_at_once
    return most === undefined ? Number.POSITIVE_INFINITY : roomIn(most, owner, (job) => job.kind === kind)
  }

  const start = (job: ClaimedJob) => {
    const definition = byKind.get(job.kind)
    if (!definition) return
    const work: Promise<void> = runJob(context, definition, job, stopping.signal)
      .then((outcome) => metrics.jobFinished(job.kind, outcome))
      // The lease runs out and another attempt follows.
      .catch((error) =>
        context.log.warn(
          { err: error, job_id: job.id, request_id: job.request_id ?? undefined },
          'the result of a job could not be saved',
        ),
      )
      .finally(() => running.delete(work))
    running.set(work, job)
  }

  /** Gives every owner its turn: one job at a time while several wait. */
  const serveOwners = async (): Promise<'look again' | 'wait for a place' | 'rest'> => {
    const owners = await dueOwners(context)
    owners.sort((a, b) => (lastServed.get(a) ?? 0) - (lastServed.get(b) ?? 0))
    let started = 0
    let isCrowded = false
    for (const owner of owners) {
      // What was given up just now is for the next worker.
      if (stopping.signal.aborted) break
      const open = kinds.filter((kind) => roomOf(kind, owner) > 0)
      // All that is claimed may be of one kind.
      const free = Math.min(
        roomIn(places, owner, () => true),
        ...open.map((kind) => roomOf(kind, owner)),
      )
      if (open.length < kinds.length || free <= 0) isCrowded = true
      if (open.length === 0 || free <= 0) continue
      const jobs = await claimJobs(context, owner, open, owners.length > 1 ? 1 : free)
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
        lookedAt = performance.now()
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
    /** Whether it still looks for work: one that hangs, or has no database, does not. */
    isWorking: () => performance.now() - lookedAt < missedMs,
    /** Claims nothing more, tells the jobs under way and waits for them: they end, or give up and are due again. */
    async stop(): Promise<void> {
      stopping.abort()
      await ended
    },
  }
}

/** It looks every second, unless it waits for the database. */
const missedMs = 30 * second
