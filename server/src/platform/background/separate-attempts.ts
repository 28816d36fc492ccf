// Work on many Portals or records that must not wait for each other. What fails for one of them is kept until the others
// are done, and is thrown then, so that the job counts as failed and is tried again.
import type { Context } from '../context.ts'
import { reasonOf } from '../values/reason.ts'

interface SeparateAttempts {
  /** Does the work of one of them, and of none any more once the job has been told to end. */
  attempt(about: Readonly<Record<string, string>>, work: () => Promise<unknown>): Promise<void>
  /** Throws if any of them failed. */
  end(): void
}

export function attemptSeparately({ log }: Pick<Context, 'log'>, signal: AbortSignal): SeparateAttempts {
  const failures: unknown[] = []
  return {
    async attempt(about, work) {
      if (signal.aborted) return
      try {
        await work()
      } catch (error) {
        // It was cut short together with the job, which knows why.
        if (signal.aborted) return
        failures.push(error)
        if (failures.length <= mostLogged)
          log.warn({ err: error, ...about }, 'a part of a job failed; the others continue')
      }
    },
    end() {
      const [first] = failures
      if (failures.length === 1) throw first
      if (failures.length > 1)
        throw new Error(`${failures.length} parts of the job failed, the first with: ${reasonOf(first)}`, {
          cause: first,
        })
    },
  }
}

/** What all of them have in common need not be logged for each. */
const mostLogged = 20
