import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day, hour, minute, second } from '../../../platform/clock.ts'
import { retryAfterMs, waitAfter } from './schedule.ts'

/** The waits that the guide promises to integrators: a row for each attempt. */
const guide = readFileSync(new URL('../../../../../docs/guides/receive-updates.md', import.meta.url), 'utf8')
const units = { seconds: second, minutes: minute, hours: hour }
const promised = [...guide.matchAll(/^\| `\d+` \| (?:at once|(\d+) (seconds|minutes|hours)) \|$/gm)].map(
  // safe because the pattern knows no other units
  ([, count, unit]) => Number(count ?? 0) * units[(unit ?? 'seconds') as keyof typeof units],
)

describe('the schedule of attempts', () => {
  test('has ten attempts at the promised steps, and then no more', () => {
    expect(promised).toHaveLength(10)
    const waits = promised.map((_, index) => waitAfter(index + 1, { random: 0 }))
    expect(waits).toEqual([...promised.slice(1), undefined])
  })

  test('jitter only ever makes a wait longer, by a tenth at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const step = promised[attempts] ?? 0
          const wait = waitAfter(attempts, { random }) ?? 0
          return wait >= step && wait <= step * 1.1
        },
      ),
    )
  })

  test('a receiver that asks for time gets it, up to twice the step', () => {
    expect(waitAfter(2, { retryAfterMs: 7 * minute, random: 0 })).toBe(7 * minute)
    expect(waitAfter(2, { retryAfterMs: 30 * day, random: 0 })).toBe(10 * minute)
    expect(waitAfter(2, { retryAfterMs: second, random: 0 })).toBe(5 * minute)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-03-31T12:00:00Z')
  test.each([
    [undefined, 0],
    ['120', 120 * second],
    [' 7 ', 7 * second],
    ['Tue, 31 Mar 2026 12:01:00 GMT', minute],
    ['Tue, 31 Mar 2026 11:59:00 GMT', 0],
    ['-5', 0],
    ['soon', 0],
    ['1e9', 0],
    ['9'.repeat(12), (10 ** 12 - 1) * second],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['2026', 2026 * second],
  ])('%s asks for %d ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected)
  })
})
