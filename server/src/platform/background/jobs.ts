// Background work, written in the transaction that asks for it and done at least once.
// A worker claims a job by moving its run_at beyond a short lease and writing a token, and renews the lease while it
// works. All processes judge leases by one clock (`timeIn`). What a job writes is committed only while the token is its
// own (lease.ts), so a worker that was presumed dead cannot disturb its successor. A job that fails waits longer each time
// and after its last attempt is kept as dead for a person to look at (run-job.ts). The worker lets Portals take turns
// (worker.ts).
import { sql } from 'kysely'
import { day, isoTime } from '../clock.ts'
import type { Caller, Context } from '../context.ts'
import type { Tx } from '../database/database.ts'
import { newId } from '../values/ids.ts'
import { type ClaimedJob, leaseMs } from './lease.ts'

export interface JobDefinition {
  kind: string
  /** For work that repeats by itself; such a job belongs to the deployment, not to a Portal. */
  every_ms?: number
  maximum_attempts?: number
  /** How long to wait after each failed attempt; the last wait repeats. */
  waits_ms?: readonly number[]
  timeout_ms?: number
  /** How many may run at once in a process, half of them for one Portal: for what waits more than it works. */
  most_at_once?: number
  /** For what expires or deletes because time has passed: such a job waits while the clock is doubted. */
  needs_clock?: true
  run(context: Context, job: RunningJob): Promise<void>
  /** Runs after the last attempt has failed, to record the failure where the work was requested. */
  giveUp?(context: Context, job: Omit<RunningJob, 'signal'>): Promise<void>
}

export interface RunningJob {
  portal_id: string
  /** The request that asked for it, where there was one. */
  request_id: string | null
  payload: Readonly<Record<string, unknown>>
  /**
   * Aborted when the job's time is up, another worker has taken it over, or the process stops. Work that is then given
   * up must throw, unless it repeats.
   */
  signal: AbortSignal
}

/** The owner of work that belongs to no Portal. */
export const deployment = 'ptl_00000000000000000000000000'

/** Whoever acts for the deployment. */
export function asDeployment(context: Context): Caller {
  return { context, portal_id: deployment, request_id: null }
}

/** Dead jobs stay for a person to see, but not for ever. */
export const deadJobsKeptMs = 30 * day

interface NewJob {
  portal_id: string
  kind: string
  payload?: Record<string, unknown>
  /** The request that asks for it: its id is found again in the log lines and the events of the job. */
  request_id?: string | null
  /** How long the job waits before it is due. */
  after_ms?: number
  /** While a job with this key waits or runs, another is not added; a dead one is brought back to life. */
  unique_key?: string
}

export async function enqueue(tx: Tx, context: Context, job: NewJob): Promise<void> {
  const { clock, database } = context
  const run_at = database.timeIn(clock, job.after_ms ?? 0)
  const { request_id, payload: given } = job
  const traceparent = context.trace?.traceparent()
  const cause = { ...(request_id && { request_id }), ...(traceparent && { traceparent }) }
  const payload = JSON.stringify({ ...given, ...cause })
  await tx
    .insertInto('jobs')
    .values({
      portal_id: job.portal_id,
      id: newId('job'),
      kind: job.kind,
      unique_key: job.unique_key ?? null,
      payload,
      run_at,
      created_at: isoTime(clock.now()),
      lease: null,
      last_error: null,
      dead_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['portal_id', 'unique_key'])
        .doUpdateSet({ run_at, attempts: 0, dead_at: null, payload })
        .where('jobs.dead_at', 'is not', null),
    )
    .execute()
}

/** Who has due jobs. Walks the index from owner to owner, so that a long queue costs no more than a short one. */
export async function dueOwners({ database, clock }: Context): Promise<string[]> {
  const { rows } = await sql<{ portal_id: string }>`
    with recursive owners (portal_id) as (
      select min(portal_id) from jobs where dead_at is null
      union all
      select (select min(portal_id) from jobs where dead_at is null and portal_id > owners.portal_id)
      from owners where owners.portal_id is not null
    )
    select portal_id from owners
    where portal_id is not null
      -- The first of each in the index, and not a join, for which all that waits may be read.
      and (
        select run_at from jobs where jobs.portal_id = owners.portal_id and dead_at is null
        order by run_at limit 1
      ) <= ${database.timeIn(clock, 0)}
    order by portal_id
  `.execute(database.read)
  return rows.map(({ portal_id }) => portal_id)
}

/** Up to `limit` due jobs of one owner, of kinds this program knows: a newer release may have written others. */
export async function claimJobs(
  context: Context,
  portalId: string,
  kinds: readonly string[],
  limit: number,
): Promise<ClaimedJob[]> {
  const { database, clock } = context
  const lease = newId('lease')
  const rows = await database.transaction((tx) =>
    tx
      // In a step of its own, because a subquery with `skip locked` may be run more than once.
      .with('due', (db) =>
        db
          .selectFrom('jobs')
          .select('id')
          .where('portal_id', '=', portalId)
          .where('kind', 'in', kinds)
          .where('dead_at', 'is', null)
          .where('run_at', '<=', database.timeIn(clock, 0))
          .orderBy('run_at')
          .orderBy('id')
          .limit(limit)
          .modifyEnd(database.skipLocked),
      )
      .updateTable('jobs')
      .set((eb) => ({ lease, run_at: database.timeIn(clock, leaseMs), attempts: eb('attempts', '+', 1) }))
      .where('portal_id', '=', portalId)
      .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
      .returning(['portal_id', 'id', 'kind', 'payload', 'attempts'])
      .execute(),
  )
  return rows.map((row) => {
    const { request_id } = row.payload
    return { ...row, lease, request_id: typeof request_id === 'string' ? request_id : null }
  })
}

/** Makes sure that every repeating job stands in the table once, and not further away than it repeats. */
export async function scheduleRepeating(context: Context, definitions: Iterable<JobDefinition>): Promise<void> {
  const { database, clock } = context
  for (const { kind, every_ms } of definitions) {
    if (every_ms === undefined) continue
    const latest = database.timeIn(clock, every_ms)
    await database.transaction(async (tx) => {
      await enqueue(tx, context, { portal_id: deployment, kind, unique_key: kind })
      // A clock that was ahead for a while may have put it months away.
      await tx
        .updateTable('jobs')
        .set({ run_at: latest })
        .where('portal_id', '=', deployment)
        .where('unique_key', '=', kind)
        .where('run_at', '>', latest)
        .where('lease', 'is', null)
        .execute()
    })
  }
}
