// PostgreSQL plans by what it knows of a table, and learns by itself only a minute or more after the table has grown.
// Of an empty one it believes that any index beginning with the Portal is as good as the primary key, keeps that plan,
// and reads more rows with every row that is added. So a table that has outgrown what is known of it is analysed here;
// everything after that is left to autovacuum.
import { sql } from 'kysely'
import type { Logger } from '../logging.ts'
import type { Connection } from './database.ts'

/** Looks from time to time, until the timer is cleared. */
export function analyseGrownTables(db: Connection, log: Logger): NodeJS.Timeout {
  let isLooking = false
  return setInterval(async () => {
    if (isLooking) return
    isLooking = true
    try {
      const { rows } = await sql.raw<{ name: string }>(grownTables).execute(db)
      for (const { name } of rows) await sql.raw(`analyze (skip_locked) ${name}`).execute(db)
    } catch (error) {
      log.debug({ err: error }, 'the statistics of new tables could not be brought up to date')
    } finally {
      isLooking = false
    }
  }, 5000).unref()
}

/** Tables with eight times the pages that were last counted, and eight more. */
const grownTables = `
  select oid::regclass::text as name from pg_catalog.pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace
    and pg_catalog.pg_relation_size(oid) >= 8 * (relpages + 1) * current_setting('block_size')::bigint
`
