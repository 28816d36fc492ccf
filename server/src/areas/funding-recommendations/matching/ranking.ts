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
  let order = Uint32Array.from({ length: size }, (_, index) => index)
  let spare = new Uint32Array(size)
  const sortBy = (digitOf: (program: number) => number, digits: number) => {
    const places = new Uint32Array(digits + 1)
    for (let i = 0; i < size; i++) {
      const next = digitOf(i) + 1
      places[next] = (places[next] ?? 0) + 1
    }
    for (let digit = 1; digit <= digits; digit++) places[digit] = (places[digit] ?? 0) + (places[digit - 1] ?? 0)
    for (let i = 0; i < size; i++) {
      const program = order[i] ?? 0
      const digit = digitOf(program)
      const place = places[digit] ?? 0
      spare[place] = program
      places[digit] = place + 1
    }
    ;[order, spare] = [spare, order]
  }
  sortBy((program) => (hashes[program] ?? 0) & 0xffff, 65_536)
  sortBy((program) => (hashes[program] ?? 0) >>> 16, 65_536)
  sortBy((program) => speeds[program] ?? 0, 65_536)
  // Near misses and the ineligible have no score; what has none because nothing is decided comes last.
  sortBy((program) => 100 - (scores[program] ?? -1), 102)
  sortBy((program) => outcomes[program] ?? 0, 4)
  const isNear = (program: number | undefined) => program !== undefined && outcomes[program] === nearMiss
  const start = order.findIndex(isNear)
  if (start === -1) return order
  let end = start
  while (isNear(order[end])) end++
  // What is equal here keeps the order it has: this sort is stable.
  order.subarray(start, end).set(Array.from(order.subarray(start, end)).sort((a, b) => (gaps[a] ?? 0) - (gaps[b] ?? 0)))
  return order
}

/** FNV-1a over both ids, mixed once more: cheap, and the same everywhere. */
export function hashOf(projectId: string, programId: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < projectId.length; i++) hash = Math.imul(hash ^ projectId.charCodeAt(i), 0x01000193)
  for (let i = 0; i < programId.length; i++) hash = Math.imul(hash ^ programId.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 16)) >>> 0
}
