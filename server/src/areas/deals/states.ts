import { defineStates } from '../../platform/protocol/states.ts'

/** The sender has the deal, the recipient works on it. In a deal for the own Portal one Portal is both. */
export type Party = 'sender' | 'recipient'

// Each party changes fields of its own, whatever state the deal is in.
const update = { by: ['sender', 'recipient'] } as const
const withdraw = { by: 'sender', to: 'withdrawn', event: 'withdrawn' } as const
// What follows by itself from the deal's application, also while the deal is on hold.
const move = { event: 'stage_changed' } as const
const win = { to: 'won', event: 'won' } as const
const lose = { to: 'lost', event: 'lost' } as const
const expire = { by: 'job', to: 'expired', event: 'expired' } as const
const reopen = { to: 'open', event: 'reopened' } as const

export const dealStates = defineStates({
  type: 'deal',
  noun: 'deal',
  initial: 'open',
  table: {
    open: {
      update,
      move: { by: ['recipient', 'job'], ...move },
      hold: { by: 'recipient', to: 'on_hold', event: 'on_hold' },
      win: { by: ['recipient', 'job'], ...win },
      lose: { by: ['recipient', 'job'], ...lose },
      withdraw,
      expire,
    },
    on_hold: {
      update,
      move: { by: 'job', ...move },
      resume: { by: 'recipient', to: 'open', event: 'resumed' },
      win: { by: 'job', ...win },
      lose: { by: 'job', ...lose },
      withdraw,
      expire,
    },
    won: { update },
    lost: { update, reopen: { by: 'recipient', ...reopen } },
    withdrawn: { update },
    // It ended because the sender did not go on, so the sender may go on again.
    expired: { update, reopen: { by: ['sender', 'recipient'], ...reopen } },
  },
})

/** What is in the way of an action that the state allows. */
export function dealObstacle({
  submitted_application_id,
  erased_at,
}: {
  submitted_application_id: string | null
  erased_at: string | null
}) {
  return (action: DealAction): string | undefined => {
    // It is won when its application is funded, or the two would tell different stories.
    if (action === 'win' && submitted_application_id !== null)
      return 'the deal has a submitted application. Fund the application to win the deal.'
    // Nobody is left on the other side.
    if (action === 'reopen' && erased_at !== null) return 'the sender has erased the business.'
    return undefined
  }
}
export type DealState = (typeof dealStates.states)[number]
export type DealAction = (typeof dealStates.transitions)[number]['action']
