import { hour, isoTime, minute } from '../../platform/clock.ts'
import { portalIds } from '../../platform/housekeeping.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { JobDefinition } from '../../platform/jobs.ts'
import { expireIntake } from './commands.ts'
import { listExpiredIntakes } from './queries.ts'

export const clientIntakeJobs: readonly JobDefinition[] = [
  {
    kind: 'client_intake.expire',
    every_ms: hour,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      for (const portal_id of await portalIds(context)) {
        const due = await listExpiredIntakes(context.database.read, portal_id, isoTime(context.clock.now()), batchSize)
        for (const { id } of due) {
          if (signal.aborted) return
          const caller = { context, portal_id, request_id: null }
          try {
            await context.database.transaction((tx) => expireIntake(tx, caller, id))
          } catch (error) {
            // Somebody took it up at this very moment: then it has not expired.
            if (!(error instanceof ApiError && error.code === 'precondition_failed')) throw error
          }
        }
      }
    },
  },
]

/** What is left over waits for the next round. */
const batchSize = 500
