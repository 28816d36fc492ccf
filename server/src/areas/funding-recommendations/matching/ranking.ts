// The order of all programmes for a project: outcome, then score (of near misses the gap), then how soon the money
// comes, then a hash of project and programme, so that equals are not always in the same order for every project.

export interface Ranked {
  outcomes: Uint8Array
  scores: Int8Array
  gaps: Float64Array
  speeds: Uint16Array
  hashes: Uint32Array
}

const nearMiss = 2

/** The programmes in the order of their rank. Sorted by digits: comparing a hundred thousand of them takes too long. */
export function rankPrograms({ outcomes, scores, gaps, speeds, hashes }: Ranked): Uint32Array {
  const size = outcomes.length
  const sorter = createSorter(size)
  const { digits } = sorter
  // The digit that decides least comes first: each sort keeps the order of equals.
  for (const shift of [0, 11]) {
    for (let i = 0; i < size; i++) digits[i] = ((hashes[i] ?? 0) >>> shift) & 0x7ff
    sorter.sort(0, size)
  }
  for (const shift of [0, 8]) {
    for (let i = 0; i < size; i++) digits[i] = ((speeds[i] ?? 0) >>> shift) & 0xff
    sorter.sort(0, size)
  }
  // Near misses and the ineligible have no score; what has none because nothing is decided comes last.
  for (let i = 0; i < size; i++) digits[i] = (outcomes[i] ?? 0) * scoresOfOutcome + 100 - (scores[i] ?? 0)
  sorter.sort(0, size)
  sortNearMisses(sorter, outcomes, gaps)
  return sorter.order
}

/** By their gaps: numbers that are not negative sort as their bits do, of which the lower half comes first. */
function sortNearMisses(sorter: Sorter, outcomes: Uint8Array, gaps: Float64Array): void {
  const { order, digits } = sorter
  let start = 0
  while (start < order.length && (outcomes[order[start] ?? 0] ?? 0) < nearMiss) start++
  let end = start
  while (end < order.length && outcomes[order[end] ?? 0] === nearMiss) end++
  const halves = new Uint32Array(gaps.buffer)
  for (const half of [0, 1])
    for (const shift of [0, 11, 22]) {
      for (let i = start; i < end; i++) {
        const program = order[i] ?? 0
        digits[program] = ((halves[2 * program + half] ?? 0) >>> shift) & 0x7ff
      }
      sorter.sort(start, end)
    }
}

type Sorter = ReturnType<typeof createSorter>

/** Sorts programmes by one digit of each, which is below 2048. */
function createSorter(size: number) {
  const order = new Uint32Array(size)
  for (let i = 0; i < size; i++) order[i] = i
  const digits = new Uint16Array(size)
  const before = new Uint32Array(size)
  const places = new Uint32Array(0x801)
  return {
    order,
    digits,
    sort: (start: number, end: number) => sortByDigits(order, digits, before, places, start, end),
  }
}

function sortByDigits(
  order: Uint32Array,
  digits: Uint16Array,
  before: Uint32Array,
  places: Uint32Array,
  start: number,
  end: number,
): void {
  places.fill(0)
  for (let i = start; i < end; i++) {
    const next = (digits[order[i] ?? 0] ?? 0) + 1
    places[next] = (places[next] ?? 0) + 1
  }
  // All have the same.
  if (places[(digits[order[start] ?? 0] ?? 0) + 1] === end - start) return
  places[0] = start
  for (let digit = 1; digit < places.length; digit++) places[digit] = (places[digit] ?? 0) + (places[digit - 1] ?? 0)
  before.set(order.subarray(start, end), start)
  for (let i = start; i < end; i++) {
    const program = before[i] ?? 0
    const digit = digits[program] ?? 0
    const place = places[digit] ?? 0
    order[place] = program
    places[digit] = place + 1
  }
}

/** From 100 down to none. */
const scoresOfOutcome = 102

/** By which equals are told apart: the same everywhere, and another order for every project. */
export function hashOf(projectId: string, programId: string): number {
  return mixHashes(hashOfText(projectId), hashOfText(programId))
}

/** FNV-1a. */
export function hashOfText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** The last step of MurmurHash3, of which 22 bits are enough: ids that are alike must not stay side by side. */
export function mixHashes(project: number, program: number): number {
  let hash = project ^ program
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 10
}
