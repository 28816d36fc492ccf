import type { Database, Tx } from '../../platform/database/database.ts'
import { retryRaces } from '../../platform/database/races.ts'
import { ApiError } from '../../platform/http/errors.ts'

/**
 * A transaction that nobody gave an ETag for, such as the end of an upload: when the application moves on meanwhile, it
 * is done again on the new version.
 */
export async function settled<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await retryRaces(database, () => database.transaction(work))
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === 'precondition_failed'
      if (!isOvertaken || round >= maximumRounds) throw error
    }
  }
}

const maximumRounds = 20
