import { jobs as allJobs } from '../src/app.ts'
import { claimJobs, type JobDefinition } from '../src/platform/background/jobs.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import type { Context } from '../src/platform/context.ts'

/** Does the background work of a Portal that is due, as a worker would, and what it asks for in turn. */
export async function runDueJobs(
  context: Context,
  portalId: string,
  jobs: readonly JobDefinition[] = allJobs,
): Promise<string[]> {
  const byKind = new Map(jobs.map((job) => [job.kind, job]))
  const done: string[] = []
  for (;;) {
    const claimed = await claimJobs(context, portalId, [...byKind.keys()], 50)
    if (claimed.length === 0) return done
    for (const job of claimed) {
      const definition = byKind.get(job.kind)
      if (!definition) throw new Error(`nobody does ${job.kind}`)
      done.push(`${job.kind} ${await runJob(context, definition, job)}`)
    }
  }
}

/** Runs a repeating job of the deployment once, whenever it is due. */
export async function runRepeating(context: Context, kind: string): Promise<void> {
  const definition = allJobs.find((job) => job.kind === kind)
  if (!definition) throw new Error(`there is no job ${kind}`)
  await definition.run(context, { portal_id: '', request_id: null, payload: {}, signal: new AbortController().signal })
}
