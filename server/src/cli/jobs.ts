import type { Command } from 'commander'
import { jobs as known } from '../app.ts'
import { note } from '../platform/audit/notes.ts'
import { dismissJobs, listFailedJobs, retryFailedJobs, type Which } from '../platform/background/failed-jobs.ts'
import { asDeployment, deployment } from '../platform/background/jobs.ts'
import { listFailing } from '../platform/background/repeating-jobs.ts'
import { listUnknownJobs } from '../platform/background/unknown-jobs.ts'
import type { Context } from '../platform/context.ts'
import type { Connection, Tx } from '../platform/database/database.ts'
import { counted } from '../platform/values/counted.ts'
import { CommandError, firstLine, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function jobCommands(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('Look at background jobs that failed, run them again or remove them.')
  jobs
    .command('list')
    .description(
      'List jobs that failed for the last time (kept for 30 days), repeating jobs that keep failing, and jobs of kinds that this release does not know.',
    )
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async ({ database }) => {
        const rows = await listJobs(database.read)
        const lines = rows.map((row) => ({ ...row, attempts: String(row.attempts), error: firstLine(row.error) }))
        print(options, rows, rows.length > 0 ? table(lines) : nothingListed)
      }),
    )
  jobs
    .command('retry [ids...]')
    .description(
      'Run failed jobs again, and repeating jobs that keep failing at once. A job can run twice without harm.',
    )
    .option('--kind <kind>', 'all failed jobs of this kind')
    .option('--json', 'print JSON')
    .action((ids: string[], options: OutputOptions & { kind?: string }) =>
      withContext(async (context) => {
        const retried = await change(context, 'job.retried', { ids, kind: options.kind }, (tx, which) =>
          retryFailedJobs(tx, context, which),
        )
        print(options, { retried }, `Workers run ${counted(retried.length, 'job')} again.`)
      }),
    )
  jobs
    .command('dismiss [ids...]')
    .description(
      'Remove failed jobs that need not run again, and jobs of kinds that this release does not know. They are then counted no more.',
    )
    .option('--kind <kind>', 'all such jobs of this kind')
    .option('--json', 'print JSON')
    .action((ids: string[], options: OutputOptions & { kind?: string }) =>
      withContext(async (context) => {
        const dismissed = await change(context, 'job.dismissed', { ids, kind: options.kind }, (tx, which) =>
          dismissJobs(tx, context, which, known),
        )
        print(options, { dismissed }, `Removed ${counted(dismissed.length, 'job')}.`)
      }),
    )
}

/** `failed`: for the last time. `failing`: tried again by itself. `unknown`: waits for another release. */
type State = 'failed' | 'failing' | 'unknown'

async function listJobs(db: Connection) {
  const failed = await listFailedJobs(db, mostListed)
  const failing = await listFailing(db, known)
  const unknown = await listUnknownJobs(db, known, mostListed)
  const rowOf = ({ last_error, ...job }: (typeof unknown)[number], state: State, failed_at: string | null = null) => ({
    ...job,
    state,
    failed_at,
    error: last_error,
  })
  return [
    ...failed.map(({ dead_at, ...job }) => rowOf(job, 'failed', dead_at)),
    ...failing.map(({ failures, ...job }) => rowOf({ ...job, portal_id: deployment, attempts: failures }, 'failing')),
    ...unknown.map((job) => rowOf(job, 'unknown')),
  ]
}

const nothingListed = 'No job has failed permanently, no repeating job keeps failing, and every job is of a known kind.'

/** All that are named or none, each with an entry in the audit log. */
async function change(
  context: Context,
  action: string,
  { ids, kind }: { ids: readonly string[]; kind: string | undefined },
  work: (tx: Tx, which: Which) => Promise<string[]>,
): Promise<string[]> {
  if ((kind === undefined) === (ids.length === 0))
    throw new CommandError('Name failed jobs by their ids, or all failed jobs of a kind with --kind KIND.')
  return context.database.transaction(async (tx) => {
    const changed = await work(tx, kind === undefined ? { ids } : { kind })
    const missing = ids.filter((id) => !changed.includes(id))
    if (missing.length > 0 || changed.length === 0)
      throw new CommandError(`${nameOf(missing, kind)} List failed jobs with: portico jobs list`)
    for (const id of changed) await note(tx, asDeployment(context), { action, resource_id: id })
    return changed
  })
}

function nameOf(missing: readonly string[], kind: string | undefined): string {
  if (kind !== undefined) return `No job of the kind ${kind} has failed permanently.`
  return `No failed job has the id ${missing.join(', ')}. Nothing was changed.`
}

/** More than anybody reads. */
const mostListed = 1000
