import { defineStates } from '../../platform/protocol/states.ts'

const fail = { by: 'job', to: 'failed' } as const

/** The event of a run that ends is one of its application. */
export const runStates = defineStates({
  type: 'autofill_run',
  noun: 'Autofill run',
  initial: 'queued',
  table: {
    queued: { begin: { by: 'job', to: 'running' }, fail },
    // A run whose process died is begun again.
    running: { begin: { by: 'job' }, complete: { by: 'job', to: 'completed' }, fail },
    completed: { apply: { by: 'owner' } },
    failed: {},
  },
})
export type RunState = (typeof runStates.states)[number]
