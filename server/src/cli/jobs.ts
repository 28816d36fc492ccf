import type { Command } from 'commander'
import { note } from '../platform/audit/notes.ts'
import { dismissFailedJobs, listFailedJobs, retryFailedJobs } from '../platform/background/failed-jobs.ts'
import { asDeployment } from '../platform/background/jobs.ts'
import type { Context } from '../platform/context.ts'
import { counted } from '../platform/values/counted.ts'
import { CommandError, type OutputOptions, print, table } from './output.ts'
import { withContext } from './session.ts'

export function jobCommands(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('Look at background jobs that failed, run them again or remove them.')
  jobs
    .command('list')
    .description('List the jobs that failed for the last time. They are kept for 30 days.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async ({ database }) => {
        const found = await listFailedJobs(database.read, mostListed)
        const rows = found.map(({ dead_at, last_error, ...job }) => ({ ...job, failed_at: dead_at, error: last_error }))
        const lines = rows.map((row) => ({ ...row, attempts: String(row.attempts), error: firstLine(row.error) }))
        print(options, rows, rows.length > 0 ? table(lines) : 'No job has failed permanently.')
      }),
    )
  jobs
    .command('retry [ids...]')
    .description('Run failed jobs again. A job can run twice without harm.')
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
    .description('Remove failed jobs that need not run again. They are then counted no more.')
    .option('--kind <kind>', 'all failed jobs of this kind')
    .option('--json', 'print JSON')
    .action((ids: string[], options: OutputOptions & { kind?: string }) =>
      withContext(async (context) => {
        const dismissed = await change(context, 'job.dismissed', { ids, kind: options.kind }, dismissFailedJobs)
        print(options, { dismissed }, `Removed ${counted(dismissed.length, 'failed job')}.`)
      }),
    )
}

/** All that are named or none, each with an entry in the audit log. */
async function change(
  context: Context,
  action: string,
  { ids, kind }: { ids: readonly string[]; kind: string | undefined },
  work: typeof dismissFailedJobs,
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

function firstLine(text: string | null): string {
  return text?.split('\n')[0]?.slice(0, 200) ?? ''
}

/** More than anybody reads. */
const mostListed = 1000
