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
  const digits = new Uint16Array(size)
  let order = new Uint32Array(size)
  for (let i = 0; i < size; i++) order[i] = i
  // The digit that decides least comes first: each sort keeps the order of equals.
  for (const shift of [0, 11]) {
    for (let i = 0; i < size; i++) digits[i] = ((hashes[i] ?? 0) >>> shift) & 0x7ff
    order = sortByDigits(order, digits)
  }
  for (const shift of [0, 8]) {
    for (let i = 0; i < size; i++) digits[i] = ((speeds[i] ?? 0) >>> shift) & 0xff
    order = sortByDigits(order, digits)
  }
  // Near misses and the ineligible have no score; what has none because nothing is decided comes last.
  for (let i = 0; i < size; i++) digits[i] = (outcomes[i] ?? 0) * scoresOfOutcome + 100 - (scores[i] ?? 0)
  order = sortByDigits(order, digits)
  const start = order.findIndex((program) => (outcomes[program] ?? 0) >= nearMiss)
  const end = order.findLastIndex((program) => (outcomes[program] ?? 0) <= nearMiss) + 1
  if (start !== -1 && start < end) order.set(sortByGaps(order.slice(start, end), gaps, digits), start)
  return order
}

function sortByGaps(nearMisses: Uint32Array<ArrayBuffer>, gaps: Float64Array, digits: Uint16Array): Uint32Array {
  // Numbers that are not negative sort as their bits do, the lower half of which comes first.
  const halves = new Uint32Array(gaps.buffer)
  let order = nearMisses
  for (const half of [0, 1])
    for (const shift of [0, 11, 22]) {
      for (const program of order) digits[program] = ((halves[2 * program + half] ?? 0) >>> shift) & 0x7ff
      order = sortByDigits(order, digits)
    }
  return order
}

/** By the digit of each, which is below 2048. */
function sortByDigits(order: Uint32Array<ArrayBuffer>, digits: Uint16Array): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(0x801)
  for (let i = 0; i < order.length; i++) {
    const next = (digits[order[i] ?? 0] ?? 0) + 1
    places[next] = (places[next] ?? 0) + 1
  }
  // All have the same.
  if (places[(digits[order[0] ?? 0] ?? 0) + 1] === order.length) return order
  for (let digit = 1; digit < places.length; digit++) places[digit] = (places[digit] ?? 0) + (places[digit - 1] ?? 0)
  const sorted = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) {
    const program = order[i] ?? 0
    const digit = digits[program] ?? 0
    const place = places[digit] ?? 0
    sorted[place] = program
    places[digit] = place + 1
  }
  return sorted
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
