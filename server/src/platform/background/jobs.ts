// Background work, written in the transaction that asks for it and done at least once.
// A worker claims a job by moving its run_at beyond a lease and writing a token; it may finish only while the token is
// its own, so a worker that was presumed dead cannot disturb its successor. A job that fails waits longer each time
// and after its last attempt is kept as dead for a person to look at. The worker lets Portals take turns (worker.ts).
import { sql } from 'kysely'
import { day, isoTime, minute, second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { redactSecrets } from '../logging.ts'
import { newId } from '../values/ids.ts'

export interface JobDefinition {
  kind: string
  /** For work that repeats by itself; such a job belongs to the deployment, not to a Portal. */
  every_ms?: number
  maximum_attempts?: number
  /** Below the lease, so that two never run at once. */
  timeout_ms?: number
  run(context: Context, job: RunningJob): Promise<void>
  /** Runs after the last attempt has failed, to record the failure where the work was requested. */
  giveUp?(context: Context, job: Pick<RunningJob, 'portal_id' | 'payload'>): Promise<void>
}

export interface RunningJob {
  portal_id: string
  payload: Readonly<Record<string, unknown>>
  /** Aborted when the job's time is up or the process stops. Work that is then given up must throw, unless it repeats. */
  signal: AbortSignal
}

/** The owner of work that belongs to no Portal. */
export const deployment = 'ptl_00000000000000000000000000'

export const leaseMs = 5 * minute
const defaultTimeoutMs = minute
const defaultAttempts = 10
/** Dead jobs stay for a person to see, but not for ever. */
export const deadJobsKeptMs = 30 * day

interface NewJob {
  portal_id: string
  kind: string
  payload?: Record<string, unknown>
  run_at?: number
  /** While a job with this key waits or runs, another is not added; a dead one is brought back to life. */
  unique_key?: string
}

export async function enqueue(tx: Tx, context: Context, job: NewJob): Promise<void> {
  const now = context.clock.now()
  const run_at = isoTime(job.run_at ?? now)
  await tx
    .insertInto('jobs')
    .values({
      portal_id: job.portal_id,
      id: newId('job'),
      kind: job.kind,
      unique_key: job.unique_key ?? null,
      payload: JSON.stringify(job.payload ?? {}),
      run_at,
      created_at: isoTime(now),
      lease: null,
      last_error: null,
      dead_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['portal_id', 'unique_key'])
        .doUpdateSet({ run_at, attempts: 0, dead_at: null, payload: JSON.stringify(job.payload ?? {}) })
        .where('jobs.dead_at', 'is not', null),
    )
    .execute()
}

/** `returned`: given up because the process stops, and due again. */
type JobOutcome = 'done' | 'failed' | 'dead' | 'returned'

export interface ClaimedJob {
  portal_id: string
  id: string
  kind: string
  payload: Record<string, unknown>
  attempts: number
  lease: string
}

/** Who has due jobs. Walks the index from owner to owner, so that a long queue costs no more than a short one. */
export async function dueOwners({ database, clock }: Context): Promise<string[]> {
  const now = isoTime(clock.now())
  const { rows } = await sql<{ portal_id: string }>`
    with recursive owners (portal_id) as (
      select min(portal_id) from jobs where dead_at is null
      union all
      select (select min(portal_id) from jobs where dead_at is null and portal_id > owners.portal_id)
      from owners where owners.portal_id is not null
    )
    select portal_id from owners
    where portal_id is not null
      and exists (select 1 from jobs where jobs.portal_id = owners.portal_id and dead_at is null and run_at <= ${now})
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
  const now = clock.now()
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
          .where('run_at', '<=', isoTime(now))
          .orderBy('run_at')
          .orderBy('id')
          .limit(limit)
          .modifyEnd(database.skipLocked),
      )
      .updateTable('jobs')
      .set((eb) => ({ lease, run_at: isoTime(now + leaseMs), attempts: eb('attempts', '+', 1) }))
      .where('portal_id', '=', portalId)
      .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
      .returning(['portal_id', 'id', 'kind', 'payload', 'attempts'])
      .execute(),
  )
  return rows.map((row) => ({ ...row, lease }))
}

/**
 * Runs a claimed job to its end. Never throws for a failing job: that is recorded on the job itself. A job that gives up
 * because the process stops (`stopping`) waits for the next worker at once, as if it had not been claimed.
 */
export async function runJob(
  context: Context,
  definition: JobDefinition,
  job: ClaimedJob,
  stopping?: AbortSignal,
): Promise<JobOutcome> {
  const maximumAttempts =
    definition.every_ms === undefined ? (definition.maximum_attempts ?? defaultAttempts) : Number.POSITIVE_INFINITY
  try {
    // More claims than attempts: each time the process died with the job, which is no reason to let it die again.
    if (job.attempts > maximumAttempts) throw new Error(`stopped after ${maximumAttempts} attempts that did not finish`)
    stopping?.throwIfAborted()
    await runInTime(context, definition, job, stopping)
  } catch (error) {
    if (stopping?.aborted) return returnJob(context, job)
    // Nobody gives up before whoever waits has been told.
    const isDead = job.attempts >= maximumAttempts && (await tellGivenUp(context, definition, job))
    return recordFailure(context, job, error, isDead)
  }
  await context.database.transaction(async (tx) => {
    if (definition.every_ms === undefined) await tx.deleteFrom('jobs').where(isOwn(job)).execute()
    else {
      // Where a stop has cut it short, the rest is due.
      const run_at = isoTime(context.clock.now() + (stopping?.aborted ? 0 : definition.every_ms))
      await tx
        .updateTable('jobs')
        .set({ lease: null, attempts: 0, last_error: null, run_at })
        .where(isOwn(job))
        .execute()
    }
  })
  return 'done'
}

/** Puts a job back to where it was before it was claimed. */
async function returnJob({ database, clock }: Context, job: ClaimedJob): Promise<'returned'> {
  await database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ lease: null, attempts: job.attempts - 1, run_at: isoTime(clock.now()) })
      .where(isOwn(job))
      .execute(),
  )
  return 'returned'
}

async function tellGivenUp(context: Context, definition: JobDefinition, job: ClaimedJob): Promise<boolean> {
  try {
    await definition.giveUp?.(context, job)
    return true
  } catch (error) {
    context.log.error({ err: error, job_id: job.id, kind: job.kind }, 'handling the final failure of a job failed')
    return false
  }
}

async function runInTime(
  context: Context,
  definition: JobDefinition,
  { portal_id, payload }: ClaimedJob,
  stopping?: AbortSignal,
): Promise<void> {
  const timeoutMs = definition.timeout_ms ?? defaultTimeoutMs
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      limit.abort()
      reject(new Error(`timed out after ${timeoutMs / 1000} s`))
    }, timeoutMs)
  })
  const stop = () => limit.abort(stopping?.reason)
  stopping?.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([definition.run(context, { portal_id, payload, signal: limit.signal }), timeUp])
  } finally {
    clearTimeout(timer)
    stopping?.removeEventListener('abort', stop)
  }
}

async function recordFailure(
  context: Context,
  job: ClaimedJob,
  error: unknown,
  isDead: boolean,
): Promise<'failed' | 'dead'> {
  const { database, clock, log } = context
  const { id: job_id, kind, attempts } = job
  const message = isDead ? 'job failed; no attempts left' : 'job failed; it will be retried'
  log[isDead ? 'error' : 'warn']({ err: error, job_id, kind, attempts }, message)
  const last_error = redactSecrets(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const run_at = isoTime(clock.now() + backoffMs(attempts))
  await database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ lease: null, last_error, run_at, ...(isDead && { dead_at: isoTime(clock.now()) }) })
      .where(isOwn(job))
      .execute(),
  )
  return isDead ? 'dead' : 'failed'
}

/** Jobs that failed for good and wait for a person. */
export async function countDeadJobs(db: Connection): Promise<number> {
  const query = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('dead_at', 'is not', null)
  return Number((await query.executeTakeFirst())?.count ?? 0)
}

/** The condition under which a worker may touch a job: its own claim is still the last one. */
function isOwn({ portal_id, id, lease }: ClaimedJob) {
  return sql<boolean>`portal_id = ${portal_id} and id = ${id} and lease = ${lease}`
}

/** 5 s, 10 s, 20 s … up to an hour, with up to a fifth more so that failures do not march in step. */
function backoffMs(attempts: number, random = Math.random()): number {
  return Math.min(60 * minute, 5 * second * 2 ** (attempts - 1)) * (1 + random / 5)
}

/** Makes sure that every repeating job stands in the table once, and not further away than it repeats. */
export async function scheduleRepeating(context: Context, definitions: Iterable<JobDefinition>): Promise<void> {
  const { database, clock } = context
  for (const { kind, every_ms } of definitions) {
    if (every_ms === undefined) continue
    const latest = isoTime(clock.now() + every_ms)
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
