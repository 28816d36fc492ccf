import type { FastifyInstance } from 'fastify'
import { watchNumbers, wentBackAdvice } from '../background/given-numbers.ts'
import type { JobDefinition } from '../background/jobs.ts'
import { queueWarning } from '../background/queue-depth.ts'
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import { ConnectionFailed } from '../database/database.ts'
import { compareSchema } from '../database/migrate.ts'
import { setUpAt } from '../deployment.ts'
import { ApiError } from '../protocol/errors.ts'
import { asCalled } from '../values/as-called.ts'
import { createWriteCheck, isBusy, within } from './write-check.ts'

export interface Probes {
  /** Touches nothing. */
  health(): string
  /** The body of a process that can do its work; throws a 503 that says why it cannot. */
  readiness(): Promise<string>
  /** What readiness says, without its reason; late answers are remembered for whoever asks next. Undefined: not known yet. */
  isReady(): Promise<boolean | undefined>
  /** Whether the database was put back to an earlier state while this process ran; undefined: not known yet. */
  hasGoneBack(): Promise<boolean | undefined>
}

export const probeHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/**
 * A queue that nobody works is a warning in the body and never a reason to take a process that answers requests out of
 * service. A process that only works is not ready when its worker has stopped looking for work.
 */
export function createProbes(
  context: Context,
  jobs: readonly JobDefinition[],
  isDraining: () => boolean,
  isWorking?: () => boolean,
): Probes {
  const look = createLook(context, jobs)
  const problemNow = (found: Problem | undefined): Problem | undefined => {
    if (isDraining()) return { code: 'draining' }
    const damage = context.database.damage()
    if (damage !== undefined) return { code: 'database_damaged', cause: new Error(damage) }
    return found
  }
  return {
    health: () => '{"status":"ok"}',
    async isReady() {
      await within(look.now(), patienceMs)
      const last = look.last()
      const problem = last && (problemNow(last.problem) ?? workerProblem(isWorking))
      return last && (problem === undefined || isBusy(problem.cause))
    },
    async hasGoneBack() {
      await within(look.now(), patienceMs)
      return look.last()?.hasGoneBack
    },
    async readiness() {
      const { problem: found, warnings = [], hasGoneBack = false } = problemNow(undefined) ? {} : await look.now()
      const ready = (more: Warning[]) => {
        const all = [...(hasGoneBack ? [wentBack(context)] : []), ...more]
        return JSON.stringify({ status: 'ready', warnings: all.length > 0 ? all : undefined })
      }
      const problem = problemNow(found) ?? workerProblem(isWorking)
      if (problem === undefined) return ready(warnings)
      const { code, cause } = problem
      // Others are served meanwhile: taken out of service, it would only leave more to the next one.
      if (isBusy(cause)) return ready([busyWarning])
      throw new ApiError('service_unavailable', {
        message: 'The server is not ready to answer requests.',
        details: [
          { location: 'state', name: 'readiness', code, message: asCalled(reasons[code], context.config.program) },
        ],
        headers: { 'retry-after': '2' },
        cause: cause ?? new Error(reasons[code]),
      })
    },
  }
}

interface Finding {
  problem?: Problem | undefined
  warnings?: Warning[] | undefined
  hasGoneBack?: boolean | undefined
}

interface Warning {
  code: string
  message: string
}

/**
 * What the database says, asked once for all who want to know at the same moment, and remembered for a moment: nobody needs
 * a key to ask, and each time costs several connections.
 */
function createLook(
  context: Context,
  jobs: readonly JobDefinition[],
): { now(): Promise<Finding>; last(): Finding | undefined } {
  const writeFailure = createWriteCheck(context)
  let ownSince: string | undefined
  const isReplaced = async () => {
    const since = await setUpAt(context.database)
    ownSince ??= since
    return since !== ownSince
  }
  const haveNumbersFallen = watchNumbers(context)
  const find = async (): Promise<Finding> => {
    const warned = queueWarnings(context, jobs)
    const fallen = haveNumbersFallen().catch(() => undefined)
    const problem = await databaseProblem(context, { writeFailure, isReplaced })
    const hasGoneBack = await fallen
    return problem ? { problem, hasGoneBack } : { warnings: await warned, hasGoneBack }
  }
  let last: (Finding & { at: number }) | undefined
  let looking: Promise<Finding> | undefined
  return {
    async now() {
      if (last && performance.now() - last.at < knownForMs) return last
      looking ??= find()
        .then((found) => {
          last = { ...found, at: performance.now() }
          return last
        })
        .finally(() => {
          looking = undefined
        })
      return looking
    },
    last: () => last,
  }
}

export function registerProbes(app: FastifyInstance, { health, readiness }: Probes): void {
  app.get('/healthz', (_request, reply) => reply.headers(probeHeaders).send(health()))
  app.get('/readyz', async (_request, reply) => reply.headers(probeHeaders).send(await readiness()))
}

function workerProblem(isWorking: () => boolean = () => true): Problem | undefined {
  return isWorking() ? undefined : { code: 'worker_stuck' }
}

async function queueWarnings(context: Context, jobs: readonly JobDefinition[]): Promise<Warning[]> {
  const message = await queueWarning(context, jobs).catch(() => undefined)
  return message === undefined ? [] : [{ code: 'queue_not_worked', message: asCalled(message, context.config.program) }]
}

const wentBack = ({ config }: Context): Warning => ({
  code: 'database_went_back',
  message: asCalled(wentBackAdvice, config.program),
})
const busyWarning = { code: 'connections_busy', message: 'All connections to the database are in use.' }

/** Less than a metric has. */
const patienceMs = 1.5 * second
const knownForMs = 500

const reasons = {
  draining: 'The server is stopping.',
  database_unreachable: 'The database cannot be reached.',
  database_damaged: 'The database file is damaged. Nothing is written to it. Restore it from a backup.',
  worker_stuck: 'The worker has not looked for work for 30 seconds.',
  database_empty:
    'The database is empty, or is not the one that this process was started with. Put the database back, or restore a backup into a new, empty database. To go on with this one, restart every process.',
  migrations_pending: 'The database schema is older than this release. Run: portico migrate',
  writes_failing: 'The database cannot be written: the disk is full, read-only or locked by another program.',
}

interface Problem {
  code: keyof typeof reasons
  cause?: unknown
}

async function databaseProblem(
  { database }: Context,
  { writeFailure, isReplaced }: { writeFailure(): Promise<unknown>; isReplaced(): Promise<boolean> },
): Promise<Problem | undefined> {
  // All at once: in a flood each of them waits for a connection.
  const [schema, replaced, written] = await Promise.allSettled([compareSchema(database), isReplaced(), writeFailure()])
  const broken = (cause: unknown): Problem => ({
    code: database.damage() === undefined ? 'database_unreachable' : 'database_damaged',
    cause,
  })
  if (schema.status === 'rejected') return broken(schema.reason)
  if (schema.value.isEmpty) return { code: 'database_empty' }
  if (schema.value.missing.length > 0) return { code: 'migrations_pending' }
  if (replaced.status === 'rejected') return broken(replaced.reason)
  // One that somebody has migrated or set up meanwhile: no key works there.
  if (replaced.value) return { code: 'database_empty' }
  const cause = written.status === 'rejected' ? written.reason : written.value
  // Whoever could not even connect knows nothing of writes.
  if (cause instanceof ConnectionFailed) return broken(cause)
  return cause === undefined ? undefined : { code: 'writes_failing', cause }
}
