// SIGTERM, SIGINT and SIGHUP ask a process that serves or works to end what it has begun. Whoever has nothing to finish does not
// listen: the signal itself ends it, also in a container (server/bin/portico.js).

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** From the end of the drain delay on. */
const patienceMs = 30_000

export interface Stop {
  isAsked(): boolean
  /** Resolves when the drain delay is over, which begins with the signal. */
  drained: Promise<void>
}

/**
 * The first signal calls `begin` at once, whatever the process is doing, and sets its last moment: a stop must end in
 * bounded time, even one that comes while the process is starting. Clients retry unfinished requests, and unfinished jobs
 * run again.
 */
export function awaitStop(begin: () => void, drainMs = 0): Stop {
  let isAsked = false
  const drained = new Promise<void>((resolve) => {
    const stop = () => {
      // A second signal must not interrupt the stop that the first one started.
      if (isAsked) return
      isAsked = true
      begin()
      setTimeout(resolve, drainMs)
      setTimeout(() => process.exit(1), drainMs + patienceMs).unref()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
  return { isAsked: () => isAsked, drained }
}
