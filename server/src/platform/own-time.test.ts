import { describe, expect, test } from 'vitest'
import { day, hour, minute, second } from './clock.ts'
import { createOwnTime, type Machine } from './own-time.ts'

const start = Date.parse('2026-11-15T12:00:00Z')

/** A machine whose clocks stand still until they are moved. */
function newMachine() {
  const clocks = { wall: start, ticks: 1000, uptime: 500_000 }
  const machine: Machine = {
    wall: () => clocks.wall,
    ticks: () => clocks.ticks,
    uptime: () => clocks.uptime,
  }
  const time = createOwnTime(machine)
  const pass = (milliseconds: number) => {
    for (const name of ['wall', 'ticks', 'uptime'] as const) clocks[name] += milliseconds
  }
  return {
    time,
    clocks,
    pass,
    /** Time passes, with a look every five seconds; what the looks found. */
    passWatched(milliseconds: number) {
      const found: string[] = []
      for (let left = milliseconds; left > 0; left -= 5 * second) {
        pass(Math.min(left, 5 * second))
        const change = time.look(clocks.wall)
        if (change) found.push(change.kind)
      }
      return found
    },
  }
}

const ago = (time: number) => (time - start) / second

describe('own time', () => {
  test('follows a clock that runs on, and small corrections of it', () => {
    const { time, clocks, passWatched } = newMachine()
    expect(passWatched(hour)).toEqual([])
    clocks.wall -= 30 * second
    expect(passWatched(minute)).toEqual([])
    expect([ago(time.now()), ago(time.expiry()), time.isDoubted()]).toEqual([3630, 3630, false])
  })

  for (const [name, jump] of [
    ['40 days ahead', 40 * day],
    ['1 day back', -day],
    ['1 hour back', -hour],
    ['2 minutes ahead', 2 * minute],
  ] as const) {
    test(`a jump ${name} is noticed and not followed; nothing expires until the clock is back`, () => {
      const { time, clocks, passWatched } = newMachine()
      passWatched(minute)
      clocks.wall += jump
      expect([ago(time.now()), time.isDoubted()]).toEqual([60, true])
      expect(passWatched(30 * minute)).toEqual(['jumped'])
      expect([ago(time.now()), ago(time.expiry()), time.difference()]).toEqual([60 + 1800, 65, jump])
      clocks.wall -= jump
      expect(passWatched(10 * minute)).toEqual(['returned'])
      expect([ago(time.now()), time.isDoubted(), time.difference()]).toEqual([60 + 1800 + 600, false, undefined])
    })
  }

  test('a jump is followed when an hour of steady time has passed, and expiry then catches up six times as fast', () => {
    const { time, clocks, passWatched } = newMachine()
    passWatched(minute)
    clocks.wall += 40 * day
    expect(passWatched(hour - minute)).toEqual(['jumped'])
    expect(passWatched(2 * minute)).toEqual(['believed'])
    const before = time.expiry()
    expect(time.now()).toBe(clocks.wall)
    passWatched(hour)
    expect((time.expiry() - before) / hour).toBeCloseTo(6)
    passWatched(9 * day)
    expect(time.expiry()).toBe(time.now())
  })

  test('a jump back that is believed takes expiry back with it', () => {
    const { time, clocks, passWatched } = newMachine()
    passWatched(minute)
    clocks.wall -= day
    passWatched(hour + minute)
    expect([time.now(), time.expiry()]).toEqual([clocks.wall, clocks.wall])
  })

  test('a clock that jumps again while it is doubted is doubted for another hour', () => {
    const { time, clocks, passWatched } = newMachine()
    passWatched(minute)
    clocks.wall += 40 * day
    passWatched(50 * minute)
    clocks.wall += day
    expect(passWatched(50 * minute)).toEqual(['jumped'])
    expect(time.isDoubted()).toBe(true)
  })

  test('a jump is followed at once when it is accepted; expiry catches up in steps all the same', () => {
    const { time, clocks, passWatched } = newMachine()
    passWatched(minute)
    clocks.wall += 40 * day
    passWatched(minute)
    expect(time.accept(clocks.wall)).toEqual({ kind: 'accepted', difference_ms: 40 * day })
    expect(time.now()).toBe(clocks.wall)
    expect(ago(time.expiry())).toBeLessThan(2 * 60)
    expect(passWatched(hour)).toEqual([])
  })

  test('a machine that has slept is no jump, and a steady clock that somebody has moved does not hide one', () => {
    const asleep = newMachine()
    asleep.passWatched(minute)
    asleep.clocks.wall += 8 * hour
    asleep.clocks.uptime += 8 * hour
    expect(asleep.passWatched(minute)).toEqual([])
    expect(asleep.time.now()).toBe(asleep.clocks.wall)
    const moved = newMachine()
    moved.passWatched(minute)
    moved.clocks.wall += 40 * day
    moved.clocks.ticks += 40 * day
    expect(ago(moved.time.now())).toBeLessThan(3 * 60)
    expect(moved.passWatched(minute)).toEqual(['jumped'])
    expect(ago(moved.time.now())).toBe(120)
  })

  test('time goes on by the steady clock while the reference cannot be read', () => {
    const { time, pass } = newMachine()
    time.look(start)
    for (let look = 0; look < 100; look++) {
      pass(5 * second)
      time.look(undefined)
    }
    expect([ago(time.now()), time.isDoubted()]).toEqual([500, false])
  })

  test('a machine that differs from the clock of its database is doubted for an hour, not for ever', () => {
    const { time, clocks, pass } = newMachine()
    clocks.wall += 10 * minute
    const look = () => {
      pass(5 * second)
      time.look(clocks.wall - 10 * minute)
    }
    look()
    expect([ago(time.now()), time.isDoubted()]).toEqual([5, true])
    for (let looks = 0; looks < 730; looks++) look()
    expect([ago(time.now()), time.isDoubted()]).toEqual([731 * 5, false])
    clocks.wall += day
    expect(time.isDoubted()).toBe(true)
  })

  describe('at a start', () => {
    const begin = (difference: number, expiryLag = 0) => {
      const machine = newMachine()
      const kept = start - difference
      const change = machine.time.begin(start, { now: kept, expiry: kept - expiryLag })
      return { ...machine, change, kept }
    }

    test('a stop of up to a day is no jump', () => {
      for (const stop of [0, minute, 23 * hour])
        expect([begin(stop).change, begin(stop).time.now()]).toEqual([undefined, start])
    })

    test('a clock that is days ahead of the kept time is followed, but nothing expires for an hour', () => {
      for (const difference of [40 * day, 2 * day]) {
        const { time, clocks, change, kept, passWatched } = begin(difference)
        expect(change).toEqual({ kind: 'jumped', difference_ms: difference })
        expect([time.now(), time.believed(), time.expiry(), time.isDoubted()]).toEqual([start, kept, kept, true])
        expect(passWatched(hour - minute)).toEqual([])
        expect([time.now(), time.expiry()]).toEqual([clocks.wall, kept])
        expect(passWatched(2 * minute)).toEqual(['believed'])
        expect([time.now(), time.believed()]).toEqual([clocks.wall, clocks.wall])
      }
    })

    test('a clock that was days ahead at the start and comes back is followed back', () => {
      const { time, clocks, kept, passWatched } = begin(40 * day)
      passWatched(minute)
      clocks.wall -= 40 * day
      expect(passWatched(minute)).toEqual(['returned'])
      expect([time.now(), time.isDoubted()]).toEqual([kept + 2 * minute, false])
    })

    test('a clock that is behind the kept time is doubted, and the kept time goes on', () => {
      for (const difference of [-hour, -day]) {
        const { time, change, kept, passWatched } = begin(difference)
        expect(change).toEqual({ kind: 'jumped', difference_ms: difference })
        expect([time.now(), time.expiry(), time.isDoubted()]).toEqual([kept, kept, true])
        expect(passWatched(hour + minute)).toEqual(['believed'])
      }
    })

    test('expiry goes on where it was', () => {
      const { time, kept } = begin(minute, 20 * day)
      expect(time.expiry()).toBe(kept - 20 * day)
    })
  })
})
