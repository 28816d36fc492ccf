// A restore that nobody needs yet: into a temporary database, looked through there, and gone again. Whoever does this
// regularly knows that the backups work, and how long a restore takes.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { isFileKept } from '../building-blocks/questionnaires/files/queries.ts'
import { cannotBeChecked, checkBackup } from '../platform/backup/check.ts'
import { keepMarked, removeAbandoned } from '../platform/backup/drafts.ts'
import { countRows, restoreBackup } from '../platform/backup.ts'
import { day, hour, second } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import type { Database } from '../platform/database/database.ts'
import { openDatabase, sqliteFile } from '../platform/database/open-database.ts'
import { isClaimed } from '../platform/deployment.ts'
import { StoreUnavailable } from '../platform/storage/file-store.ts'
import { openStore } from '../platform/storage/open-store.ts'
import { counted } from '../platform/values/counted.ts'
import { createVault } from '../platform/vault.ts'
import { verifyDatabase } from './audit.ts'
import { explainDatabaseError } from './database-errors.ts'
import { verifyFiles } from './kept-files.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { findLostReferences } from './references.ts'
import { restoredKeyProblem } from './secret.ts'
import { existingSecretKeys } from './secret-key.ts'
import { closeContext, commandLogger, openContextAsItIs } from './session.ts'
import { stopSignals } from './stop-signals.ts'

interface DrillCheck {
  check: string
  outcome: 'ok' | 'warning' | 'problem'
  message: string
}

export async function drillRestore(config: Config, file: string, options: OutputOptions): Promise<void> {
  const begun = performance.now()
  const [secret_key, ...previous_secret_keys] = existingSecretKeys(config)
  const vault = createVault(secret_key, ...previous_secret_keys)
  const { heading, tables, files, isAuthentic } = await checkBackup({ config, vault }, file)
  const leftovers = watchLeftovers()
  try {
    const place = await makePlace({ ...config, secret_key, previous_secret_keys }, leftovers)
    const checks: DrillCheck[] = []
    const add = (check: string, problem: string | undefined, fine: string) =>
      checks.push({ check, outcome: problem ? 'problem' : 'ok', message: problem ?? fine })
    const warn = (check: string, warning: string | undefined, fine: string) => {
      checks.push({ check, outcome: warning ? 'warning' : 'ok', message: warning ?? fine })
      // Also to whoever throws the report away, as a nightly job does.
      if (warning) process.stderr.write(`${warning}\n`)
    }
    warn('age', ...checkAge(heading.created_at))
    warn('changes', isAuthentic ? undefined : cannotBeChecked, 'the backup is as it was written')
    if (place.note !== undefined) checks.push({ check: 'database', outcome: 'warning', message: place.note })
    const context = await openContextAsItIs(place.config, commandLogger(config), { isEmptyExpected: true })
    let restored = { rows: 0, files: 0, is_authentic: isAuthentic }
    try {
      restored = await restoreBackup(context, file, (total) => progressBar('Restore', total))
      add(
        'rows',
        await wrongCounts(context, tables),
        `${counted(restored.rows, 'row')} in ${counted(tables.size, 'table')}`,
      )
      const lost = await findLostReferences(context.database.read)
      add('references', lost.length > 0 ? lost.join(' ') : undefined, 'every row belongs to a row that is there')
      add('audit log', ...(await checkAuditLog(context)))
      add('secret key', await restoredKeyProblem(context), 'no encrypted value of the backup needs another key')
      add('files', ...(await checkFiles(context, config, heading.files !== undefined, files)))
    } catch (error) {
      throw explainDatabaseError(context, error)
    } finally {
      await closeContext(context)
    }
    const seconds = Math.round(performance.now() - begun) / 1000
    const { created_at } = heading
    const { engine } = place
    const marks = { ok: '✓', warning: '!', problem: '✗' }
    print(
      options,
      { file, created_at, engine, seconds, ...restored, checks },
      [
        `Restored ${file} (as of ${created_at}) into a temporary ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} database in ${seconds} s.`,
        ...checks.map(({ check, outcome, message }) => `${marks[outcome]} ${check}: ${message}`),
        'The temporary database was removed.',
      ].join('\n'),
    )
    const problems = checks.filter(({ outcome }) => outcome === 'problem').length
    if (problems > 0) throw new CommandError(`${counted(problems, 'problem')} found.`)
  } finally {
    await leftovers.remove()
  }
}

interface Leftovers {
  /** What is made later is removed earlier. */
  add(removal: () => Promise<void> | void): void
  remove(): Promise<void>
}

/** Also when a signal ends the drill: it would leave a copy of everything behind. */
function watchLeftovers(): Leftovers {
  const removals: (() => Promise<void> | void)[] = []
  let removing: Promise<void> | undefined
  const removeAll = async () => {
    for (let removal = removals.pop(); removal; removal = removals.pop()) await removal()
  }
  const remove = () => {
    removing ??= removeAll().finally(() => {
      for (const signal of stopSignals) process.off(signal, stop)
    })
    return removing
  }
  let isStopped = false
  const stop = (signal: NodeJS.Signals) => {
    // A second one must not interrupt the removal.
    if (isStopped) return
    isStopped = true
    remove()
      .catch(() => undefined)
      .then(() => process.kill(process.pid, signal))
  }
  for (const signal of stopSignals) process.on(signal, stop)
  return { add: (removal) => removals.push(removal), remove }
}

/** Where the newest backup failed, or is not complete yet, a nightly drill finds the one before: that one being whole says little. */
function checkAge(created_at: string): [string | undefined, string] {
  const hours = Math.max(0, Math.floor((Date.now() - Date.parse(created_at)) / hour))
  const age = hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
  const warning = `The backup is more than a day old: it was written ${age} ago. Check that newer backups are written.`
  return [hours >= 24 ? warning : undefined, `the backup was written ${age} ago`]
}

async function wrongCounts({ database }: Context, tables: ReadonlyMap<string, number>): Promise<string | undefined> {
  const wrong: string[] = []
  for (const [table, expected] of tables) {
    const count = await countRows(database.read, table)
    if (count !== expected) wrong.push(`${table} has ${counted(count, 'row')} instead of ${expected}.`)
  }
  return wrong.length > 0 ? wrong.join(' ') : undefined
}

async function checkAuditLog(context: Context): Promise<[string | undefined, string]> {
  const findings = await verifyDatabase(context, undefined, new Set())
  const broken = findings.flatMap(({ portal_id, broken }) =>
    broken ? [`${portal_id} is broken at entry ${broken.sequence}: ${broken.problem}.`] : [],
  )
  const entries = findings.reduce((sum, finding) => sum + finding.entries, 0)
  return [
    broken.length > 0 ? broken.join(' ') : undefined,
    `${counted(entries, 'entry', 'entries')} in ${counted(findings.length, 'log')}, unbroken`,
  ]
}

/** Those in the backup were compared with their SHA-256 when it was read; without them, those in the file store count. */
async function checkFiles(
  context: Context,
  config: Config,
  areInBackup: boolean,
  { whole, missing, damaged }: Awaited<ReturnType<typeof checkBackup>>['files'],
): Promise<[string | undefined, string]> {
  if (areInBackup) {
    const lost = [...missing, ...damaged]
    const problem = `Missing or damaged when the backup was written: ${lost.join(', ')}.`
    return [
      lost.length > 0 ? problem : undefined,
      `${counted(whole.size, 'file')} in the backup, each with its SHA-256`,
    ]
  }
  const store = openStore(config.files)
  const own = ownFiles(config)
  try {
    const { checked, damaged, damaged_count, unread, unread_count, deleted } = await verifyFiles(
      { ...context, files: store },
      { isHashing: true, isKept: own.isKept },
    )
    const more = damaged_count - damaged.length + unread_count - unread.length
    const problem = [
      ...[...damaged, ...unread].map(({ id, problem }) => `${id} ${problem}.`),
      ...(more > 0 ? [`And ${counted(more, 'more file')}.`] : []),
    ].join(' ')
    const since = deleted > 0 ? `, except for ${counted(deleted, 'file')} deleted since the backup` : ''
    return [
      damaged_count + unread_count > 0 ? problem : undefined,
      `${counted(checked, 'file')} in the file store, each with its SHA-256${since}; the backup contains none`,
    ]
  } catch (error) {
    if (error instanceof StoreUnavailable) return [error.message, '']
    throw error
  } finally {
    await own.close()
    await store.close()
  }
}

/** What the deployment itself still has. Opened when it is asked first: nobody else needs it. */
function ownFiles(config: Config) {
  let opening: Promise<Database | undefined> | undefined
  const open = async (): Promise<Database | undefined> => {
    if (config.database_url === undefined && !existsSync(sqliteFile(config))) return undefined
    const database = await openDatabase(config, commandLogger(config), 'maintenance')
    // A database that was never used is not the one whose files these are.
    if (await isClaimed(database)) return database
    await database.close()
    return undefined
  }
  return {
    /** Where the deployment cannot be asked, every file counts. */
    async isKept({ portal_id, id }: { portal_id: string; id: string }): Promise<boolean> {
      opening ??= open()
      const database = await opening
      return database === undefined || isFileKept(database.read, portal_id, id)
    },
    async close(): Promise<void> {
      const database = await opening?.catch(() => undefined)
      await database?.close()
    },
  }
}

interface Place {
  config: Config
  engine: Context['database']['engine']
  /** Why it is of a different engine than the deployment. */
  note?: string
}

/** A place of the same engine where this is possible; backups fit both. */
async function makePlace(config: Config, leftovers: Leftovers): Promise<Place> {
  await removeAbandoned(tmpdir(), /^portico-drill-(\d+)-[0-9a-f]{8}$/)
  const directory = join(tmpdir(), `portico-drill-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(directory, { mode: 0o700 })
  const stopMarking = keepMarked(directory)
  leftovers.add(() => {
    stopMarking()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  const own: Config = { ...config, data_dir: directory, files: { kind: 'disk', directory: join(directory, 'files') } }
  const onSqlite: Place = { config: { ...own, database_url: undefined }, engine: 'sqlite' }
  if (config.database_url === undefined) return onSqlite
  // No database is created through a pooler.
  const past: Config =
    config.database_pooler === 'transaction' && config.database_direct_url !== undefined
      ? {
          ...{ ...own, database_url: config.database_direct_url, database_pooler: 'none' },
          database_direct_url: undefined,
        }
      : own
  const server = await openDatabase(past, commandLogger(config), 'maintenance')
  leftovers.add(() => server.close())
  const name = `portico_drill_${Math.floor(Date.now() / second)}_${randomBytes(6).toString('hex')}`
  let creating: Promise<unknown> = Promise.resolve()
  try {
    await dropAbandoned(server)
    creating = sql`create database ${sql.ref(name)}`.execute(server.write)
    leftovers.add(async () => {
      // What is being created cannot be dropped yet.
      await creating.catch(() => undefined)
      await sql`drop database if exists ${sql.ref(name)} with (force)`.execute(server.write)
    })
    await creating
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // No right to create databases, or a pooler, behind which every statement is in a transaction, or no way past it.
    const why =
      code === '42501'
        ? 'the role may not create a database (CREATEDB)'
        : code === '25001' || past.database_url !== config.database_url
          ? 'no database can be created through the pooler'
          : undefined
    if (why !== undefined)
      return {
        ...onSqlite,
        note: `Restored into SQLite, because ${why}: this shows that the backup is whole, and not that PostgreSQL accepts it or how long that takes.`,
      }
    throw explainDatabaseError({ config, database: server }, error)
  }
  const url = new URL(past.database_url ?? '')
  url.pathname = `/${name}`
  return { config: { ...past, database_url: url.href }, engine: 'postgres' }
}

/** Databases that drills which were killed have left: a day old, ours, and nobody is connected. */
async function dropAbandoned(server: Database): Promise<void> {
  const { rows } = await sql<{ datname: string }>`
    select datname from pg_catalog.pg_database
    where datname ~ '^portico_drill_[0-9]+_[0-9a-f]{12}$' and pg_catalog.pg_get_userbyid(datdba) = current_user
      and not exists (select 1 from pg_catalog.pg_stat_activity as one where one.datname = pg_database.datname)
  `.execute(server.read)
  for (const { datname } of rows) {
    const isOld = Date.now() - Number(datname.split('_')[2]) * second > day
    if (isOld) await sql`drop database if exists ${sql.ref(datname)}`.execute(server.write)
  }
}
