import { portalIds } from '../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
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
      const { database } = context
      const each = attemptSeparately(context, signal)
      for (const portal_id of await portalIds(context)) {
        const caller = { context, portal_id, request_id: null, is_job: true } as const
        for (const [due, expire] of expiries)
          await each.attempt({ portal_id }, async () => {
            for (const { id } of await listDue(database.read, portal_id, due, now, batchSize))
              await each.attempt({ portal_id, application_id: id }, () =>
                inTransaction(database, (tx) => expire(tx, caller, id)),
              )
          })
      }
      each.end()
    },
  },
]

const expiries = [
  ['offer_expires_at', expireOffer],
  ['expires_at', expireApplication],
] as const

/** The rest is done by the next run of the job. */
const batchSize = 500
