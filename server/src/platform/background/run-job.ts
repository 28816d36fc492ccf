// One attempt at a job that is claimed, and what becomes of the job afterwards.
import { isoTime, minute, second } from '../clock.ts'
import type { Context } from '../context.ts'
import { type Logger, redactSecrets } from '../logging.ts'
import { deployment, type JobDefinition } from './jobs.ts'
import { type ClaimedJob, isOwn, type Lease, LeaseLost, whileLeased } from './lease.ts'

const defaultTimeoutMs = minute
const defaultAttempts = 10

/** `returned`: given up because the process stops, and due again. `lost`: another worker has taken the job over. */
type JobOutcome = 'done' | 'failed' | 'dead' | 'returned' | 'lost'

/**
 * Runs a claimed job to its end. Never throws for a failing job: that is recorded on the job itself. A job that gives up
 * because the process stops (`stopping`) waits for the next worker at once, as if it had not been claimed.
 */
export async function runJob(
  shared: Context,
  definition: JobDefinition,
  job: ClaimedJob,
  stopping?: AbortSignal,
): Promise<JobOutcome> {
  const context = { ...shared, log: logOf(shared.log, job) }
  const begun = performance.now()
  const run = () => whileLeased(context, job, (lease) => attempt(context, definition, job, lease, stopping))
  const span = shared.trace?.begin(5, job.payload.traceparent)
  const outcome = await (span && shared.trace ? shared.trace.within(span, run) : run()).catch((error) => {
    if (!(error instanceof LeaseLost)) throw error
    context.log.warn('another worker has taken this job over; its result is dropped')
    return 'lost' as const
  })
  span?.end(
    `job ${job.kind}`,
    { 'portico.job_id': job.id, 'portico.request_id': job.request_id ?? undefined, 'portico.outcome': outcome },
    outcome === 'failed' || outcome === 'dead',
  )
  const line = { outcome, attempts: job.attempts, duration_ms: Math.round(performance.now() - begun) }
  // What repeats by itself would fill a log in which nothing happens.
  context.log[definition.every_ms === undefined ? 'info' : 'debug'](line, 'job ended')
  return outcome
}

/** Everything that is logged while a job runs names it, and the request that asked for it. */
function logOf(log: Logger, { id, kind, portal_id, request_id }: ClaimedJob): Logger {
  const isOfPortal = portal_id !== deployment
  return log.about({
    job_id: id,
    kind,
    ...(isOfPortal && { portal_id }),
    ...(request_id !== null && { request_id }),
  })
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
    if (definition.needs_clock && context.clock.isDoubted()) return returnJob(context, job, minute)
    await runInTime(fenced, definition, job, AbortSignal.any(stopping ? [lost, stopping] : [lost]))
  } catch (error) {
    lost.throwIfAborted()
    if (stopping?.aborted) return returnJob(context, job)
    // Nobody gives up before whoever waits has been told.
    const isDead = job.attempts >= maximumAttempts && (await tellGivenUp(fenced, definition, job))
    return recordFailure(context, definition, job, error, isDead)
  }
  if (definition.every_ms === undefined) await endJob(context, job)
  // Where a stop has cut it short, the rest is due, and whether it fails again is not known yet.
  else if (stopping?.aborted) await returnJob(context, job)
  else await putBack(context, job, { attempts: 0, last_error: null, after_ms: definition.every_ms })
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
  last_error?: string | null
  dead_at?: string
}

/** Gives a job up, to be run again later or, with `dead_at`, never. */
async function putBack({ database, clock }: Context, job: ClaimedJob, { after_ms, ...rest }: Waiting): Promise<void> {
  const waiting = { lease: null, run_at: database.timeIn(clock, after_ms), ...rest }
  await database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.updateTable('jobs').set(waiting).where(isOwn(job)).executeTakeFirst()
    if (numUpdatedRows === 0n) throw new LeaseLost()
  })
}

/** Puts a job back to where it was before it was claimed: one that kept failing still does. */
async function returnJob(context: Context, job: ClaimedJob, after_ms = 0): Promise<'returned'> {
  await putBack(context, job, { attempts: job.attempts - 1, after_ms })
  return 'returned'
}

async function tellGivenUp(context: Context, definition: JobDefinition, job: ClaimedJob): Promise<boolean> {
  try {
    await definition.giveUp?.(context, job)
    return true
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    context.log.error({ err: error }, 'handling the final failure of a job failed')
    return false
  }
}

async function runInTime(
  context: Context,
  definition: JobDefinition,
  { portal_id, payload, request_id }: ClaimedJob,
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
    await Promise.race([definition.run(context, { portal_id, payload, request_id, signal: limit.signal }), timeUp])
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
  const { attempts } = job
  const message = isDead ? 'job failed; no attempts left' : 'job failed; it will be retried'
  log[isDead ? 'error' : 'warn']({ err: error, attempts }, message)
  const last_error = redactSecrets(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const dead = isDead ? { dead_at: isoTime(clock.now()) } : {}
  await putBack(context, job, { attempts, after_ms: waitAfter(definition, attempts), last_error, ...dead })
  return isDead ? 'dead' : 'failed'
}

/**
 * The wait of its kind, or 5 s, 10 s, 20 s … up to an hour; with up to a fifth more, so that failures do not march in step.
 * What repeats waits no longer than it would after a success, or a minute: it may have failed for one Portal of many.
 */
function waitAfter(
  { waits_ms, every_ms = Number.POSITIVE_INFINITY }: JobDefinition,
  attempts: number,
  random = Math.random(),
): number {
  const longest = Math.min(60 * minute, Math.max(minute, every_ms))
  const usual = Math.min(longest, 5 * second * 2 ** (attempts - 1))
  return (waits_ms?.[attempts - 1] ?? waits_ms?.at(-1) ?? usual) * (1 + random / 5)
}
export const longestRetryMs = 60 * minute * 1.2
