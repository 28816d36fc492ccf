import { setTimeout } from 'node:timers/promises'
import { claimJobs, type JobDefinition } from '../platform/background/jobs.ts'
import { runJob } from '../platform/background/run-job.ts'
import type { Caller } from '../platform/context.ts'

/** Does the demo's jobs of a kind, and waits for those that a worker has taken: what follows needs their results. */
export async function finishDemoJobs(
  { context, portal_id }: Caller,
  definitions: readonly JobDefinition[],
  kind: string,
): Promise<void> {
  const { read } = context.database
  const definition = definitions.find((one) => one.kind === kind)
  if (!definition) throw new Error(`there is no job ${kind}`)
  for (;;) {
    for (const job of await claimJobs(context, portal_id, [kind], 10)) await runJob(context, definition, job)
    const left = await read
      .selectFrom('jobs')
      .select('id')
      .where('portal_id', '=', portal_id)
      .where('kind', '=', kind)
      .where('dead_at', 'is', null)
      .limit(1)
      .execute()
    if (left.length === 0) return
    await setTimeout(50)
  }
}
