/** Random numbers that come again: a run that fails can be repeated. */
export interface SeededRandom {
  /** 0 to limit - 1. */
  below(limit: number): number
  /** One of a list that is not empty. */
  pick<T>(choices: readonly T[]): T
  bytes(length: number): Buffer
}

/** Mulberry32. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    // safe because the number is below the length
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
