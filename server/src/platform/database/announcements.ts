// Word that something was written, for whoever works on it beside requests: quick, but no promise. It is given before the
// commit, so it is passed on a little later, and again for a commit that takes its time; who listens also looks
// by itself from time to time.

/** Short against what a person notices, long against a commit. */
const delaysMs = [10, 50]
/** While one write follows the other, whoever listens takes what has gathered, and leaves the rest of the time to them. */
const delaysWhileBusyMs = [60]

export function createAnnouncements(relay: () => void = () => undefined) {
  const listeners = new Set<() => void>()
  let timers: NodeJS.Timeout[] = []
  let isRepeated = false
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const passOn = (delays: readonly number[]) => {
    timers = delays.map((delay, index) =>
      setTimeout(() => {
        tell()
        relay()
        if (index < delays.length - 1) return
        timers = []
        if (!isRepeated) return
        isRepeated = false
        passOn(delaysWhileBusyMs)
      }, delay).unref(),
    )
  }
  const announce = () => {
    // Too late for some of the words that are still to be passed on.
    if (timers.length > 0) isRepeated = true
    else passOn(delaysMs)
  }
  return {
    announce,
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
