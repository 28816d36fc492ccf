// Jobs that repeat by themselves are tried again for ever: they are never among the failed jobs, and a failure moves their
// time, so that they are not late either. Their row says that they keep failing: each claim adds an attempt, and only a
// success sets the attempts back.
import type { Connection } from '../database/database.ts'
import { deployment, type JobDefinition } from './jobs.ts'

interface RepeatingJob {
  id: string
  kind: string
  /** How many attempts have failed since the last success. */
  failures: number
  /** Null also where the process died with the job. */
  last_error: string | null
}

/** Those of this release: nobody here does what another one has left. */
export async function listRepeating(db: Connection, known: readonly JobDefinition[]): Promise<RepeatingJob[]> {
  const kinds = known.filter(({ every_ms }) => every_ms !== undefined).map(({ kind }) => kind)
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'attempts', 'lease', 'last_error'])
    .where('portal_id', '=', deployment)
    .where('unique_key', 'in', kinds)
    .orderBy('kind')
    .execute()
  return rows.map(({ attempts, lease, ...row }) => ({
    ...row,
    // The attempt that is under way has not failed.
    failures: lease === null ? attempts : Math.max(0, attempts - 1),
  }))
}

/** Those that are not only held up for a moment. */
export async function listFailing(db: Connection, known: readonly JobDefinition[]): Promise<RepeatingJob[]> {
  return (await listRepeating(db, known)).filter(({ failures }) => failures >= failingAfter)
}

/** The third attempt comes about 15 seconds after the first. */
const failingAfter = 3
