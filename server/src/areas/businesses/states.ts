/** What can be done with a business, by state. */
export const businessActions = {
  active: ['update', 'archive'],
  archived: ['update', 'restore'],
} as const

export type BusinessState = keyof typeof businessActions
export type BusinessAction = (typeof businessActions)[BusinessState][number]

export function isAllowed(state: BusinessState, action: BusinessAction): boolean {
  return (businessActions[state] as readonly string[]).includes(action)
}
