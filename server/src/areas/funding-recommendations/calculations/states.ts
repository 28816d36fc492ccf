import { defineStates } from '../../../platform/protocol/states.ts'

/** A calculation is asked for by its Portal; everything after that happens by itself. */
export const calculationStates = defineStates({
  type: 'match_calculation',
  noun: 'calculation',
  initial: 'queued',
  table: {
    queued: { start: { by: 'job', to: 'running' }, fail: { by: 'job', to: 'failed', event: 'failed' } },
    running: {
      start: { by: 'job' },
      complete: { by: 'job', to: 'completed', event: 'completed' },
      fail: { by: 'job', to: 'failed', event: 'failed' },
    },
    completed: {},
    failed: {},
  },
})
export type CalculationState = (typeof calculationStates.states)[number]
export type CalculationAction = (typeof calculationStates.transitions)[number]['action']
