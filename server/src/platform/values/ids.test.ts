import { afterEach, expect, test, vi } from 'vitest'
import { idPattern, newId } from './ids.ts'

afterEach(() => vi.useRealTimers())

test('an id is a UUID of version 7: its time, version and variant are where the standard puts them', () => {
  vi.useFakeTimers({ now: 1_800_000_000_123, toFake: ['Date'] })
  for (let i = 0; i < 1000; i++) {
    const bits = bitsOf(newId('biz'))
    expect(Number.parseInt(bits.slice(0, 48), 2)).toBe(1_800_000_000_123)
    expect([bits.slice(48, 52), bits.slice(64, 66)]).toEqual(['0111', '10'])
  }
})

test('ids are all different and sort in the order they were made, also within one millisecond and while the clock is set back a little', () => {
  vi.useFakeTimers({ now: 1_900_000_000_000, toFake: ['Date'] })
  const ids: string[] = []
  for (let i = 0; i < 50_000; i++) {
    if (i % 5000 === 0) vi.setSystemTime(1_900_000_000_000 + (i % 10_000 === 0 ? i / 10 : -i / 10))
    ids.push(newId('evt'))
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

test('a clock that was far ahead does not stay in the ids', () => {
  vi.useFakeTimers({ now: 2_000_000_000_000, toFake: ['Date'] })
  newId('biz')
  vi.setSystemTime(1_950_000_000_000)
  expect(Number.parseInt(bitsOf(newId('biz')).slice(0, 48), 2)).toBe(1_950_000_000_000)
})

test('every id has the form that schemas and paths ask for', () => {
  for (let i = 0; i < 1000; i++) expect(newId('own')).toMatch(new RegExp(idPattern('own')))
})

/** The 128 bits of an id. */
function bitsOf(id: string): string {
  const bits = [...(id.split('_')[1] ?? '')].map((c) =>
    '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(c).toString(2).padStart(5, '0'),
  )
  return bits.join('').slice(2)
}
