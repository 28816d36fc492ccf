import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRange } from './byte-ranges.ts'

describe('a Range header on a file of 100 bytes', () => {
  test.each([
    [undefined, 'everything'],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=50-1000', { start: 50, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    [`bytes=${'9'.repeat(25)}-`, 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', 'everything'],
    ['bytes=0-1,5-6', 'everything'],
    ['items=0-1', 'everything'],
    ['bytes=-', 'everything'],
    ['bytes=a-b', 'everything'],
  ])('%s asks for %j', (header, expected) => {
    expect(readRange(header, 100)).toEqual(expected)
  })

  test('whatever is asked, a range lies inside the file', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 1000 }), (text, a, b, size) => {
        for (const header of [text, `bytes=${a}-${b}`, `bytes=${a}-`, `bytes=-${b}`]) {
          const range = readRange(header, size)
          if (typeof range === 'string') continue
          expect(range.start).toBeGreaterThanOrEqual(0)
          expect(range.end).toBeGreaterThanOrEqual(range.start)
          expect(range.end).toBeLessThan(size)
        }
      }),
    )
  })
})
