// How much work waits, and for how long. Nobody keeps a list of workers: that a due job is not taken up is what matters,
// and says the same of a worker that died, hangs or has too much to do. A worker takes up what is due within a second,
// and some of its own work comes round every minute, so that an idle deployment shows it, too.
import { sql } from 'kysely'
import { minute } from '../clock.ts'
import type { Context } from '../context.ts'
import { spokenDuration } from '../values/durations.ts'
import { deployment, type JobDefinition } from './jobs.ts'

/** Enough to see that something is wrong; counting all would read all. */
export const mostCounted = 10_000

interface Depth {
  kind: string
  state: 'due' | 'running' | 'scheduled' | 'dead'
  count: number
}

export async function countWaitingJobs({ database, clock }: Context): Promise<Depth[]> {
  const { rows } = await sql<Depth>`
    select kind, state, count(*) as count
    from (
      select kind,
        case
          when run_at <= ${database.timeIn(clock, 0)} then 'due'
          when lease is not null then 'running'
          else 'scheduled'
        end as state
      from jobs where dead_at is null limit ${mostCounted}
    ) as waiting
    group by kind, state
  `.execute(database.read)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/**
 * By themselves: behind a long backlog they would not be among those that are counted. No index has them, because hardly
 * ever there are any, so this may read all jobs.
 */
export async function countDeadJobs({ database }: Pick<Context, 'database'>): Promise<Depth[]> {
  const { rows } = await sql<Depth>`
    select kind, 'dead' as state, count(*) as count
    from (select kind from jobs where dead_at is not null limit ${mostCounted}) as dead
    group by kind
  `.execute(database.read)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/**
 * For how many milliseconds the oldest due job has waited for a worker; 0 when none waits. Jobs of kinds that this release
 * does not have are left out: no worker of this release takes them (unknown-jobs.ts).
 */
export async function oldestDueJob(
  { database, clock }: Context,
  known: readonly Pick<JobDefinition, 'kind'>[],
): Promise<number> {
  const now = database.timeIn(clock, 0)
  const kinds = sql.join(known.map(({ kind }) => kind))
  // From owner to owner along the index, as the worker looks for them (jobs.ts).
  const { rows } = await sql<{ due_at: string | null; now: string }>`
    with recursive owners (portal_id) as (
      select min(portal_id) from jobs where dead_at is null
      union all
      select (select min(portal_id) from jobs where dead_at is null and portal_id > owners.portal_id)
      from owners where owners.portal_id is not null
    )
    select
      min((
        select run_at from jobs
        where jobs.portal_id = owners.portal_id and dead_at is null and kind in (${kinds})
        order by run_at limit 1
      )) as due_at,
      ${now} as now
    from owners where portal_id is not null
  `.execute(database.read)
  const [row] = rows
  return row?.due_at ? Math.max(0, Date.parse(row.now) - Date.parse(row.due_at)) : 0
}

/** What an operator should hear of the queue, as a sentence; undefined while all is well. */
export async function queueWarning(
  context: Context,
  known: readonly Pick<JobDefinition, 'kind'>[],
): Promise<string | undefined> {
  const [waited, repeating] = await Promise.all([
    oldestDueJob(context, known),
    context.database.read
      .selectFrom('jobs')
      .select('id')
      .where('portal_id', '=', deployment)
      .limit(1)
      .executeTakeFirst(),
  ])
  if (waited >= oldMs)
    return `The oldest due background job has waited ${spokenDuration(waited)}: no worker runs, or there are too few. Start one with: portico worker`
  return repeating ? undefined : 'No worker has run on this database yet. Start one with: portico worker'
}

/** More than a worker that was killed is missed for: its jobs are due again after one minute. */
const oldMs = 2 * minute
