// The order of all programmes for a project: outcome, then score (of near misses the gap), then how soon the money
// comes, then a hash of project and programme, so that equals are not always in the same order for every project.

export interface Ranked {
  outcomes: Uint8Array
  scores: Int8Array
  /** Of near misses, in hundred-millionths. */
  gaps: Uint32Array
  speeds: Uint16Array
  hashes: Uint16Array
}

const nearMiss = 2

/** The programmes in the order of their rank. Sorted by digits: comparing a hundred thousand of them takes too long. */
export function rankPrograms({ outcomes, scores, gaps, speeds, hashes }: Ranked): Uint32Array {
  const size = outcomes.length
  const sorter = createSorter(size)
  const { digits } = sorter
  // The digit that decides least comes first: each sort keeps the order of equals.
  for (let i = 0; i < size; i++) digits[i] = (hashes[i] ?? 0) & 0x7ff
  sorter.sort()
  for (let i = 0; i < size; i++) digits[i] = ((hashes[i] ?? 0) >>> 11) | (((speeds[i] ?? 0) & 0xff) << 3)
  sorter.sort()
  for (let i = 0; i < size; i++) digits[i] = (speeds[i] ?? 0) >>> 8
  sorter.sort()
  // Near misses and the ineligible have no score; what has none because nothing is decided comes last.
  for (let i = 0; i < size; i++) digits[i] = (outcomes[i] ?? 0) * scoresOfOutcome + 100 - (scores[i] ?? 0)
  sorter.sort()
  const order = sorter.order()
  sortNearMisses(order, outcomes, gaps)
  return order
}

/** By their gaps. */
function sortNearMisses(order: Uint32Array, outcomes: Uint8Array, gaps: Uint32Array): void {
  let start = 0
  while (start < order.length && (outcomes[order[start] ?? 0] ?? 0) < nearMiss) start++
  let end = start
  while (end < order.length && outcomes[order[end] ?? 0] === nearMiss) end++
  const programs = order.slice(start, end)
  const ownGaps = Uint32Array.from(programs, (program) => gaps[program] ?? 0)
  const sorter = createSorter(programs.length)
  for (const shift of [0, 11, 22]) {
    for (let i = 0; i < ownGaps.length; i++) sorter.digits[i] = ((ownGaps[i] ?? 0) >>> shift) & 0x7ff
    sorter.sort()
  }
  const sorted = sorter.order()
  for (let i = 0; i < sorted.length; i++) order[start + i] = programs[sorted[i] ?? 0] ?? 0
}

/** Sorts the numbers below `size` by a digit that each of them has, which is below 2048. */
function createSorter(size: number) {
  const digits = new Uint16Array(size)
  const places = new Uint32Array(0x801)
  let order = new Uint32Array(size)
  let spare = new Uint32Array(size)
  for (let i = 0; i < size; i++) order[i] = i
  return {
    digits,
    sort(): void {
      if (sortByDigits(order, digits, places, spare)) [order, spare] = [spare, order]
    },
    order: () => order,
  }
}

/** False when there was nothing to do because all have the same digit. */
function sortByDigits(order: Uint32Array, digits: Uint16Array, places: Uint32Array, sorted: Uint32Array): boolean {
  places.fill(0)
  for (let i = 0; i < digits.length; i++) {
    const next = (digits[i] ?? 0) + 1
    places[next] = (places[next] ?? 0) + 1
  }
  if (places[(digits[0] ?? 0) + 1] === digits.length) return false
  for (let digit = 1; digit < places.length; digit++) places[digit] = (places[digit] ?? 0) + (places[digit - 1] ?? 0)
  for (let i = 0; i < order.length; i++) {
    const program = order[i] ?? 0
    const digit = digits[program] ?? 0
    const place = places[digit] ?? 0
    sorted[place] = program
    places[digit] = place + 1
  }
  return true
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

/** The last step of MurmurHash3, of which 14 bits are enough: ids that are alike must not stay side by side. */
export function mixHashes(project: number, program: number): number {
  let hash = project ^ program
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 18
}
