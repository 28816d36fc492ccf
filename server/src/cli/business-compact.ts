// Traces of deleted rows: free pages of a SQLite file, dead rows in the data files of PostgreSQL.
import { InvalidArgumentError } from 'commander'
import { tablesOfPeople } from '../building-blocks/peoples-data/traces.ts'
import { second } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { isDamage } from '../platform/database/sqlite-damage.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { damagedFile } from './database-errors.ts'
import { directProblem } from './direct-check.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'

export interface CompactOptions extends OutputOptions {
  wait: number
}

export const compactDescription =
  'Remove the traces of deleted rows from the files of the database. With SQLite, the file is rewritten and writes wait for it. With PostgreSQL, each table that can contain data of people is rewritten (vacuum full), one after the other: a table cannot be read or written while it is rewritten, and needs free disk space of its own size.'

export function readWait(text: string): number {
  const seconds = Number(text)
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of seconds.')
  return seconds
}

/** What whoever has erased something has to know of the data files; empty where nothing is left in them. */
export function tracesSentence({ database }: Pick<Context, 'database'>): string {
  if (database.engine === 'sqlite') return ''
  return ' The data files of PostgreSQL contain the deleted rows until their space is used again, or until you run: portico business compact'
}

export async function compact(context: Context, options: CompactOptions): Promise<void> {
  const { database } = context
  await removeTraces(context, '')
  if (database.engine === 'postgres') await rewriteTables(context, options)
  print(
    options,
    { compacted: true },
    database.engine === 'postgres'
      ? `Rewrote ${counted(tablesOfPeople.length, 'table')}. Their data files contain no deleted rows once the next checkpoint is done. The write-ahead log, replicas and backups still contain them until their own time ends.`
      : 'The database contains no traces of deleted rows.',
  )
}

async function rewriteTables({ config, database }: Context, { wait }: CompactOptions): Promise<void> {
  if (config.database_pooler === 'transaction' && config.database_direct_url === undefined)
    throw new CommandError(
      'Tables cannot be rewritten through a pooler in transaction mode. Set PORTICO_DATABASE_DIRECT_URL to the address of PostgreSQL itself, then run: portico business compact',
    )
  // Nothing is rewritten where nobody has looked.
  const problem = await directProblem(config, database)
  if (problem !== undefined) throw new CommandError(`${problem} Then run: portico business compact`)
  const progress = progressBar('Compact', tablesOfPeople.length + 1)
  const { older, left } = await database
    .rewriteTables(tablesOfPeople, { patienceMs: wait * second, progress })
    .catch((error) => {
      if (!(error instanceof Error && 'code' in error && error.code === '53100')) throw error
      throw new CommandError(
        `PostgreSQL has not enough free disk space to rewrite a table: ${reasonOf(error)}. The table is as it was. Free disk space of the size of the largest table, then run: portico business compact`,
        { cause: error },
      )
    })
  if (older.length > 0)
    throw new CommandError(
      `Nothing was rewritten: ${older.join(', ')} of PostgreSQL can still see deleted rows, which would be copied. End ${older.length === 1 ? 'it' : 'them'}, or wait longer with --wait, then run: portico business compact`,
    )
  if (left.length > 0)
    throw new CommandError(
      `These tables were not rewritten: ${left.map(({ table, reason }) => `${table} (${reason})`).join(', ')}. Their data files can still contain deleted rows. End long transactions (see pg_stat_activity), or wait longer with --wait. The tables and the database must belong to the role of Portico. Then run: portico business compact`,
    )
}

/** What is erased is so already, whatever happens here. On PostgreSQL nothing happens. */
export async function removeTraces({ config, database }: Context, done = 'Everything is erased, but '): Promise<void> {
  const isRemoved = await database.removeTraces().catch((error) => {
    if (isDamage(error)) {
      const { message } = damagedFile(config, reasonOf(error))
      const erased = done ? 'Everything is erased, but the database file could not be rewritten. ' : ''
      throw new CommandError(erased + message, { cause: error })
    }
    throw new CommandError(
      `${done}${done ? 'the' : 'The'} database file could not be rewritten: ${reasonOf(error)}. Its free pages can still contain deleted rows. Free disk space of twice the size of the database, then run: portico business compact`,
      { cause: error },
    )
  })
  if (!isRemoved)
    throw new CommandError(
      `${done}${done ? 'another' : 'Another'} process reads the database: its log still contains older pages. Run: portico business compact`,
    )
}
