// What came of attempts is gathered for a moment and written together: whoever is called next does not wait for it.
import { setTimeout as wait } from 'node:timers/promises'
import { second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { type Finished, writeOutcomes } from './outcomes.ts'

interface Waiting {
  one: Finished
  resolve: () => void
  reject: (error: unknown) => void
}

export function createOutcomeBatches(context: Context) {
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await save(
        context,
        batch.map(({ one }) => one),
      )
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // Whatever is wrong with one of them must not take the others with it. A database that is away is away for all.
      if (batch.length > 1 && context.database.troubleOf(error)?.kind !== 'unavailable')
        for (const one of batch) await settle([one])
      else for (const { reject } of batch) reject(error)
    }
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await settle(batch)
      await wait(gatheredMs)
    }
    writing = undefined
  }
  return {
    /** Resolves when it is written. */
    add: (one: Finished) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ one, resolve, reject })
        writing ??= flush()
      }),
    end: async () => writing,
  }
}

/** From one batch to the next: short against the time in which anybody looks at the log. */
const gatheredMs = 20

/** A database that is away for a moment must not make everything that has arrived be sent again. */
async function save(context: Context, batch: readonly Finished[]): Promise<void> {
  for (const waitMs of waitsMs)
    try {
      return await writeOutcomes(context, batch)
    } catch (error) {
      if (context.database.troubleOf(error)?.kind !== 'unavailable') throw error
      await wait(waitMs)
    }
  return writeOutcomes(context, batch)
}

/** Together within the lease. */
const waitsMs = [250, 500, second, 2 * second, 4 * second, 8 * second]
