import { chainOnce, portalsToChain } from '../../platform/audit/chain.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
import { second } from '../../platform/clock.ts'

export const auditLogJobs: readonly JobDefinition[] = [
  {
    kind: 'audit_log.chain',
    every_ms: 5 * second,
    async run(context, { signal }) {
      const { database } = context
      const each = attemptSeparately(context, signal)
      // A round for each Portal, and again for those with more, so that a long queue does not hold up the others.
      for (let waiting = await portalsToChain(database.read); waiting.length > 0 && !signal.aborted; ) {
        const more: string[] = []
        for (const portal_id of waiting)
          await each.attempt({ portal_id }, async () => {
            if (await chainOnce(database, portal_id)) more.push(portal_id)
          })
        waiting = more
      }
      each.end()
    },
  },
]
