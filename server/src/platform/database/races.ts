import type { Database, Tx } from './database.ts'

/**
 * Runs a transaction again that met another one: a collision, or a row that was committed after this one had looked
 * (a key, a unique reference). Looking again finds it, and gives the answer that is due.
 */
export async function retryRaces<T>(database: Database, transact: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await transact()
    } catch (error) {
      const trouble = database.troubleOf(error)?.kind
      if (round >= maximumRounds || (trouble !== 'collision' && trouble !== 'duplicate')) throw error
    }
  }
}

/** A transaction beside requests, tried again when it meets another one. */
export function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryRaces(database, () => database.transaction(work))
}

const maximumRounds = 3
