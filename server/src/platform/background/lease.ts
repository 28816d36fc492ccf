// The right to do a job. It is short, and renewed while the work goes on: whoever dies loses the job soon. Whoever was only
// away (paused, or cut off from the database) loses it too, and finds out before anything it has done is committed.
import { sql } from 'kysely'
import { minute } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/database.ts'

export interface ClaimedJob {
  portal_id: string
  id: string
  kind: string
  payload: Record<string, unknown>
  request_id: string | null
  attempts: number
  lease: string
}

/** How long a claim holds unless it is renewed. */
export const leaseMs = minute

/** Another worker has taken the job over. */
export class LeaseLost extends Error {
  constructor() {
    super('another worker has taken this job over')
  }
}

/** The condition under which a worker may touch a job: its own claim is still the last one. */
export function isOwn({ portal_id, id, lease }: ClaimedJob) {
  return sql<boolean>`portal_id = ${portal_id} and id = ${id} and lease = ${lease}`
}

export interface Lease {
  /** Commits nothing once the lease is lost. */
  fenced: Context
  /** Tells that it is lost. */
  lost: AbortSignal
}

/** Runs `work` and renews the lease meanwhile. */
export async function whileLeased<T>(
  context: Context,
  job: ClaimedJob,
  work: (lease: Lease) => Promise<T>,
  renewEveryMs = leaseMs / 3,
): Promise<T> {
  const lost = new AbortController()
  const lose = () => {
    const reason = new LeaseLost()
    lost.abort(reason)
    return reason
  }
  const renewal = setInterval(() => {
    renew(context, job).then(
      (isRenewed) => {
        if (!isRenewed) lose()
      },
      (error) => context.log.warn({ err: error }, 'the lease of a job could not be renewed'),
    )
  }, renewEveryMs)
  try {
    const fenced: Context = {
      ...context,
      database: fence(context.database, job, lose),
      actor: { kind: 'job', id: job.kind },
    }
    return await work({ fenced, lost: lost.signal })
  } finally {
    clearInterval(renewal)
  }
}

async function renew({ database, clock }: Context, job: ClaimedJob): Promise<boolean> {
  const { numUpdatedRows } = await database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ run_at: database.timeIn(clock, leaseMs) })
      .where(isOwn(job))
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n
}

/**
 * A database whose transactions commit only while the job is still this worker's. Looked at last, so that nothing but the
 * commit itself comes between: a pause right there is longer than PostgreSQL lets a transaction wait, and on SQLite nobody
 * else writes meanwhile.
 */
function fence(database: Database, job: ClaimedJob, lose: () => LeaseLost): Database {
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (tx) => {
        const result = await work(tx)
        const held = await tx.selectFrom('jobs').select('id').where(isOwn(job)).executeTakeFirst()
        if (!held) throw lose()
        return result
      }),
  }
}
