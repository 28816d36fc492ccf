import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** Work that may fail on a constraint while its transaction goes on: PostgreSQL would otherwise refuse every further statement. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint attempt`.execute(tx)
    return result
  } catch (error) {
    // Where even this fails, everything is being rolled back already; what matters is why.
    await sql`rollback to savepoint attempt`.execute(tx).catch(() => undefined)
    throw error
  }
}
