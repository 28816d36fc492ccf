// Jobs of kinds that this release does not have. A newer release has written them, and this one was put back in its place:
// they wait until the newer one returns. Those that it repeats by itself are due for ever.
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Connection } from '../database/database.ts'
import type { JobDefinition } from './jobs.ts'

type Known = readonly Pick<JobDefinition, 'kind'>[]

export async function countUnknownJobs(db: Connection, known: Known): Promise<{ kind: string; count: number }[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('count')])
    .where('dead_at', 'is', null)
    .where('kind', 'not in', kindsOf(known))
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Some of them, in no particular order. */
export async function listUnknownJobs(db: Connection, known: Known, limit: number) {
  return db
    .selectFrom('jobs')
    .select(['id', 'kind', 'portal_id', 'attempts', 'last_error'])
    .where('dead_at', 'is', null)
    .where('kind', 'not in', kindsOf(known))
    .limit(limit)
    .execute()
}

/** True for a job that nobody here does, and nobody of another release works on at the moment. */
export function isAbandoned({ database, clock }: Pick<Context, 'database' | 'clock'>, known: Known) {
  const now = database.timeIn(clock, 0)
  return sql<boolean>`kind not in (${sql.join(kindsOf(known))}) and (lease is null or run_at <= ${now})`
}

const kindsOf = (known: Known) => known.map(({ kind }) => kind)
