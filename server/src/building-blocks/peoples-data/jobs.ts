import { statSync } from 'node:fs'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { day, hour, minute } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { discardBytesJob } from '../questionnaires/files/job-names.ts'
import { completeErasures, type Eraser, rememberLedger } from './commands.ts'
import { ledgerFile } from './ledger.ts'
import { applyRetention, forgetCopiesJob, longestRunMs, recordKinds, valueKinds } from './retention.ts'
import { forgetJobs, forgetStoredResponses } from './stored-responses.ts'
import { forgetStatistics } from './traces.ts'

export const peoplesDataJobs = (
  withdraw: Eraser['withdraw'],
  compareLedger = createComparison(),
): readonly JobDefinition[] => [
  {
    // What a command that was killed has left to do, and what a restore that was killed did not come to.
    kind: 'peoples_data.complete_erasures',
    every_ms: minute,
    timeout_ms: 30 * minute,
    async run(context, { signal }) {
      // What the database knows is erased also where the list is damaged.
      const compared = await Promise.allSettled([compareLedger(context)])
      await completeErasures(context, { withdraw, signal })
      for (const one of compared) if (one.status === 'rejected') throw one.reason
    },
  },
  {
    kind: 'peoples_data.retention',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: longestRunMs,
    run: (context, { signal }) => applyRetention(context, recordKinds, { withdraw, signal }),
  },
  {
    // What repeats the records that retention has deleted.
    kind: forgetCopiesJob,
    timeout_ms: 30 * minute,
    async run(context, { portal_id, signal }) {
      await forgetStoredResponses(context, portal_id, signal)
      await forgetJobs(context, portal_id, discardBytesJob)
      await forgetStatistics(context)
    },
  },
  {
    kind: 'peoples_data.retention_of_values',
    every_ms: day,
    needs_clock: true,
    timeout_ms: 30 * minute,
    run: (context, { signal }) => applyRetention(context, valueKinds, { withdraw, signal }),
  },
]

/** Compares the list with the database when it has grown, and from time to time: an older database may have been put back. */
function createComparison(): (context: Context) => Promise<void> {
  // By the settings: the database of a job is one of its own.
  const compared = new WeakMap<Context['config'], { size: number; at: number }>()
  return async (context) => {
    const { config } = context
    const size = statSync(ledgerFile(config), { throwIfNoEntry: false })?.size ?? 0
    const at = performance.now()
    const last = compared.get(config)
    if (last?.size === size && at - last.at < 10 * minute) return
    await rememberLedger(context)
    compared.set(config, { size, at })
  }
}
