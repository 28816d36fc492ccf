import { defineStates } from '../../platform/protocol/states.ts'

const update = { by: 'owner' } as const
const withdraw = { by: 'owner', to: 'withdrawn', event: 'withdrawn' } as const
const submit = { by: 'owner', to: 'submitted', event: 'submitted' } as const
const expire = { by: 'job', to: 'expired', event: 'expired' } as const

/** `answer` covers every write of answers, items and files; the first one sets a returned application back to in_progress. */
export const intakeStates = defineStates({
  type: 'client_intake_application',
  noun: 'application',
  initial: 'in_progress',
  table: {
    in_progress: { update, answer: { by: 'owner' }, submit, withdraw, expire },
    submitted: {
      update,
      withdraw,
      accept: { by: 'owner', to: 'accepted', event: 'accepted' },
      reject: { by: 'owner', to: 'rejected', event: 'rejected' },
      return: { by: 'owner', to: 'returned', event: 'returned' },
    },
    returned: { update, answer: { by: 'owner', to: 'in_progress' }, submit, withdraw, expire },
    accepted: { update },
    rejected: { update },
    withdrawn: { update },
    expired: { update },
  },
})
export type IntakeState = (typeof intakeStates.states)[number]
export type IntakeAction = (typeof intakeStates.transitions)[number]['action']
