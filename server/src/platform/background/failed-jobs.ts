// Jobs that failed as often as their kind allows. They are kept for a while and wait for a person.

import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { deployment, type JobDefinition } from './jobs.ts'
import { isAbandoned } from './unknown-jobs.ts'

export async function countFailedJobs(db: Connection): Promise<number> {
  const query = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('dead_at', 'is not', null)
  return Number((await query.executeTakeFirst())?.count ?? 0)
}

/** The latest of them, the oldest of these first. */
export async function listFailedJobs(db: Connection, limit: number) {
  const latest = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'portal_id', 'attempts', 'dead_at', 'last_error'])
    .where('dead_at', 'is not', null)
    .orderBy('dead_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return latest.reverse()
}

export type Which = { ids: readonly string[] } | { kind: string }

/**
 * Lets workers run failed jobs again, with all their attempts, and repeating jobs that fail at once, which keep their
 * attempts until one succeeds. Returns which.
 */
export async function retryFailedJobs(tx: Tx, { database, clock }: Context, which: Which): Promise<string[]> {
  const run_at = database.timeIn(clock, 0)
  const again = await tx
    .updateTable('jobs')
    .set({ dead_at: null, attempts: 0, lease: null, run_at })
    .where('dead_at', 'is not', null)
    .where((eb) => ('kind' in which ? eb('kind', '=', which.kind) : eb('id', 'in', which.ids)))
    .returning('id')
    .execute()
  const sooner = await tx
    .updateTable('jobs')
    .set({ run_at })
    .where('portal_id', '=', deployment)
    .whereRef('unique_key', '=', 'kind')
    .where('attempts', '>', 0)
    .where('lease', 'is', null)
    .where((eb) => ('kind' in which ? eb('kind', '=', which.kind) : eb('id', 'in', which.ids)))
    .returning('id')
    .execute()
  return [...again, ...sooner].map(({ id }) => id)
}

/** Removes jobs that failed or that nobody here can do, and are not needed any more. Returns which. */
export async function dismissJobs(
  tx: Tx,
  context: Context,
  which: Which,
  known: readonly JobDefinition[],
): Promise<string[]> {
  const gone = await tx
    .deleteFrom('jobs')
    .where((eb) => eb.or([eb('dead_at', 'is not', null), isAbandoned(context, known)]))
    .where((eb) => ('kind' in which ? eb('kind', '=', which.kind) : eb('id', 'in', which.ids)))
    .returning('id')
    .execute()
  return gone.map(({ id }) => id)
}
