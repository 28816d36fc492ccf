import { defineStates } from '../../../platform/protocol/states.ts'

const update = { by: 'owner' } as const
const publish = { by: 'owner', to: 'open' } as const
const pause = { by: 'owner', to: 'paused' } as const
const close = { by: 'owner', to: 'closed' } as const

/** A programme can also be created open or scheduled; nothing leads back to draft. */
export const programStates = defineStates({
  type: 'funding_program',
  noun: 'programme',
  initial: 'draft',
  alsoInitial: ['open', 'scheduled'],
  table: {
    draft: { update, publish, close },
    scheduled: { update, publish, pause, close },
    open: { update, pause, close },
    paused: { update, publish, close },
    closed: { update, publish },
  },
})
export type ProgramState = (typeof programStates.states)[number]
export type ProgramAction = (typeof programStates.transitions)[number]['action']

/** In these, projects are matched with a programme. */
export const matchedStates: readonly ProgramState[] = ['open', 'scheduled']
