import { portalIds } from '../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { isoTime, minute } from '../../platform/clock.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { expireApplication, expireOffer } from './expiry-commands.ts'
import { listDue } from './queries.ts'

export const dealApplicationJobs: readonly JobDefinition[] = [
  {
    kind: 'deal_applications.expire',
    every_ms: 5 * minute,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const now = isoTime(context.clock.expiry())
      for (const portal_id of await portalIds(context)) {
        const caller = { context, portal_id, request_id: null, is_job: true } as const
        for (const { id } of await listDue(context.database.read, portal_id, 'offer_expires_at', now, batchSize)) {
          if (signal.aborted) return
          await inTransaction(context.database, (tx) => expireOffer(tx, caller, id))
        }
        for (const { id } of await listDue(context.database.read, portal_id, 'expires_at', now, batchSize)) {
          if (signal.aborted) return
          await inTransaction(context.database, (tx) => expireApplication(tx, caller, id))
        }
      }
    },
  },
]

/** The rest is done by the next run of the job. */
const batchSize = 500
