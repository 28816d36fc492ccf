import { day } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Tx } from '../database/database.ts'
import { deployment } from './jobs.ts'
import { leaseMs } from './lease.ts'
import { longestRetryMs } from './run-job.ts'

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
