import { portalIds } from '../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
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
      const { clock, database } = context
      const each = attemptSeparately(context, signal)
      for (const portal_id of await portalIds(context))
        await each.attempt({ portal_id }, async () => {
          const caller = { context, portal_id, request_id: null }
          const due = await listExpiredIntakes(database.read, portal_id, isoTime(clock.expiry()), batchSize)
          for (const { id } of due)
            await each.attempt({ portal_id, application_id: id }, () =>
              inTransaction(database, (tx) => expireIntake(tx, caller, id)),
            )
        })
      each.end()
    },
  },
]

/** The rest is expired by the next run of the job. */
const batchSize = 500
