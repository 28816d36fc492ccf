// Jobs that failed as often as their kind allows. They are kept for a while and wait for a person.

import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'

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

type Which = { ids: readonly string[] } | { kind: string }

/** Lets workers run failed jobs again, with all their attempts, and returns which. */
export async function retryFailedJobs(tx: Tx, { database, clock }: Context, which: Which): Promise<string[]> {
  const again = await tx
    .updateTable('jobs')
    .set({ dead_at: null, attempts: 0, lease: null, run_at: database.timeIn(clock, 0) })
    .where('dead_at', 'is not', null)
    .where((eb) => ('kind' in which ? eb('kind', '=', which.kind) : eb('id', 'in', which.ids)))
    .returning('id')
    .execute()
  return again.map(({ id }) => id)
}

/** Removes failed jobs that nobody needs any more, and returns which. */
export async function dismissFailedJobs(tx: Tx, which: Which): Promise<string[]> {
  const gone = await tx
    .deleteFrom('jobs')
    .where('dead_at', 'is not', null)
    .where((eb) => ('kind' in which ? eb('kind', '=', which.kind) : eb('id', 'in', which.ids)))
    .returning('id')
    .execute()
  return gone.map(({ id }) => id)
}
