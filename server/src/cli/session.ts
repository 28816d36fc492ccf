// What every command needs: the configuration, the secret key, the database at the right schema.
import { beginTime, type TimedContext } from '../platform/background/kept-time.ts'
import { findUnfinished } from '../platform/backup/unfinished.ts'
import { type Config, readConfig } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { compareSchema, migrate } from '../platform/database/migrate.ts'
import { openDatabase } from '../platform/database/open-database.ts'
import type { Patience } from '../platform/database/postgres.ts'
import { deploymentProblem } from '../platform/deployment.ts'
import { createLogger, type Logger } from '../platform/logging.ts'
import { createOwnTime } from '../platform/own-time.ts'
import { createScanner } from '../platform/storage/clamav.ts'
import { directoryAdvice, makeDirectories } from '../platform/storage/directories.ts'
import { openStore } from '../platform/storage/open-store.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { userName } from '../platform/values/user-name.ts'
import { createVault } from '../platform/vault.ts'
import { explainDatabaseError, sqliteProblem } from './database-errors.ts'
import { CommandError } from './output.ts'
import { loadSecretKeys, requireDatabase, requireDatabaseOfKey } from './secret-key.ts'

interface Opening {
  patience?: Patience
  /** For what fills an empty database, and sees to its schema, too. */
  isEmptyExpected?: boolean
  /** For what begins a deployment. Anything else would look at a new, empty database and find nothing in it. */
  mayCreate?: boolean
}

/** Opens everything, runs `work`, closes everything. Database errors get a message that says what to do. */
export async function withContext<T>(
  work: (context: TimedContext) => Promise<T>,
  opening: Omit<Opening, 'patience'> = {},
): Promise<T> {
  const config = readConfig(process.env)
  const context = await openContext(config, commandLogger(config), { ...opening, patience: 'maintenance' })
  try {
    return await work(context)
  } catch (error) {
    throw explainDatabaseError(context, error)
  } finally {
    await closeContext(context)
  }
}

/** Whatever comes upon a restore that was interrupted completes it; whoever started this has not asked for it. */
const restoreItself: Context['actor'] = { kind: 'job', id: 'restore.finish' }

export async function closeContext({ database, files, trace }: Context): Promise<void> {
  await trace?.close()
  await files.close()
  await database.close()
}

export async function openContext(config: Config, log: Logger, opening: Opening = {}): Promise<TimedContext> {
  const context = await openContextAsItIs(config, log, { patience: 'request', ...opening })
  if (opening.isEmptyExpected) return context
  try {
    await requireSchema(context)
    const problem = await deploymentProblem(context)
    if (problem) throw new CommandError(problem)
    await beginTime(context)
    // A restore that was interrupted; hardly ever, so nobody else loads what it takes.
    if (await findUnfinished(context.database.read, context.database.engine))
      await (await import('./restored-erasures.ts')).finishRestore({ ...context, actor: restoreItself })
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
  { patience = 'maintenance', isEmptyExpected = false, mayCreate = isEmptyExpected }: Opening = {},
): Promise<TimedContext> {
  if (!isEmptyExpected) requireDatabaseOfKey(config)
  if (!mayCreate) requireDatabase(config)
  if (config.database_url === undefined) makeDataDirectory(config)
  const database = await openDatabase(config, log, patience).catch((error) => {
    throw sqliteProblem(config, error)
  })
  const keys = await loadSecretKeys(config, database, isEmptyExpected).catch(async (error) => {
    await database.close()
    throw config.database_url === undefined && database.troubleOf(error) ? sqliteProblem(config, error) : error
  })
  return {
    config,
    clock: createOwnTime(),
    vault: createVault(...keys),
    database,
    files: openStore(config.files),
    scanner: config.clamav && createScanner(config.clamav),
    log,
    actor: { kind: 'command_line', id: userName() },
  }
}

/** Commands print their own results; only errors are logged, on standard error. */
export function commandLogger(config: Config): Logger {
  return createLogger({ ...config, log_level: config.log_level === 'silent' ? 'silent' : 'error' }, (line) =>
    process.stderr.write(line),
  )
}

/** SQLite is migrated automatically; with PostgreSQL the operator decides when. */
async function requireSchema({ database }: Context): Promise<void> {
  // A schema that is newer than this program is no obstacle: migrations keep the release before them working.
  const { missing, isEmpty } = await compareSchema(database)
  if (missing.length === 0) return
  if (database.engine === 'postgres' && isEmpty) throw new CommandError(emptyDatabase)
  if (database.engine === 'postgres')
    throw new CommandError(
      `The database schema is older than this release: ${counted(missing.length, 'migration')} not applied. Run: portico migrate`,
    )
  await migrate(database)
}

/** Only whoever runs the deployment knows which of the two it is. */
export const emptyDatabase =
  'The PostgreSQL database is empty: it has no tables of Portico. For a new deployment, run: portico migrate. If there should be data in it, put the database back or restore a backup, without a migration before.'

export function makeDataDirectory({ data_dir }: Config): void {
  try {
    makeDirectories(data_dir)
  } catch (error) {
    throw new CommandError(
      `The data directory ${data_dir} cannot be created: ${reasonOf(error)}. ${directoryAdvice(error, 'PORTICO_DATA_DIR')}`,
    )
  }
}
