interface Rules {
  /** Tells the failures that those behind would meet too: they are told at once, rather than each after its own wait. */
  concernsAll(error: unknown): boolean
  /** Whoever has waited longer is refused with `late` when the turn comes. */
  patience_ms: number
  late(): Error
}

/**
 * Lets work under the same key run one after the other, in the order it came, and work under different keys at once.
 * Transactions that would wait for each other in the database anyway wait here instead: there, each would keep a
 * connection from others.
 */
export function createTurns({ concernsAll, patience_ms, late }: Rules) {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const since = performance.now()
    const begin = (): Promise<T> => {
      if (performance.now() - since > patience_ms) throw late()
      return work()
    }
    const afterFailure = (error: unknown): Promise<T> => {
      if (concernsAll(error)) throw error
      return begin()
    }
    const own = last.get(key)?.then(begin, afterFailure) ?? work()
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
