import type { JobDefinition } from '../../platform/background/jobs.ts'
import { day, hour, minute } from '../../platform/clock.ts'
import { completeErasures, type Eraser, rememberLedger } from './commands.ts'
import { applyRetention, recordKinds, valueKinds } from './retention.ts'

export const peoplesDataJobs = (withdraw: Eraser['withdraw']): readonly JobDefinition[] => [
  {
    // What a command that was killed has left to do, and what a restore that was killed did not come to.
    kind: 'peoples_data.complete_erasures',
    every_ms: minute,
    timeout_ms: 30 * minute,
    async run(context, { signal }) {
      await rememberLedger(context)
      await completeErasures(context, { withdraw, signal })
    },
  },
  {
    kind: 'peoples_data.retention',
    every_ms: hour,
    needs_clock: true,
    timeout_ms: 4 * minute,
    run: (context, { signal }) => applyRetention(context, recordKinds, { withdraw, signal }),
  },
  {
    kind: 'peoples_data.retention_of_values',
    every_ms: day,
    needs_clock: true,
    timeout_ms: 30 * minute,
    run: (context, { signal }) => applyRetention(context, valueKinds, { withdraw, signal }),
  },
]
