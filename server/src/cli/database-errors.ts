// Errors of a database that cannot be used, as a message for the operator: what is wrong and what to do.
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { isDamage } from '../platform/database/sqlite-damage.ts'
import { howToMakeRoom, isFullDisk } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'
import { postgresProblem } from './postgres-errors.ts'

/** The sentence for an error of the database; any other error stays what it is. */
export function explainDatabaseError(
  { config, database }: Pick<Context, 'config' | 'database'>,
  error: unknown,
): unknown {
  if (error instanceof CommandError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const isUnavailable = database.troubleOf(error)?.kind === 'unavailable'
  if (config.database_url === undefined) return isUnavailable ? sqliteProblem(config, error) : error
  const isMissingRight = code === '42501' || code === '3F000'
  if (!isUnavailable && !isMissingRight) return error
  const isPooled = config.database_pooler === 'transaction'
  return new CommandError(
    postgresProblem({ url: config.database_url, variable: 'PORTICO_DATABASE_URL', isPooled }, error),
    { cause: error },
  )
}

export function sqliteProblem({ data_dir }: Pick<Config, 'data_dir'>, error: Error): CommandError {
  const reason = reasonOf(error)
  if (isDamage(error)) return damagedFile({ data_dir }, reason, error)
  if (/no such table/.test(reason))
    return new CommandError(
      `A table is missing in the database in ${data_dir}: ${reason}. Finish the restore that is under way, or restore a backup.`,
      { cause: error },
    )
  const otherwise = isFullDisk(error)
    ? howToMakeRoom
    : 'Check PORTICO_DATA_DIR, the free disk space, and that this user can read and write the files there.'
  const advice = /readonly database/.test(reason)
    ? 'Make portico.db, portico.db-wal and the directory writable for this user.'
    : otherwise
  return new CommandError(`The database in ${data_dir} cannot be used: ${reason}. ${advice}`, { cause: error })
}

export function damagedFile({ data_dir }: Pick<Config, 'data_dir'>, damage: string, cause?: unknown): CommandError {
  return new CommandError(
    `The database file in ${data_dir} is damaged: ${damage}. Keep a copy of the directory, then restore the last backup into a new directory: see "Back up and restore" in the operating handbook.`,
    { cause },
  )
}
