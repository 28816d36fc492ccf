// When a delivery is tried again. Pure.
import { day, hour, minute, second } from '../../../platform/clock.ts'

/** The waits between attempts: the first is made at once. */
const waits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

/** A receiver can ask for twice the step. */
export const longestWaitMs = 2 * Math.max(...waits)

/** A worker that died with deliveries loses them to another after this time; one that lives renews its claims. */
export const leaseMs = 30 * second

/** An endpoint without one success for so long is disabled. */
export const disableAfterMs = 5 * day

/**
 * How long to wait after an attempt that failed; undefined after the last one. Jitter only makes it longer, so that no
 * attempt comes early. A receiver may ask for more time, up to twice the step.
 */
export function waitAfter(
  attempts: number,
  { retryAfterMs = 0, random = Math.random() }: { retryAfterMs?: number; random?: number } = {},
): number | undefined {
  const step = waits[attempts - 1]
  if (step === undefined) return undefined
  return Math.max(step * (1 + random / 10), Math.min(retryAfterMs, 2 * step))
}

/** The wait that a Retry-After header asks for: seconds, or a date. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * second
  // The forms of RFC 9110 all name a day of the week first; other texts that a parser takes for a date are none.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
