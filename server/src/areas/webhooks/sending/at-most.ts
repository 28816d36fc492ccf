import { setTimeout as wait } from 'node:timers/promises'

/** Resolves with `work`, or when the time is up. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const resting = new AbortController()
  await Promise.race([work, wait(milliseconds, undefined, { signal: resting.signal }).catch(() => undefined)])
  resting.abort()
}
