// Whether a pattern is also fast where it is run by trying one way after another, as JavaScript's RegExp and most other
// engines do: integrators get our patterns in a JSON Schema and run them there. Such an engine takes long when one text
// can be followed through the pattern in ever more ways. So the ways are counted, for all texts at once: a state is how
// many ways lead to each place after some text, and every state that can be reached is looked at. The ways stay few in
// all of them, or the pattern is refused; so is one with too many states to tell.
import type { Instruction, Range } from './pattern-machine.ts'

export function isFastEverywhere(program: readonly Instruction[]): boolean {
  const { waysFrom, isTooMany } = wayCounter(program)
  const start = waysFrom(0, true)
  const later = waysFrom(0, false)
  // A search goes on from the next character, unless the pattern has fitted or can only begin at the start.
  const first: State = { ways: start.ways, isSearching: !start.fits && (later.ways.size > 0 || later.fits) }
  const seen = new Set([keyOf(first)])
  const open = [first]
  const characters = representatives(program)
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const character of characters) {
      const next: State = { ways: new Map(), isSearching: state.isSearching }
      for (const [place, count] of state.ways) {
        if (!fitsAt(program[place], character)) continue
        const onward = waysFrom(place + 1, false)
        if (onward.fits) next.isSearching = false
        for (const [to, more] of onward.ways) next.ways.set(to, (next.ways.get(to) ?? 0) + count * more)
      }
      if (next.isSearching) for (const [to, more] of later.ways) next.ways.set(to, (next.ways.get(to) ?? 0) + more)
      if (isTooMany() || sum(next.ways.values()) > maximumWays) return false
      const key = keyOf(next)
      if (seen.has(key)) continue
      if (seen.size >= maximumStates) return false
      seen.add(key)
      open.push(next)
    }
  }
  return !isTooMany()
}

interface State {
  /** How many ways lead to each place that waits for a character. */
  ways: Map<number, number>
  isSearching: boolean
}

interface Ways {
  ways: Map<number, number>
  /** Whether the pattern can end here, whatever comes. */
  fits: boolean
}

/** Counts the ways from a place to those that wait for a character, each step on a way at most once. */
function wayCounter(program: readonly Instruction[]) {
  const known = new Map<string, Ways>()
  let isTooMany = false
  const waysFrom = (from: number, isStart: boolean): Ways => {
    const name = `${from} ${isStart}`
    const kept = known.get(name)
    if (kept) return kept
    const found: Ways = { ways: new Map(), fits: false }
    let count = 0
    const used = new Set<string>()
    const follow = (place: number, to: number) => {
      const step = `${place} ${to}`
      if (used.has(step)) return
      used.add(step)
      walk(to)
      used.delete(step)
    }
    const walk = (place: number) => {
      if (++count > maximumSteps) isTooMany = true
      const instruction = program[place]
      if (isTooMany || instruction === undefined) return
      if (instruction.kind === 'characters') found.ways.set(place, (found.ways.get(place) ?? 0) + 1)
      else if (instruction.kind === 'match') found.fits = true
      else if (instruction.kind === 'jump') follow(place, instruction.to)
      else if (instruction.kind === 'fork') {
        follow(place, instruction.first)
        follow(place, instruction.second)
      } else if (instruction.kind === 'start' && isStart) follow(place, place + 1)
    }
    walk(from)
    known.set(name, found)
    return found
  }
  return { waysFrom, isTooMany: () => isTooMany }
}

/** One character for each set of classes that a character can be in. */
export function representatives(program: readonly Instruction[]): number[] {
  const classes = program.filter((step) => step.kind === 'characters')
  const edges = new Set([0])
  for (const { ranges } of classes) for (const [from, to] of ranges) edges.add(from).add(Math.min(to + 1, 0x10ffff))
  const bySet = new Map<string, number>()
  for (const character of edges) {
    const set = classes.map((step) => (fitsAt(step, character) ? '1' : '0')).join('')
    if (!bySet.has(set)) bySet.set(set, character)
  }
  return [...bySet.values()]
}

function fitsAt(step: Instruction | undefined, character: number): boolean {
  if (step?.kind !== 'characters') return false
  return step.ranges.some(([from, to]: Range) => character >= from && character <= to) !== step.isNegated
}

function keyOf({ ways, isSearching }: State): string {
  return `${isSearching} ${[...ways].sort(([a], [b]) => a - b).join(' ')}`
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const one of numbers) total += one
  return total
}

/** Ways at once. Ordinary patterns have one or two; those that grow pass any bound. */
const maximumWays = 64
const maximumStates = 2000
const maximumSteps = 5000
