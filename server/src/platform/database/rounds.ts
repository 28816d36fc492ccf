import type { Database } from './database.ts'

/**
 * Work that is done for a Portal in rounds, each a transaction that is true when more is left. One round at a time in a
 * process, and one more for all who have come since it began: that one sees what they have seen. However many ask, they do
 * not queue for a lock.
 */
export function createRounds(work: (database: Database, portalId: string) => Promise<boolean>) {
  const rounds = new WeakMap<Database, Map<string, Round>>()
  return (database: Database, portalId: string): Promise<boolean> => {
    const own = rounds.get(database) ?? new Map<string, Round>()
    rounds.set(database, own)
    const begin = (): Promise<boolean> => {
      const running = work(database, portalId).finally(
        () => own.get(portalId)?.running === running && own.delete(portalId),
      )
      own.set(portalId, { running })
      return running
    }
    const current = own.get(portalId)
    if (!current) return begin()
    current.next ??= current.running.then(begin, begin)
    return current.next
  }
}

interface Round {
  running: Promise<boolean>
  next?: Promise<boolean>
}
