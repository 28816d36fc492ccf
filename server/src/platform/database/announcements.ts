// Word that something was written, for whoever works on it beside requests: quick, but no promise. It is given before the
// commit, so it is passed on a little later, and once more for a commit that takes its time; who listens also looks
// by itself from time to time.

/** Short against what a person notices, long against a commit. */
const delaysMs = [10, 100]

export function createAnnouncements(relay: () => void = () => undefined) {
  const listeners = new Set<() => void>()
  let timers: NodeJS.Timeout[] = []
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    announce(): void {
      // What is announced meanwhile is heard with it.
      if (timers.length > 0) return
      timers = delaysMs.map((delay, index) =>
        setTimeout(() => {
          if (index === delaysMs.length - 1) timers = []
          tell()
          relay()
        }, delay).unref(),
      )
    },
    /** Word from another process. */
    tell,
    listen(listener: () => void): () => Promise<void> {
      listeners.add(listener)
      return async () => {
        listeners.delete(listener)
      }
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
