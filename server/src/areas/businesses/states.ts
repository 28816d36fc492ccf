import { defineStates } from '../../platform/protocol/states.ts'

export const businessStates = defineStates({
  type: 'business',
  noun: 'business',
  initial: 'active',
  table: {
    active: {
      update: { by: 'owner', event: 'updated' },
      archive: { by: 'owner', to: 'archived', event: 'archived' },
    },
    archived: {
      update: { by: 'owner', event: 'updated' },
      restore: { by: 'owner', to: 'active', event: 'restored' },
    },
  },
})
export type BusinessState = (typeof businessStates.states)[number]
