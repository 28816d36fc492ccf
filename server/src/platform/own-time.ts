// Portico's own time. Between two looks at a reference clock it runs by the steady clock of the machine, which nobody can
// set. A look that finds the reference where it should be corrects it; one that finds it elsewhere is a jump:
//   noticed → the own time goes on by itself and nothing expires → the reference comes back, or somebody accepts the jump,
//   or it has lasted an hour of steady time: then the own time follows it.
// At a start, a clock that is far ahead is followed at once, because Portico was most likely stopped; but nothing expires.
// Expiry follows the own time, but at most `catchUpSpeed` times as fast as time passes: however wrong the clock was
// believed to be right, an hour expires no more than what normally expires in six.
import { uptime } from 'node:os'
import { type Clock, day, hour, minute, second } from './clock.ts'

/** How far the reference may be from where it should be. Time servers correct less than this at once. */
export const toleranceMs = minute
/** A stop of Portico looks like a jump ahead. One up to this long is taken for a stop. */
const longestStopMs = day
const believedAfterMs = hour
export const catchUpSpeed = 6
/** Less than this is the noise of measuring. */
const noiseMs = 20
/** The longest time between two looks that is counted without a look. */
const longestStepMs = minute

export type ClockChange =
  | { kind: 'jumped'; difference_ms: number }
  /** The jump is over: the reference is back, was accepted, or has lasted long enough to be believed. */
  | { kind: 'returned' | 'accepted' | 'believed'; difference_ms: number }

/** What the database keeps for the next process. */
interface KeptTime {
  now: number
  expiry: number
}

export interface OwnTime extends Clock {
  /** The first look, with what an earlier process has kept. */
  begin(reference: number, kept: KeptTime | undefined): ClockChange | undefined
  /** A further look; without a reference when it could not be read. */
  look(reference: number | undefined, uncertainty_ms?: number): ClockChange | undefined
  /** Follows the reference, because somebody says that it is right. */
  accept(reference: number): ClockChange | undefined
  /** How far the reference was from the believed time when it jumped; undefined while it is believed. */
  difference(): number | undefined
  /** The time that is certain, for the next process. */
  believed(): number
}

/** The clocks of the machine, in milliseconds. */
export interface Machine {
  wall(): number
  /** Runs evenly while the process does. Cheap. */
  ticks(): number
  /** Runs evenly, also while the machine sleeps. */
  uptime(): number
}

const thisMachine: Machine = {
  wall: () => Date.now(),
  ticks: () => performance.now(),
  uptime: () => uptime() * second,
}

export function createOwnTime(machine: Machine = thisMachine): OwnTime {
  /** Own time and expiry at the last look. */
  let anchor = { now: machine.wall(), expiry: machine.wall(), ticks: machine.ticks(), uptime: machine.uptime() }
  let doubt: { difference_ms: number; uptime: number; isFollowed: boolean } | undefined
  /** The machine's clock, where the reference is another one and they differ. */
  let apart: { difference_ms: number; uptime: number } | undefined
  let isWatched = false

  const sinceAnchor = () =>
    Math.min(isWatched ? longestStepMs : Number.POSITIVE_INFINITY, Math.max(0, machine.ticks() - anchor.ticks))
  const believed = () => Math.floor(anchor.now + sinceAnchor())
  const now = () => believed() + (doubt?.isFollowed ? doubt.difference_ms : 0)

  /** Time passed since the last look. Where the two clocks differ, the machine has slept, or somebody plays with one. */
  const passed = () => {
    const byTicks = machine.ticks() - anchor.ticks
    const byUptime = machine.uptime() - anchor.uptime
    return Math.max(0, Math.abs(byTicks - byUptime) < second ? byTicks : byUptime)
  }
  const setAnchor = (time: number, expiry: number) => {
    anchor = { now: time, expiry: Math.min(time, expiry), ticks: machine.ticks(), uptime: machine.uptime() }
  }
  const follow = (kind: 'returned' | 'accepted' | 'believed', reference: number): ClockChange | undefined => {
    const difference_ms = doubt?.difference_ms ?? 0
    const wasDoubted = doubt !== undefined
    doubt = undefined
    setAnchor(reference, anchor.expiry)
    return wasDoubted ? { kind, difference_ms } : undefined
  }
  const startDoubt = (difference: number, isFollowed: boolean): ClockChange => {
    // Whole ones: they are kept in the database, and the steady clock runs in fractions.
    const difference_ms = Math.round(difference)
    doubt = { difference_ms, uptime: machine.uptime(), isFollowed }
    return { kind: 'jumped', difference_ms }
  }
  const isOld = (since: { uptime: number }) => machine.uptime() - since.uptime >= believedAfterMs
  const compareMachine = () => {
    const difference_ms = machine.wall() - now()
    if (Math.abs(difference_ms) <= toleranceMs) apart = undefined
    else if (!apart || Math.abs(difference_ms - apart.difference_ms) > toleranceMs)
      apart = { difference_ms, uptime: machine.uptime() }
  }

  return {
    now,
    wall: machine.wall,
    expiry: () => (doubt ? anchor.expiry : Math.min(now(), Math.floor(anchor.expiry + catchUpSpeed * sinceAnchor()))),
    isDoubted() {
      if (doubt) return true
      const difference = machine.wall() - now()
      if (Math.abs(difference) <= toleranceMs) return false
      // A machine that differs from the database for good must not keep everything for ever.
      return !apart || Math.abs(difference - apart.difference_ms) > toleranceMs || !isOld(apart)
    },
    difference: () => doubt?.difference_ms,
    believed,

    begin(reference, kept) {
      doubt = undefined
      if (!kept) {
        setAnchor(reference, reference)
        return undefined
      }
      const difference = reference - kept.now
      const isPlausible = difference >= -toleranceMs && difference <= longestStopMs
      setAnchor(isPlausible ? reference : kept.now, kept.expiry)
      return isPlausible ? undefined : startDoubt(difference, difference > 0)
    },

    look(reference, uncertainty_ms = 0) {
      isWatched = true
      const step = passed()
      const own = anchor.now + step
      const expiry = doubt ? anchor.expiry : anchor.expiry + catchUpSpeed * step
      const difference = (reference ?? own) - own
      setAnchor(own, expiry)
      compareMachine()
      if (reference === undefined) return undefined
      if (Math.abs(difference) <= toleranceMs) {
        if (Math.abs(difference) > noiseMs + uncertainty_ms) setAnchor(reference, expiry)
        return doubt && follow('returned', anchor.now)
      }
      // It has moved again: the hour begins anew.
      if (!doubt || Math.abs(difference - doubt.difference_ms) > toleranceMs)
        return startDoubt(difference, doubt?.isFollowed ?? false)
      if (isOld(doubt)) return follow('believed', reference)
      return undefined
    },

    accept: (reference) => follow('accepted', reference),
  }
}
