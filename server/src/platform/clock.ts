/** The only source of the current time, so that tests can move it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
