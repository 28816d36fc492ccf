import { portalIds } from '../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { hour, isoTime, minute } from '../../platform/clock.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { expireIntake } from './commands.ts'
import { listExpiredIntakes } from './queries.ts'

export const clientIntakeJobs: readonly JobDefinition[] = [
  {
    kind: 'client_intake.expire',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      for (const portal_id of await portalIds(context)) {
        const due = await listExpiredIntakes(
          context.database.read,
          portal_id,
          isoTime(context.clock.expiry()),
          batchSize,
        )
        for (const { id } of due) {
          if (signal.aborted) return
          const caller = { context, portal_id, request_id: null }
          await inTransaction(context.database, (tx) => expireIntake(tx, caller, id))
        }
      }
    },
  },
]

/** The rest is expired by the next run of the job. */
const batchSize = 500
