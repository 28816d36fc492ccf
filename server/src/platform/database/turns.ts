/**
 * Lets work under the same key run one after the other, in the order it came, and work under different keys at once.
 * Transactions that would wait for each other in the database anyway wait here instead: there, each would keep a
 * connection from others.
 */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const own = before ? before.then(work, work) : work()
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
