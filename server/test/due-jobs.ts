import { jobs as allJobs } from '../src/app.ts'
import { claimJobs, enqueue, type JobDefinition } from '../src/platform/background/jobs.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { isoTime } from '../src/platform/clock.ts'
import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'

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

/** A job that has failed for the last time, and its id. */
export async function failJob(context: Context, portal_id: string, kind: string): Promise<string> {
  const unique_key = newId('job')
  return context.database.transaction(async (tx) => {
    await enqueue(tx, context, { portal_id, kind, unique_key, after_ms: 3_600_000 })
    const { id } = await tx
      .updateTable('jobs')
      .set({ attempts: 5, dead_at: isoTime(context.clock.now()), last_error: 'the test let it fail\nat once' })
      .where('portal_id', '=', portal_id)
      .where('unique_key', '=', unique_key)
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}
