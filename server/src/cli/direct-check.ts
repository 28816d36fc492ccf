import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database/database.ts'
import { postgresProblem } from './postgres-errors.ts'

/** Why workers cannot hear of new events past the pooler, as a sentence; undefined if they can, or are not to. */
export async function directProblem(config: Config, { read }: Database): Promise<string | undefined> {
  // Loaded only when used: the driver would slow down every start on SQLite.
  const { OtherDatabase, pastPooler, tryToListen } = await import('../platform/database/postgres-listening.ts')
  const listening = pastPooler(config.database_direct_url, read)
  if (!listening) return undefined
  try {
    await tryToListen(listening)
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { connectionString: url, variable } = listening
    return error instanceof OtherDatabase
      ? `${variable} leads to a different database than PORTICO_DATABASE_URL, so workers notice new events up to one second later. Set it to the address of the same database, past the pooler.`
      : postgresProblem({ url, variable, isPooled: false }, error)
  }
}
