/** What can be done with a client intake application, by state. `answer` stands for every write under it. */
export const intakeActions = {
  in_progress: ['update', 'answer', 'submit', 'withdraw'],
  submitted: ['update', 'withdraw', 'accept', 'reject', 'return'],
  returned: ['update', 'answer', 'submit', 'withdraw'],
  accepted: ['update'],
  rejected: ['update'],
  withdrawn: ['update'],
  expired: ['update'],
} as const

export type IntakeState = keyof typeof intakeActions
// safe because the keys of the table are the states
export const intakeStates = Object.keys(intakeActions) as IntakeState[]
export type IntakeAction = (typeof intakeActions)[IntakeState][number]
export const allIntakeActions = [...new Set(Object.values(intakeActions).flat())]

export function isAllowed(state: IntakeState, action: IntakeAction): boolean {
  return (intakeActions[state] as readonly string[]).includes(action)
}
