import { portalIds } from '../../../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../../../platform/background/jobs.ts'
import { attemptSeparately } from '../../../../platform/background/separate-attempts.ts'
import { day, hour, isoTime, minute } from '../../../../platform/clock.ts'
import { removeDeadImports } from './commands.ts'

export const programImportJobs: readonly JobDefinition[] = [
  {
    // What an import that was killed has left, unless another import of the recipient has removed it already.
    kind: 'funding_programs.remove_dead_imports',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const startedBefore = isoTime(context.clock.expiry() - day)
      const each = attemptSeparately(context, signal)
      for (const portal_id of await portalIds(context))
        await each.attempt({ portal_id }, () => removeDeadImports(context, portal_id, startedBefore, signal))
      each.end()
    },
  },
]
