/**
 * The only source of the current time, so that tests can move it. Decision 0022 says which of these each part of Portico
 * uses, and why.
 */
export interface Clock {
  /** Portico's own time, which does not follow a jump of the machine's clock until the jump is believed. */
  now(): number
  /** What the clock of the machine says: for what others compare with their own clocks. */
  wall(): number
  /** The time up to which records may expire and old rows may be deleted. Never ahead of `now`, and usually equal. */
  expiry(): number
  /** True while the machine's clock has jumped and is not believed. */
  isDoubted(): boolean
}

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
