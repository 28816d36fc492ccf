/**
 * Lets work under the same key run one after the other, in the order it came, and work under different keys at once.
 * Transactions that would wait for each other in the database anyway wait here instead: there, each would keep a
 * connection from others. `concernsAll` tells the failures that those behind would meet too: they are told at once, rather
 * than each after a wait of its own.
 */
export function createTurns(
  concernsAll: (error: unknown) => boolean,
): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const afterFailure = (error: unknown) => {
      if (concernsAll(error)) throw error
      return work()
    }
    const own = last.get(key)?.then(work, afterFailure) ?? work()
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
