/** The only source of the current time, so that tests can move it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Asked again and again for the same moment while a request is carried out. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== latest) {
    latest = milliseconds
    latestText = new Date(milliseconds).toISOString()
  }
  return latestText
}

let latest = 0
let latestText = new Date(latest).toISOString()

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
