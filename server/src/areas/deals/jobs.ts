import { readSetting } from '../../building-blocks/portals/settings.ts'
import { enqueue, type JobDefinition } from '../../platform/background/jobs.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { listStages } from './queries.ts'
import { relabelDeal, relabelJob } from './stage-commands.ts'
import { changedStageOf, dealStages } from './stages.ts'

export const dealJobs: readonly JobDefinition[] = [
  {
    kind: relabelJob,
    async run(context, { portal_id, payload: { after = '' }, request_id, signal }) {
      const { database } = context
      // Only tells which deals to look at: what they get is read again when the deal is held.
      const stages = await readSetting(database.read, portal_id, dealStages)
      const caller = { context, portal_id, request_id, is_job: true } as const
      // safe because this job writes nothing else
      const deals = await listStages(database.read, portal_id, after as string, batchSize)
      for (const deal of deals) {
        if (signal.aborted) throw signal.reason
        if (changedStageOf(stages, deal)) await inTransaction(database, (tx) => relabelDeal(tx, caller, deal))
      }
      const last = deals[batchSize - 1]
      if (last)
        await inTransaction(database, (tx) =>
          enqueue(tx, context, { portal_id, kind: relabelJob, payload: { after: last.id }, request_id }),
        )
    },
  },
]

/**
 * One after the other, so that a Portal with many deals does not keep a worker from others. A batch that is cut short
 * begins again and passes over what it has done; few enough for one attempt on a slow disk.
 */
const batchSize = 100
