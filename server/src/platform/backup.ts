// A backup is one compressed file (backup/lines.ts). Its rows are read from one snapshot, so they are exactly one moment.
// Files never change, so they follow when the snapshot has ended: one that is gone by then was deleted meanwhile, or lost.
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'kysely'
import { note } from './audit/notes.ts'
import { checkBackup } from './backup/check.ts'
import { writeAsDraft } from './backup/drafts.ts'
import { linesOfFile, restoreFiles } from './backup/files.ts'
import { BackupError, type FileEnd, type Heading, type KeptFile, line } from './backup/lines.ts'
import { restoreRows, rowsOf } from './backup/rows.ts'
import { findUnfinished, markUnfinished } from './backup/unfinished.ts'
import { isoTime } from './clock.ts'
import type { Context } from './context.ts'
import type { Connection, Database, Tx } from './database/database.ts'
import { holdSnapshot } from './database/held-snapshot.ts'
import { appliedMigrations, knownMigrations, migrate } from './database/migrate.ts'
import { primaryKeys } from './database/tables.ts'

type ShowProgress = (total: number) => (done: number) => void

interface BackupOptions {
  showProgress: ShowProgress
  isReplacing: boolean
  /** What is done before the first row is read. */
  begin?: () => Promise<void>
  /** When files are to be in the backup. */
  files?: BackedUpFiles
}

export interface BackedUpFiles {
  /** Those that belong to the rows. */
  list(tx: Tx): Promise<KeptFile[]>
  /** Whether a row still has this one. */
  isKept(db: Connection, key: string): Promise<boolean>
}

export interface WrittenBackup {
  rows: number
  /** The earlier backup, which may still have files that are lost now; until one has all files again. */
  kept?: string
  /** Absent when the backup has no files. */
  files?: Record<FileEnd, number>
}

/** An existing file is replaced only when that is asked for. */
export async function writeBackup(
  context: Context,
  file: string,
  { showProgress, isReplacing, begin, files: wanted }: BackupOptions,
): Promise<WrittenBackup> {
  const { database } = context
  const migrations = await appliedMigrations(database)
  const write = async (draft: string): Promise<WrittenBackup> => {
    await begin?.()
    const key_check = context.vault.keys.sealing()
    const code = requireCode(context.vault.startCode('backup', key_check))
    const ends = { whole: 0, missing: 0, damaged: 0, removed: 0 }
    let files: KeptFile[] | undefined
    let total = 0
    let written = 0
    let progress: (done: number) => void = () => undefined
    async function* rowLines(tx: Tx) {
      files = await wanted?.list(tx)
      for (const table of tableNames) total += await countRows(tx, table)
      progress = showProgress(total + (files?.length ?? 0))
      yield line({
        portico_backup: files ? 2 : 1,
        created_at: isoTime(context.clock.now()),
        migrations,
        key_check,
        environment: context.config.environment,
        rows: total,
        ...(files && { files: files.length }),
      })
      for (const table of tableNames) {
        yield line({ table })
        for await (const row of rowsOf(tx, table)) {
          yield line({ row })
          progress(++written)
        }
      }
    }
    async function* content() {
      const snapshot = await holdSnapshot(database)
      try {
        yield* rowLines(snapshot.tx)
      } finally {
        await snapshot.end()
      }
      const isKept = async (key: string) => (await wanted?.isKept(database.read, key)) ?? true
      for (const [index, one] of (files ?? []).entries()) {
        ends[yield* linesOfFile(context.files, one, isKept)]++
        progress(written + index + 1)
      }
    }
    async function* lines() {
      for await (const text of content()) {
        code.update(text)
        yield text
      }
      const end = { end: written }
      yield line({ ...end, code: code.update(line(end)).digest('base64url') })
    }
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
    return { rows: written, ...(files && { files: ends }) }
  }
  const before = `${file}.before`
  const keepEarlier = async ({ files: ends }: WrittenBackup): Promise<void> => {
    if (lostFilesIn(ends) > 0 && existsSync(file) && !existsSync(before)) await rename(file, before)
  }
  const result = await writeAsDraft(file, isReplacing, write, keepEarlier)
  if (lostFilesIn(result.files) > 0) return existsSync(before) ? { ...result, kept: before } : result
  // A backup without files says nothing of those that an earlier one has.
  if (wanted) await rm(before, { force: true })
  return result
}

/** How many files the store had lost, or damaged. */
export function lostFilesIn(files: WrittenBackup['files']): number {
  return files ? files.missing + files.damaged : 0
}

function requireCode<T>(code: T | undefined): T {
  if (code === undefined) throw new Error('the key that seals is not known')
  return code
}

/**
 * Restores a backup that was checked, and brings the schema up to that of this release. `rest` is what then remains to be
 * done; it is kept until somebody has done it (backup/unfinished.ts).
 */
export async function restoreBackup(
  context: Context,
  file: string,
  showProgress: ShowProgress,
  rest?: unknown,
): Promise<{ rows: number; files: number; is_authentic: boolean }> {
  const { database } = context
  const checked = await checkBackup(context, file)
  const { heading, files } = checked
  const { isRestored } = await requireRoom(database, heading)
  if (!isRestored) {
    const progress = showProgress(checked.rows + files.whole.size)
    await migrate(database, heading.migrations.at(-1))
    // Before the rows: files that nobody knows do no harm, rows without their files would.
    await restoreFiles(context.files, file, (key) => files.whole.has(key), progress)
    await database.transaction(async (tx) => {
      await restoreRows(tx, database, file, checked, (done) => progress(files.whole.size + done))
      await leaveGap(tx, context)
      if (rest !== undefined) await markUnfinished(tx, heading, rest)
    })
  }
  await migrate(database)
  return { rows: checked.rows, files: files.whole.size, is_authentic: checked.isAuthentic }
}

/** What happened after the backup is gone from the audit log, too: the log of each Portal says why. */
export async function noteRestore(tx: Tx, context: Context): Promise<number> {
  const portals = await tx.selectFrom('portals').select('portal_id').orderBy('portal_id').execute()
  for (const { portal_id } of portals)
    await note(tx, { context, portal_id, request_id: null }, { action: 'portal.restored', resource_id: portal_id })
  return portals.length
}

/** Throws a sentence unless the backup can be restored into this database, or just has been as far as its rows. */
export async function requireRoom(database: Database, { migrations, created_at, rows }: Heading) {
  const unfinished = await findUnfinished(database.read, database.engine)
  if (unfinished?.created_at === created_at && unfinished.row_count === rows) return { isRestored: true }
  const known = knownMigrations()
  if (migrations.join() !== known.slice(0, migrations.length).join())
    throw new BackupError(
      'The backup was created by a newer release: its database schema is unknown to this one. Restore it with the release that created it.',
    )
  const applied = await appliedMigrations(database)
  if (applied.length === 0) return { isRestored: false }
  // An audit log can be there without a Portal, and nobody may remove it.
  for (const table of ['portals', ...(applied.includes('0020-audit-log') ? ['audit_log'] : [])]) {
    const found = await sql`select portal_id from ${sql.table(table)} limit 1`.execute(database.read)
    if (found.rows.length > 0)
      throw new BackupError(
        database.engine === 'postgres'
          ? 'The database is not empty. Restore into an empty database: rename this one and create a new one with its name, or set PORTICO_DATABASE_URL to an empty database.'
          : 'The database is not empty. Restore into an empty database: set PORTICO_DATA_DIR to a new directory.',
      )
  }
  if (applied.join() !== migrations.join())
    throw new BackupError(
      'The backup has an older database schema than this database. Restore it into a database without tables: the restore creates them and then updates the schema.',
    )
  return { isRestored: false }
}

/**
 * Goes on with numbers that nobody has seen: those given after the backup are known to readers of events. The time in
 * milliseconds is among them only if a Portal had a thousand events a second since the beginning, and is larger each time,
 * so that a second recovery from the same backup does not come upon the numbers that followed the first.
 */
export async function leaveGap(tx: Tx, { clock }: Pick<Context, 'clock'>): Promise<void> {
  const [gap, time] = [restoredSequenceGap, clock.now()].map((number) => sql.lit(number))
  await sql`
    update portals set last_sequence =
      case when last_sequence < ${time} then ${time} else last_sequence + ${gap} end
  `.execute(tx)
  // Counted by the database the backup is of; this one counts anew, and what is restored comes first.
  await sql`update events set inserted = null where sequence is null`.execute(tx)
}

// safe because the keys of primaryKeys are the tables
const tableNames = Object.keys(primaryKeys) as (keyof typeof primaryKeys)[]
const restoredSequenceGap = 1_000_000

export async function countRows(tx: Tx | Database['read'], table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}
