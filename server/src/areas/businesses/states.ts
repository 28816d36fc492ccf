import { ApiError } from '../../platform/protocol/errors.ts'
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

/** Nothing new begins for a business that is archived. */
export function requireActive({ state }: { state: BusinessState }, action: string): void {
  if (state === 'active') return
  const available_actions = businessStates.availableActions(state, 'owner')
  // The caller acts on another record: the actions are those of its business.
  const message = `Restore the business first. Actions of the business: ${available_actions.join(', ')}.`
  throw new ApiError('state_conflict', {
    message: `Cannot ${action}: the business is archived.`,
    details: [
      { location: 'state', name: 'business', code: 'state_conflict', message, meta: { state, available_actions } },
    ],
  })
}
