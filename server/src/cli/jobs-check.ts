// What doctor says of background jobs: those that failed permanently, those that repeat and keep failing, and those that
// only another release can do.
import { jobs } from '../app.ts'
import { countFailedJobs } from '../platform/background/failed-jobs.ts'
import { listFailing } from '../platform/background/repeating-jobs.ts'
import { countUnknownJobs } from '../platform/background/unknown-jobs.ts'
import type { Connection } from '../platform/database/database.ts'
import { counted } from '../platform/values/counted.ts'
import { firstLine } from './output.ts'

interface JobFinding {
  check: string
  outcome: 'ok' | 'warning' | 'problem'
  message: string
}

export async function examineJobs(db: Connection): Promise<JobFinding[]> {
  const findings: JobFinding[] = []
  const dead = await countFailedJobs(db)
  if (dead > 0)
    findings.push({
      check: 'background jobs',
      outcome: 'problem',
      message: `${counted(dead, 'job')} failed permanently. Run them again with \`portico jobs retry\`, or remove them with \`portico jobs dismiss\`. To list them, run: portico jobs list`,
    })
  for (const { kind, failures, last_error } of await listFailing(db, jobs))
    findings.push({
      check: 'background jobs',
      outcome: 'problem',
      message: `The repeating job ${kind} has failed ${failures} times in a row: ${firstLine(last_error) || 'the process ended during the job'}. Remove the cause. The job is tried again by itself; to run it at once: portico jobs retry --kind ${kind}`,
    })
  if (findings.length === 0)
    findings.push({
      check: 'background jobs',
      outcome: 'ok',
      message: 'no job has failed permanently, and no repeating job keeps failing',
    })
  const unknown = await countUnknownJobs(db, jobs)
  if (unknown.length > 0)
    findings.push({
      check: 'unknown jobs',
      outcome: 'warning',
      message: `Jobs of kinds that this release does not know wait for the newer release that wrote them: ${unknown.map(({ kind, count }) => `${kind} (${count})`).join(', ')}. If you do not return to that release, remove them with: portico jobs dismiss --kind KIND`,
    })
  return findings
}
