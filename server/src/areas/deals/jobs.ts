import { readSetting } from '../../building-blocks/portals/settings.ts'
import { enqueue, type JobDefinition } from '../../platform/background/jobs.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { listLabels } from './queries.ts'
import { relabelDeal, relabelJob } from './stage-commands.ts'
import { dealStages } from './stages.ts'

export const dealJobs: readonly JobDefinition[] = [
  {
    kind: relabelJob,
    async run(context, { portal_id, payload: { after = '' }, signal }) {
      const { database } = context
      const stages = await readSetting(database.read, portal_id, dealStages)
      const labels = new Map(stages.map(({ key, label }) => [key, label]))
      const caller = { context, portal_id, request_id: null, is_job: true } as const
      // safe because this job writes nothing else
      const deals = await listLabels(database.read, portal_id, after as string, batchSize)
      for (const deal of deals) {
        if (signal.aborted) throw signal.reason
        const label = labels.get(deal.stage_key)
        if (label !== undefined && label !== deal.stage_label)
          await inTransaction(database, (tx) => relabelDeal(tx, caller, deal, stages))
      }
      const last = deals[batchSize - 1]
      if (last)
        await inTransaction(database, (tx) =>
          enqueue(tx, context, { portal_id, kind: relabelJob, payload: { after: last.id } }),
        )
    },
  },
]

/** One after the other, so that a Portal with many deals does not keep a worker from others. */
const batchSize = 500
