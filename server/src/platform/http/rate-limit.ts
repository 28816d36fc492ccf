// Token buckets: each key may burst to its quota and refills evenly over the window.
// One process counts in memory; a shared counter implements the same interface.
import type { Clock } from '../clock.ts'
import type { RateClass, RateLimit } from '../config.ts'

export interface RateDecision {
  isAllowed: boolean
  remaining: number
  /** Until the bucket is full again. */
  reset_seconds: number
  /** Until one request would be allowed. */
  retry_seconds: number
}

export interface RateLimiter {
  take(keyId: string, rateClass: RateClass, limit: RateLimit): RateDecision | Promise<RateDecision>
}

export function createMemoryRateLimiter(clock: Pick<Clock, 'now'>): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    take(keyId, rateClass, { quota, window_seconds }) {
      const now = clock.now()
      const name = `${keyId} ${rateClass}`
      const perSecond = quota / window_seconds
      let bucket = buckets.get(name)
      if (!bucket) {
        if (buckets.size >= maximumBuckets) buckets.clear()
        bucket = { tokens: quota, at: now }
        buckets.set(name, bucket)
      }
      // A clock that is set back must not take tokens away.
      const elapsedSeconds = Math.max(0, now - bucket.at) / 1000
      bucket.tokens = Math.min(quota, bucket.tokens + elapsedSeconds * perSecond)
      bucket.at = now
      // A hair of tolerance: refilling in parts may end at 0.9999999999999999.
      const isAllowed = bucket.tokens >= 1 - 1e-9
      if (isAllowed) bucket.tokens = Math.max(0, bucket.tokens - 1)
      return {
        isAllowed,
        remaining: Math.floor(bucket.tokens),
        reset_seconds: Math.ceil((quota - bucket.tokens) / perSecond),
        retry_seconds: Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond)),
      }
    },
  }
}

export function policyHeader(rateClass: RateClass, { quota, window_seconds }: RateLimit): string {
  return `"${rateClass}";q=${quota};w=${window_seconds}`
}

export function remainingHeader(rateClass: RateClass, decision: RateDecision): string {
  return `"${rateClass}";r=${decision.remaining};t=${decision.reset_seconds}`
}

/** A bucket forgotten is a bucket full: the bound costs a caller nothing. */
const maximumBuckets = 100_000
