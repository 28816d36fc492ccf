import { defineStates } from '../../../platform/protocol/states.ts'

const redeliver = { by: 'owner', to: 'pending' } as const
const recover = { by: 'job', to: 'pending' } as const
const outcomes = {
  succeed: { by: 'job', to: 'succeeded' },
  retry: { by: 'job', to: 'retrying' },
  fail: { by: 'job', to: 'failed' },
  skip: { by: 'job', to: 'skipped' },
  cancel: { by: 'job', to: 'cancelled' },
} as const

export const deliveryStates = defineStates({
  type: 'webhook_delivery',
  noun: 'delivery',
  initial: 'pending',
  // What happens while an endpoint is paused or disabled is kept, and not sent by itself.
  alsoInitial: ['skipped'],
  table: {
    pending: { redeliver, ...outcomes },
    retrying: { redeliver, ...outcomes },
    succeeded: { redeliver, recover },
    failed: { redeliver, recover },
    skipped: { redeliver, recover, cancel: outcomes.cancel },
    cancelled: {},
  },
})
export type DeliveryState = (typeof deliveryStates.states)[number]
