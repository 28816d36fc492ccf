// Background work, written in the transaction that asks for it and done at least once.
// A worker claims a job by moving its run_at beyond a lease and writing a token; it may finish only while the token is
// its own, so a worker that was presumed dead cannot disturb its successor. A job that fails waits longer each time
// and after its last attempt is kept as dead for a person to look at. Portals take turns: one Portal's flood does not
// hold up another's work.
import { sql } from 'kysely'
import { day, isoTime, minute, second } from './clock.ts'
import type { Context } from './context.ts'
import type { Tx } from './database/database.ts'
import { newId } from './ids.ts'

export interface JobDefinition {
  kind: string
  /** For work that repeats by itself; such a job belongs to the deployment, not to a Portal. */
  every_ms?: number
  maximum_attempts?: number
  run(context: Context, job: { portal_id: string; payload: Readonly<Record<string, unknown>> }): Promise<void>
}

/** The owner of work that belongs to no Portal. */
export const deployment = 'ptl_00000000000000000000000000'

export async function enqueue(
  tx: Tx,
  context: Context,
  job: { portal_id: string; kind: string; payload?: Record<string, unknown>; run_at?: number; unique_key?: string },
): Promise<void> {
  const now = context.clock.now()
  await tx
    .insertInto('jobs')
    .values({
      portal_id: job.portal_id,
      id: newId('job'),
      kind: job.kind,
      unique_key: job.unique_key ?? null,
      payload: JSON.stringify(job.payload ?? {}),
      run_at: isoTime(job.run_at ?? now),
      created_at: isoTime(now),
      lease: null,
      last_error: null,
      dead_at: null,
    })
    .onConflict((conflict) => conflict.columns(['portal_id', 'unique_key']).doNothing())
    .execute()
}

export interface ClaimedJob {
  portal_id: string
  id: string
  kind: string
  payload: Record<string, unknown>
  attempts: number
  lease: string
}

/** Up to `limit` due jobs, the Portals in turn. */
export async function claimJobs(context: Context, limit: number, leaseMs: number): Promise<ClaimedJob[]> {
  const { database, clock } = context
  const now = isoTime(clock.now())
  const due = await database.read
    .selectFrom('jobs')
    .select('portal_id')
    .where('dead_at', 'is', null)
    .where('run_at', '<=', now)
    .groupBy('portal_id')
    .orderBy(sql`min(run_at)`)
    .limit(limit)
    .execute()
  const share = Math.max(1, Math.floor(limit / Math.max(1, due.length)))
  const claimed: ClaimedJob[] = []
  for (const { portal_id } of due) {
    const lease = newId('lease')
    const rows = await database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set((eb) => ({ lease, run_at: isoTime(clock.now() + leaseMs), attempts: eb('attempts', '+', 1) }))
        .where('portal_id', '=', portal_id)
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('jobs')
            .select('id')
            .where('portal_id', '=', portal_id)
            .where('dead_at', 'is', null)
            .where('run_at', '<=', now)
            .orderBy('run_at')
            .orderBy('id')
            .limit(share)
            .modifyEnd(database.skipLocked),
        )
        .returning(['portal_id', 'id', 'kind', 'payload', 'attempts'])
        .execute(),
    )
    claimed.push(...rows.map((row) => ({ ...row, lease })))
  }
  return claimed
}

/** Runs a claimed job to its end. Never throws for a failing job: that is recorded on the job itself. */
export async function runJob(
  context: Context,
  definitions: ReadonlyMap<string, JobDefinition>,
  job: ClaimedJob,
): Promise<'done' | 'failed' | 'dead'> {
  const { database, clock, log } = context
  const definition = definitions.get(job.kind)
  const own = (tx: Tx) =>
    tx
      .updateTable('jobs')
      .where('portal_id', '=', job.portal_id)
      .where('id', '=', job.id)
      .where('lease', '=', job.lease)
  try {
    if (!definition) throw new Error(`no definition for jobs of kind ${job.kind}`)
    await definition.run(context, job)
    await database.transaction(async (tx) => {
      if (definition.every_ms === undefined) {
        await tx
          .deleteFrom('jobs')
          .where('portal_id', '=', job.portal_id)
          .where('id', '=', job.id)
          .where('lease', '=', job.lease)
          .execute()
      } else {
        await own(tx)
          .set({ lease: null, attempts: 0, last_error: null, run_at: isoTime(clock.now() + definition.every_ms) })
          .execute()
      }
    })
    return 'done'
  } catch (error) {
    const isDead = definition?.every_ms === undefined && job.attempts >= (definition?.maximum_attempts ?? 10)
    log[isDead ? 'error' : 'warn'](
      { err: error, job_id: job.id, kind: job.kind, attempts: job.attempts },
      isDead ? 'a job failed for the last time' : 'a job failed and will be tried again',
    )
    const last_error = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    await database.transaction(async (tx) => {
      await own(tx)
        .set({
          lease: null,
          last_error,
          run_at: isoTime(clock.now() + backoffMs(job.attempts)),
          ...(isDead && { dead_at: isoTime(clock.now()) }),
        })
        .execute()
    })
    return isDead ? 'dead' : 'failed'
  }
}

/** 5 s, 10 s, 20 s … up to an hour, with up to a fifth more so that failures do not march in step. */
export function backoffMs(attempts: number, random = Math.random()): number {
  return Math.min(60 * minute, 5 * second * 2 ** (attempts - 1)) * (1 + random / 5)
}

/** Makes sure that every repeating job stands in the table once. */
export async function scheduleRepeating(context: Context, definitions: Iterable<JobDefinition>): Promise<void> {
  for (const { kind, every_ms } of definitions) {
    if (every_ms !== undefined)
      await context.database.transaction((tx) =>
        enqueue(tx, context, { portal_id: deployment, kind, unique_key: kind }),
      )
  }
}

/** Dead jobs stay for a person to see, but not for ever. */
export const deadJobsKeptMs = 30 * day
