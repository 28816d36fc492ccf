import { chainOnce, portalsToChain } from '../../platform/audit/chain.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { second } from '../../platform/clock.ts'

export const auditLogJobs: readonly JobDefinition[] = [
  {
    kind: 'audit_log.chain',
    every_ms: 5 * second,
    async run({ database }, { signal }) {
      // A round for each Portal, and again for those with more, so that a long queue does not hold up the others.
      for (let waiting = await portalsToChain(database.read); waiting.length > 0 && !signal.aborted; ) {
        const more: string[] = []
        for (const portalId of waiting) if (await chainOnce(database, portalId)) more.push(portalId)
        waiting = more
      }
    },
  },
]
