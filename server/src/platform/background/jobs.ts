// Background work, written in the transaction that asks for it and done at least once.
// A worker claims a job by moving its run_at beyond a short lease and writing a token, and renews the lease while it
// works. All processes judge leases by one clock (`timeIn`). What a job writes is committed only while the token is its
// own (lease.ts), so a worker that was presumed dead cannot disturb its successor. A job that fails waits longer each time
// and after its last attempt is kept as dead for a person to look at. The worker lets Portals take turns (worker.ts).
import { sql } from 'kysely'
import { day, isoTime, minute, second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { redactSecrets } from '../logging.ts'
import { newId } from '../values/ids.ts'
import { type ClaimedJob, isOwn, type Lease, LeaseLost, leaseMs, whileLeased } from './lease.ts'

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
  giveUp?(context: Context, job: Pick<RunningJob, 'portal_id' | 'payload'>): Promise<void>
}

export interface RunningJob {
  portal_id: string
  payload: Readonly<Record<string, unknown>>
  /**
   * Aborted when the job's time is up, another worker has taken it over, or the process stops. Work that is then given
   * up must throw, unless it repeats.
   */
  signal: AbortSignal
}

/** The owner of work that belongs to no Portal. */
export const deployment = 'ptl_00000000000000000000000000'

const defaultTimeoutMs = minute
const defaultAttempts = 10
/** Dead jobs stay for a person to see, but not for ever. */
export const deadJobsKeptMs = 30 * day

interface NewJob {
  portal_id: string
  kind: string
  payload?: Record<string, unknown>
  /** How long the job waits before it is due. */
  after_ms?: number
  /** While a job with this key waits or runs, another is not added; a dead one is brought back to life. */
  unique_key?: string
}

export async function enqueue(tx: Tx, context: Context, job: NewJob): Promise<void> {
  const { clock, database } = context
  const run_at = database.timeIn(clock, job.after_ms ?? 0)
  await tx
    .insertInto('jobs')
    .values({
      portal_id: job.portal_id,
      id: newId('job'),
      kind: job.kind,
      unique_key: job.unique_key ?? null,
      payload: JSON.stringify(job.payload ?? {}),
      run_at,
      created_at: isoTime(clock.now()),
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

/** `returned`: given up because the process stops, and due again. `lost`: another worker has taken the job over. */
type JobOutcome = 'done' | 'failed' | 'dead' | 'returned' | 'lost'

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
  try {
    return await whileLeased(context, job, (lease) => attempt(context, definition, job, lease, stopping))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    context.log.warn(
      { job_id: job.id, kind: job.kind },
      'another worker has taken this job over; its result is dropped',
    )
    return 'lost'
  }
}

async function attempt(
  context: Context,
  definition: JobDefinition,
  job: ClaimedJob,
  { fenced, lost }: Lease,
  stopping?: AbortSignal,
): Promise<JobOutcome> {
  const maximumAttempts =
    definition.every_ms === undefined ? (definition.maximum_attempts ?? defaultAttempts) : Number.POSITIVE_INFINITY
  try {
    // More claims than attempts: each time the process died with the job, which is no reason to let it die again.
    if (job.attempts > maximumAttempts) throw new Error(`stopped after ${maximumAttempts} attempts that did not finish`)
    stopping?.throwIfAborted()
    if (definition.needs_clock && context.clock.isDoubted()) {
      await putBack(context, job, { attempts: 0, after_ms: minute })
      return 'returned'
    }
    await runInTime(fenced, definition, job, AbortSignal.any(stopping ? [lost, stopping] : [lost]))
  } catch (error) {
    lost.throwIfAborted()
    if (stopping?.aborted) return returnJob(context, job)
    // Nobody gives up before whoever waits has been told.
    const isDead = job.attempts >= maximumAttempts && (await tellGivenUp(fenced, definition, job))
    return recordFailure(context, definition, job, error, isDead)
  }
  if (definition.every_ms === undefined) await endJob(context, job)
  // Where a stop has cut it short, the rest is due.
  else await putBack(context, job, { attempts: 0, after_ms: stopping?.aborted ? 0 : definition.every_ms })
  return 'done'
}

async function endJob({ database }: Context, job: ClaimedJob): Promise<void> {
  await database.transaction(async (tx) => {
    const { numDeletedRows } = await tx.deleteFrom('jobs').where(isOwn(job)).executeTakeFirst()
    if (numDeletedRows === 0n) throw new LeaseLost()
  })
}

interface Waiting {
  attempts: number
  after_ms: number
  last_error?: string
  dead_at?: string
}

/** Gives a job up, to be run again later or, with `dead_at`, never. */
async function putBack(
  { database, clock }: Context,
  job: ClaimedJob,
  { after_ms, last_error, ...rest }: Waiting,
): Promise<void> {
  const waiting = { lease: null, last_error: last_error ?? null, run_at: database.timeIn(clock, after_ms), ...rest }
  await database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.updateTable('jobs').set(waiting).where(isOwn(job)).executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLost()
  })
}

/** Puts a job back to where it was before it was claimed. */
async function returnJob(context: Context, job: ClaimedJob): Promise<'returned'> {
  await putBack(context, job, { attempts: job.attempts - 1, after_ms: 0 })
  return 'returned'
}

async function tellGivenUp(context: Context, definition: JobDefinition, job: ClaimedJob): Promise<boolean> {
  try {
    await definition.giveUp?.(context, job)
    return true
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    context.log.error({ err: error, job_id: job.id, kind: job.kind }, 'handling the final failure of a job failed')
    return false
  }
}

async function runInTime(
  context: Context,
  definition: JobDefinition,
  { portal_id, payload }: ClaimedJob,
  ended: AbortSignal,
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
  const end = () => limit.abort(ended.reason)
  ended.addEventListener('abort', end, { once: true })
  try {
    await Promise.race([definition.run(context, { portal_id, payload, signal: limit.signal }), timeUp])
  } finally {
    clearTimeout(timer)
    ended.removeEventListener('abort', end)
  }
}

async function recordFailure(
  context: Context,
  definition: JobDefinition,
  job: ClaimedJob,
  error: unknown,
  isDead: boolean,
): Promise<'failed' | 'dead'> {
  const { clock, log } = context
  const { id: job_id, kind, attempts } = job
  const message = isDead ? 'job failed; no attempts left' : 'job failed; it will be retried'
  log[isDead ? 'error' : 'warn']({ err: error, job_id, kind, attempts }, message)
  const last_error = redactSecrets(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const dead = isDead ? { dead_at: isoTime(clock.now()) } : {}
  await putBack(context, job, { attempts, after_ms: waitAfter(definition, attempts), last_error, ...dead })
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

/** The wait of its kind, or 5 s, 10 s, 20 s … up to an hour; with up to a fifth more, so that failures do not march in step. */
function waitAfter({ waits_ms }: JobDefinition, attempts: number, random = Math.random()): number {
  const usual = Math.min(60 * minute, 5 * second * 2 ** (attempts - 1))
  return (waits_ms?.[attempts - 1] ?? waits_ms?.at(-1) ?? usual) * (1 + random / 5)
}
const longestRetryMs = 60 * minute * 1.2

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

/**
 * Moves jobs that wait, and leases, along with a clock that was set back: they would wait so much longer. Only those that
 * were added in the time that was taken back, or are further away than their wait can be: others would run too early.
 */
export async function setBackJobs(tx: Tx, { database, clock }: Context, milliseconds: number): Promise<void> {
  const timeIn = (after: number) => database.timeIn(clock, after)
  const misplaced = await tx
    .selectFrom('jobs')
    .select(['portal_id', 'id'])
    .where('dead_at', 'is', null)
    .where('run_at', '>', timeIn(0))
    .where(({ eb, and, or }) =>
      or([
        eb('created_at', '>', timeIn(0)),
        // What repeats was scheduled not long ago, and does no harm early.
        and([eb('portal_id', '=', deployment), eb('lease', 'is', null)]),
        and([eb('lease', 'is not', null), eb('run_at', '>', timeIn(leaseMs))]),
        and([eb('attempts', '>', 0), eb('run_at', '>', timeIn(longestRetryMs))]),
        eb('run_at', '>', timeIn(longestWaitMs)),
      ]),
    )
    .execute()
  for (let begin = 0; begin < misplaced.length; begin += movedAtOnce) {
    const some = misplaced.slice(begin, begin + movedAtOnce)
    const owners = [...new Set(some.map(({ portal_id }) => portal_id))]
    const ids = some.map(({ id }) => id)
    await tx
      .updateTable('jobs')
      .set({ run_at: database.earlier('run_at', milliseconds) })
      .where('portal_id', 'in', owners)
      .where('id', 'in', ids)
      .execute()
  }
}

/** What waits to be done once: the removal of a file waits two hours. */
const longestWaitMs = day
/** Few enough for the time and the parameters of one statement. */
const movedAtOnce = 500
