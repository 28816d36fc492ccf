/** Lets one in at a time, in the order of arrival. Refuses when too many wait or one waited too long. */
export function createQueue({ maximumWaiting, maximumWaitMs }: { maximumWaiting: number; maximumWaitMs: number }) {
  const waiting: { admit(): void; refuse(error: Error): void; since: number }[] = []
  let isTaken = false
  return {
    get isTaken(): boolean {
      return isTaken
    },
    /** How many wait. */
    get length(): number {
      return waiting.length
    },
    enter(): Promise<void> | undefined {
      if (!isTaken) {
        isTaken = true
        return undefined
      }
      if (waiting.length >= maximumWaiting)
        throw new QueueFullError('too many transactions are waiting for the database')
      return new Promise((admit, refuse) => {
        waiting.push({ admit, refuse, since: performance.now() })
      })
    },
    leave(): void {
      for (;;) {
        const next = waiting.shift()
        if (!next) {
          isTaken = false
          return
        }
        if (performance.now() - next.since <= maximumWaitMs) {
          next.admit()
          return
        }
        next.refuse(new QueueFullError('the transaction waited too long for the database'))
      }
    },
  }
}

export class QueueFullError extends Error {}
