// The secret key of a data directory, and that it and the database belong together: neither is made anew while the other
// is there, because a new one would pass for a fresh start and hide that everything is gone.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database/database.ts'
import { appliedMigrations, migrate } from '../platform/database/migrate.ts'
import { sqliteFile } from '../platform/database/open-database.ts'
import { isClaimed } from '../platform/deployment.ts'
import { syncDirectory } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'

export function secretKeyFile(config: Pick<Config, 'data_dir'>): string {
  return join(config.data_dir, 'secret.key')
}

/** Before the database is opened, which would create it. */
export function requireDatabaseOfKey(config: Config): void {
  if (isKeptElsewhere(config) || !existsSync(secretKeyFile(config))) return
  const file = sqliteFile(config)
  if (!existsSync(file)) throw lostDatabase(config, `the database ${file} is missing`)
  if (statSync(file).size === 0) throw lostDatabase(config, `the database ${file} is empty`)
}

/** For whoever looks at what is there: a database that was just created would say that nothing is. */
export function requireDatabase(config: Config): void {
  const file = sqliteFile(config)
  if (config.database_url !== undefined || existsSync(file)) return
  throw new CommandError(
    `There is no database at ${file}. Check PORTICO_DATA_DIR. To create a new database, run: portico migrate`,
  )
}

/** One or more: while the key is rotated, a process has the old one and the new one. */
type SecretKeys = [Buffer, ...Buffer[]]

/** The keys that are there already; throws a sentence when there are none. */
export function existingSecretKeys(config: Config): SecretKeys {
  if (config.secret_key) return [config.secret_key, ...config.previous_secret_keys]
  if (config.database_url !== undefined) throw keyRequired()
  return readKeys(config)
}

function keyRequired(): CommandError {
  return new CommandError(
    'PORTICO_SECRET_KEY is required with PostgreSQL and must be the same for every process. Generate a key with: openssl rand -base64 32',
  )
}

/** The keys of this process. One is made for a database that nobody has set up yet, and only after its tables. */
export async function loadSecretKeys(
  config: Config,
  database: Database,
  isEmptyExpected: boolean,
): Promise<SecretKeys> {
  if (isKeptElsewhere(config)) return existingSecretKeys(config)
  const file = secretKeyFile(config)
  if (existsSync(file)) {
    if (!isEmptyExpected && (await appliedMigrations(database)).length === 0)
      throw lostDatabase(config, `the database ${sqliteFile(config)} is empty`)
    return readKeys(config)
  }
  // Another process may have made both meanwhile, the key first.
  if ((await isClaimed(database)) && !existsSync(file))
    throw new CommandError(
      `The secret key ${file} is missing, but the database beside it was set up with one. Restore secret.key from its backup, or set PORTICO_SECRET_KEY to that key. Without it, API keys and encrypted values in this database cannot be used. To start from the beginning, set PORTICO_DATA_DIR to a new directory.`,
    )
  // Whoever sees the key may then expect the tables.
  await migrate(database)
  return readKeys(config, makeSecretKey)
}

function isKeptElsewhere(config: Config): boolean {
  return config.secret_key !== undefined || config.database_url !== undefined
}

function lostDatabase(config: Config, what: string): CommandError {
  const key = secretKeyFile(config)
  return new CommandError(
    `${key} exists, but ${what}. Put the database back, or restore a backup with: portico restore FILE. To start with an empty database instead, move ${key} to a safe place: backups can be restored only with this key.`,
  )
}

function readKeys(config: Config, make: (file: string) => void = () => undefined): SecretKeys {
  const file = secretKeyFile(config)
  try {
    make(file)
    const [first, ...others] = parseKeys(file)
    if (first === undefined || [first, ...others].some((key) => key.length !== 32))
      throw new CommandError(
        `${file} must contain a secret key of 32 bytes in base64 on each line. Restore the original file, or use a new data directory.`,
      )
    return [first, ...others, ...config.previous_secret_keys]
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(
      `The secret key ${file} cannot be read: ${reasonOf(error)}. This user must have read and write access to the data directory.`,
    )
  }
}

/** Those of the file alone, the oldest first. */
export function keysInFile(config: Config): Buffer[] {
  return parseKeys(secretKeyFile(config))
}

function parseKeys(file: string): Buffer[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.map((line) => line.trim()).flatMap((line) => (line === '' ? [] : [Buffer.from(line, 'base64')]))
}

/** Puts the keys into the file of this data directory, all at once: whoever reads it finds the old ones or these. */
export function replaceKeys(config: Config, keys: readonly Buffer[]): void {
  const file = secretKeyFile(config)
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600, flush: true })
    renameSync(draft, file)
    syncDirectory(config.data_dir)
  } catch (error) {
    throw new CommandError(`The secret key ${file} cannot be written: ${reasonOf(error)}.`)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Whether the keys are in the file of the data directory, where this program can change them. */
export function isKeyFileUsed(config: Config): boolean {
  return !isKeptElsewhere(config)
}

/** Written aside and linked into place: two processes that start at once end up with one key, and never with half of one. */
function makeSecretKey(file: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
    syncDirectory(dirname(file))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
