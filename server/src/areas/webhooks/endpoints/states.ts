import { defineStates } from '../../../platform/protocol/states.ts'

const update = { by: 'owner' } as const
const rotate_secret = { by: 'owner' } as const
const verify = { by: 'owner', to: 'active' } as const

export const webhookStates = defineStates({
  type: 'webhook',
  noun: 'webhook',
  initial: 'pending_verification',
  table: {
    pending_verification: { update, verify, rotate_secret, delete: { by: 'owner' } },
    active: {
      update,
      // A changed URL is verified while the old one keeps receiving.
      verify: { by: 'owner' },
      rotate_secret,
      pause: { by: 'owner', to: 'paused' },
      test: { by: 'owner' },
      delete: { by: 'owner' },
      disable: { by: 'job', to: 'disabled', event: 'disabled' },
    },
    paused: {
      update,
      verify: { by: 'owner' },
      rotate_secret,
      resume: { by: 'owner', to: 'active' },
      delete: { by: 'owner' },
    },
    disabled: { update, verify, rotate_secret, resume: { by: 'owner', to: 'active' }, delete: { by: 'owner' } },
  },
})
export type WebhookState = (typeof webhookStates.states)[number]
export type WebhookAction = (typeof webhookStates.transitions)[number]['action']
