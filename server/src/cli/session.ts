// What every command needs: the configuration, the secret key, the database at the right schema.
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beginTime, type TimedContext } from '../platform/background/kept-time.ts'
import { type Config, readConfig } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { compareSchema, migrate } from '../platform/database/migrate.ts'
import { openDatabase } from '../platform/database/open-database.ts'
import type { Patience } from '../platform/database/postgres.ts'
import { deploymentProblem } from '../platform/deployment.ts'
import { createLogger, type Logger } from '../platform/logging.ts'
import { createOwnTime } from '../platform/own-time.ts'
import { createScanner } from '../platform/storage/clamav.ts'
import { makeDirectories } from '../platform/storage/directories.ts'
import { openStore } from '../platform/storage/open-store.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { createVault } from '../platform/vault.ts'
import { explainDatabaseError, sqliteProblem } from './database-errors.ts'
import { CommandError } from './output.ts'

/** Opens everything, runs `work`, closes everything. Database errors get a message that says what to do. */
export async function withContext<T>(work: (context: TimedContext) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const context = await openContext(config, commandLogger(config), 'maintenance')
  try {
    return await work(context)
  } catch (error) {
    throw explainDatabaseError(context, error)
  } finally {
    await closeContext(context)
  }
}

export async function closeContext({ database, files }: Context): Promise<void> {
  await files.close()
  await database.close()
}

export async function openContext(config: Config, log: Logger, patience: Patience = 'request'): Promise<TimedContext> {
  const context = await openContextAsItIs(config, log, patience)
  try {
    await requireSchema(context)
    const problem = await deploymentProblem(context)
    if (problem) throw new CommandError(problem)
    await beginTime(context)
  } catch (error) {
    await closeContext(context)
    throw explainDatabaseError(context, error)
  }
  return context
}

/** Without looking at the schema: for `migrate`, which makes it, and `doctor`, which judges it. */
export async function openContextAsItIs(
  config: Config,
  log: Logger,
  patience: Patience = 'maintenance',
): Promise<TimedContext> {
  if (config.database_url === undefined || config.secret_key === undefined) makeDataDirectory(config)
  const vault = createVault(loadSecretKey(config))
  const database = await openDatabase(config, log, patience).catch((error) => {
    throw sqliteProblem(config, error)
  })
  return {
    config,
    clock: createOwnTime(),
    vault,
    database,
    files: openStore(config.files),
    scanner: config.clamav && createScanner(config.clamav),
    log,
  }
}

/** Commands print their own results; only errors are logged, on standard error. */
export function commandLogger(config: Config): Logger {
  return createLogger({ log_level: config.log_level === 'silent' ? 'silent' : 'error' }, (line) =>
    process.stderr.write(line),
  )
}

/** SQLite is migrated automatically; with PostgreSQL the operator decides when. */
async function requireSchema({ database }: Context): Promise<void> {
  // A schema that is newer than this program is no obstacle: migrations keep the release before them working.
  const { missing } = await compareSchema(database)
  if (missing.length === 0) return
  if (database.engine === 'postgres')
    throw new CommandError(
      `The database schema is older than this release: ${counted(missing.length, 'migration')} not applied. Run: portico migrate`,
    )
  await migrate(database)
}

export function makeDataDirectory({ data_dir }: Config): void {
  try {
    makeDirectories(data_dir)
  } catch (error) {
    throw new CommandError(
      `The data directory ${data_dir} cannot be created: ${reasonOf(error)}. Set PORTICO_DATA_DIR to a directory this user can write to.`,
    )
  }
}

export function secretKeyFile(config: Pick<Config, 'data_dir'>): string {
  return join(config.data_dir, 'secret.key')
}

function loadSecretKey(config: Config): Buffer {
  if (config.secret_key) return config.secret_key
  if (config.database_url !== undefined)
    throw new CommandError(
      'PORTICO_SECRET_KEY is required with PostgreSQL and must be the same for every process. Generate a key with: openssl rand -base64 32',
    )
  const file = secretKeyFile(config)
  try {
    makeSecretKey(file)
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    if (key.length !== 32)
      throw new CommandError(
        `${file} must contain a secret key of 32 bytes in base64. Restore the original file, or use a new data directory.`,
      )
    return key
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(
      `The secret key ${file} cannot be read: ${reasonOf(error)}. This user must have read and write access to the data directory.`,
    )
  }
}

/** Written aside and linked into place: two processes that start at once end up with one key, and never with half of one. */
function makeSecretKey(file: string): void {
  try {
    readFileSync(file)
    return
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
