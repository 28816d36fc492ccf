// A backup is one compressed file of JSON lines, the same for both engines: a heading, then each table with its rows,
// then an end that says how many there were. It is read from one snapshot, so it is exactly one moment.
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import { isoTime } from './clock.ts'
import type { Context } from './context.ts'
import type { Tx } from './database/database.ts'
import { appliedMigrations } from './database/migrate.ts'
import { primaryKeys } from './database/tables.ts'
import { keyCheck } from './deployment.ts'
import { counted } from './values/counted.ts'
import { reasonOf } from './values/reason.ts'

export class BackupError extends Error {}

type Row = Record<string, unknown>
type Line =
  | {
      portico_backup: 1
      created_at: string
      migrations: string[]
      key_check: string
      environment: string
      rows: number
    }
  | { table: string }
  | { row: Row }
  | { end: number }
type ShowProgress = (total: number) => (done: number) => void

/** An existing file is replaced only when that is asked for. */
export async function writeBackup(
  context: Context,
  file: string,
  { showProgress, isReplacing }: { showProgress: ShowProgress; isReplacing: boolean },
): Promise<{ rows: number }> {
  await requireFree(file, isReplacing)
  const draft = `${file}.${process.pid}.part`
  const migrations = await appliedMigrations(context.database)
  let written = 0
  try {
    await context.database.snapshot(async (tx) => {
      let total = 0
      for (const table of tableNames) total += await countRows(tx, table)
      const progress = showProgress(total)
      async function* lines() {
        yield line({
          portico_backup: 1,
          created_at: isoTime(context.clock.now()),
          migrations,
          key_check: keyCheck(context),
          environment: context.config.environment,
          rows: total,
        })
        for (const table of tableNames) {
          yield line({ table })
          for await (const row of rowsOf(tx, table)) {
            yield line({ row })
            progress(++written)
          }
        }
        yield line({ end: written })
      }
      await pipeline(Readable.from(lines()), createGzip(), createWriteStream(draft, { mode: 0o600 }))
    })
    await sync(draft, 'r+')
    if (isReplacing) await rename(draft, file)
    else await linkInPlace(draft, file)
    await sync(dirname(file), 'r')
  } catch (error) {
    const isAboutFile = error instanceof Error && 'syscall' in error && 'path' in error
    throw isAboutFile ? new BackupError(`${file} cannot be written: ${reasonOf(error)}.`) : error
  } finally {
    await rm(draft, { force: true })
  }
  return { rows: written }
}

async function requireFree(file: string, isReplacing: boolean): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  // A device or a directory is never meant to become a backup.
  if (found && !found.isFile()) throw new BackupError(`${file} cannot be written: it is not a regular file.`)
  if (found && !isReplacing) throw alreadyThere(file)
}

/** Like a rename, but a file that appeared meanwhile stays. */
async function linkInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw alreadyThere(file)
    // Some file systems know no links.
    await requireFree(file, false)
    await rename(draft, file)
  }
}

function alreadyThere(file: string): BackupError {
  return new BackupError(`${file} already exists. Choose another name, or add --force to replace it.`)
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function restoreBackup(
  context: Context,
  file: string,
  showProgress: ShowProgress,
): Promise<{ rows: number }> {
  const total = await checkBackup(context, file)
  const progress = showProgress(total)
  let restored = 0
  await context.database.transaction(async (tx) => {
    const { rows } = await sql<{ portal_id: string }>`select portal_id from portals limit 1`.execute(tx)
    if (rows.length > 0)
      throw new BackupError(
        'The database is not empty. Restore into an empty database: set PORTICO_DATA_DIR to a new directory, or PORTICO_DATABASE_URL to an empty database.',
      )
    // What the first start of an empty database wrote by itself.
    for (const table of [...tableNames].reverse()) await sql`delete from ${sql.table(table)}`.execute(tx)
    let table = ''
    let batch: Row[] = []
    const insertBatch = async () => {
      await insertRows(tx, table, batch)
      restored += batch.length
      progress(restored)
      batch = []
    }
    for await (const entry of readLines(file)) {
      const isFull = batch.length * Object.keys(batch[0] ?? {}).length >= insertedValues
      if (isFull || 'table' in entry) await insertBatch()
      if ('table' in entry) table = entry.table
      if ('row' in entry) batch.push(entry.row)
    }
    await insertBatch()
    // Numbers given after the backup have been seen by readers; nobody may miss an event because it reuses one.
    await sql`update portals set last_sequence = last_sequence + ${restoredSequenceGap}`.execute(tx)
    // Counted by the database the backup is of; this one counts anew, and what is restored comes first.
    await sql`update events set inserted = null where sequence is null`.execute(tx)
  })
  return { rows: restored }
}

/** Whether the file begins like a backup: to be asked before anything is opened or created for it. */
export async function requireBackup(file: string): Promise<void> {
  try {
    for await (const entry of readLines(file)) {
      if ('portico_backup' in entry) return
      break
    }
  } catch (error) {
    throw new BackupError(`${file} cannot be read as a backup: ${reasonOf(error)}.`)
  }
  throw new BackupError(`${file} is not a Portico backup.`)
}

/** Reads the whole file before anything is changed: a broken backup must not leave half of itself behind. */
async function checkBackup(context: Context, file: string): Promise<number> {
  let heading: Extract<Line, { portico_backup: 1 }> | undefined
  let rows = 0
  let end: number | undefined
  const known = new Set<string>(tableNames)
  try {
    for await (const entry of readLines(file)) {
      if ('portico_backup' in entry) heading = entry
      if (heading === undefined) break
      if ('table' in entry && !known.has(entry.table))
        throw new BackupError(
          `The backup contains a table that this release does not know: ${entry.table}. Restore it with the release that created it.`,
        )
      if ('row' in entry) rows++
      if ('end' in entry) end = entry.end
    }
  } catch (error) {
    if (error instanceof BackupError) throw error
    throw new BackupError(`${file} cannot be read as a backup: ${reasonOf(error)}.`)
  }
  if (!heading) throw new BackupError(`${file} is not a Portico backup.`)
  if (end !== rows || rows !== heading.rows)
    throw new BackupError(
      `${file} is incomplete: it should contain ${counted(heading.rows, 'row')} but contains ${rows}.`,
    )
  if (heading.key_check !== keyCheck(context))
    throw new BackupError(
      'The backup was created with a different secret key. Copy that secret.key into the data directory, or set PORTICO_SECRET_KEY to that key.',
    )
  if (heading.environment !== context.config.environment)
    throw new BackupError(
      `The backup is from a ${heading.environment} deployment. Set PORTICO_ENVIRONMENT=${heading.environment} to restore it.`,
    )
  const current = await appliedMigrations(context.database)
  if (heading.migrations.join() !== current.join())
    throw new BackupError(
      'The backup has a different database schema than this release. Restore it with the release that created it, then upgrade.',
    )
  return rows
}

// safe because the keys of primaryKeys are the tables
const tableNames = Object.keys(primaryKeys) as (keyof typeof primaryKeys)[]
const batchSize = 1000
const restoredSequenceGap = 1_000_000

async function countRows(tx: Tx, table: keyof typeof primaryKeys): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

async function* rowsOf(tx: Tx, table: keyof typeof primaryKeys): AsyncGenerator<Row> {
  const key = primaryKeys[table]
  const columns = sql.join(key.map((column) => sql.ref(column)))
  let after: RawBuilder<unknown> = sql``
  for (;;) {
    const { rows } =
      await sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${batchSize}`.execute(tx)
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`
  }
}

/** Rows of one table; as a backup writes whole tables, all of them have the same columns. */
async function insertRows(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const toValue = (value: unknown) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value)
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => toValue(row[column])))})`)
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(tx)
}

/** One statement for many rows, and far from as many values as an engine takes. */
const insertedValues = 1000

async function* readLines(file: string): AsyncGenerator<Line> {
  const source = createReadStream(file)
  const text = createGunzip()
  source.once('error', (error) => text.destroy(error))
  const lines = createInterface({ input: source.pipe(text), crlfDelay: Number.POSITIVE_INFINITY })
  // Whoever stops reading early is not told of what breaks behind that.
  lines.on('error', () => undefined)
  try {
    for await (const entry of lines) yield JSON.parse(entry)
  } finally {
    source.destroy()
    text.destroy()
  }
}

function line(entry: Line): string {
  return `${JSON.stringify(entry)}\n`
}
