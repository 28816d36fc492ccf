import { day } from '../platform/clock.ts'
import type { Caller } from '../platform/context.ts'

/** The caller as it was some days before the day of the demo, so that not everything in it happens at once. */
export function daysAgo({ context, ...caller }: Caller, days: number): Caller {
  const now = context.clock.now() - days * day
  return { ...caller, context: { ...context, clock: { ...context.clock, now: () => now } } }
}
