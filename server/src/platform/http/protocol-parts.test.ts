// The deciding parts of the protocol that are pure: ETags, negotiation, rates.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../protocol/errors.ts'
import { etagOf, isKnown, parseIfMatch, requireVersion } from '../protocol/etag.ts'
import { acceptsJson, errorType, qualityOf } from './negotiation.ts'
import { createMemoryRateLimiter } from './rate-limit.ts'

const codeOf = (act: () => unknown) => {
  try {
    act()
    return 'ok'
  } catch (error) {
    return error instanceof ApiError ? error.code : error
  }
}

describe('ETags', () => {
  const updated_at = '2026-01-31T12:00:00.000Z'
  const current = etagOf({ id: 'biz_1', version: 3, updated_at })

  test.each([
    ['the current tag', current, 'ok'],
    ['a list with the current tag', `"a", ${current}`, 'ok'],
    ['another tag', '"a"', 'precondition_failed'],
    ['the current tag, weakened', `W/${current}`, 'precondition_failed'],
    ['an empty tag', '""', 'precondition_failed'],
    ['a wildcard', '*', 'invalid_if_match'],
    ['no quotes', 'abc', 'invalid_if_match'],
    ['one quote', '"abc', 'invalid_if_match'],
    ['nothing', '', 'invalid_if_match'],
    ['a list with a hole', `${current},,`, 'invalid_if_match'],
  ])('If-Match with %s', (_, header, outcome) => {
    expect(codeOf(() => requireVersion(parseIfMatch(header), current))).toBe(outcome)
  })

  test('versions and records never share a tag', () => {
    const tags = new Set(
      ['a', 'b', 'c'].flatMap((id) => Array.from({ length: 100 }, (_, version) => etagOf({ id, version, updated_at }))),
    )
    expect(tags.size).toBe(300)
  })

  test('a version that is written anew after a restore has another tag', () => {
    expect(etagOf({ id: 'biz_1', version: 3, updated_at: '2026-02-01T12:00:00.000Z' })).not.toBe(current)
  })

  test('If-None-Match compares weakly and knows lists and the wildcard', () => {
    expect([
      isKnown(current, current),
      isKnown(`W/${current}`, current),
      isKnown(`"x", ${current}`, current),
      isKnown('*', current),
    ]).toEqual([true, true, true, true])
    expect([isKnown(undefined, current), isKnown('"x"', current)]).toEqual([false, false])
  })
})

describe('negotiation', () => {
  test.each([
    [undefined, true],
    ['*/*', true],
    ['application/json', true],
    ['application/*', true],
    ['application/problem+json', true],
    ['text/html, application/json;q=0.1', true],
    ['text/html, */*;q=0.8', true],
    ['text/html', false],
    ['application/json;q=0', false],
    ['*/*, application/json;q=0, application/problem+json;q=0', false],
    ['image/*', false],
  ])('Accept: %s takes JSON: %s', (accept, expected) => {
    expect(acceptsJson(accept)).toBe(expected)
  })

  test('the most specific range decides, and the better liked name is used for errors', () => {
    expect(qualityOf('*/*;q=0.1, application/*;q=0.5, application/json;q=0.9', 'application/json')).toBe(0.9)
    expect(errorType('application/problem+json')).toContain('problem')
    expect(errorType('application/json, application/problem+json')).not.toContain('problem')
    expect(errorType(undefined)).not.toContain('problem')
  })
})

describe('rates', () => {
  test('for any quota and any pace: never more than the burst plus the refill, and Retry-After is always enough', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(3000), { maxLength: 80 }),
        (quota, window_seconds, gaps) => {
          let now = 1_000_000
          const limiter = createMemoryRateLimiter({ now: () => now })
          const take = () => {
            const decision = limiter.take('key', 'read', { quota, window_seconds })
            if (decision instanceof Promise) throw new Error('memory answers at once')
            return decision
          }
          const start = now
          let allowed = 0
          for (const gap of gaps) {
            now += gap
            const decision = take()
            if (decision.isAllowed) allowed++
            else {
              now += decision.retry_seconds * 1000
              expect(take().isAllowed).toBe(true)
              allowed++
            }
            expect(decision.remaining).toBeLessThanOrEqual(quota)
          }
          expect(allowed).toBeLessThanOrEqual(quota + ((now - start) / 1000) * (quota / window_seconds) + 1e-6)
        },
      ),
    )
  })

  test('a clock that is set back takes nothing away', () => {
    let now = 1_000_000
    const limiter = createMemoryRateLimiter({ now: () => now })
    limiter.take('key', 'read', { quota: 2, window_seconds: 10 })
    now -= 3_600_000
    expect(limiter.take('key', 'read', { quota: 2, window_seconds: 10 })).toMatchObject({
      isAllowed: true,
      remaining: 0,
    })
  })
})
