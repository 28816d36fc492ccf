// When the rows of a restore are committed, something is left to do: notes in the audit log, and erasures that are newer
// than the backup. What is left is written with the rows, so that whoever opens the database after a kill completes it. It
// has a table of its own, which fits the schema of any backup and goes when the restore is complete.
import { sql } from 'kysely'
import type { Connection, Database, Tx } from '../database/database.ts'
import type { Heading } from './lines.ts'

interface UnfinishedRestore {
  /** By these a backup is known again. */
  created_at: string
  row_count: number
  /** What is to be done once; null when that is done and only what repeats is left. */
  rest: unknown
}

export async function markUnfinished(tx: Tx, { created_at, rows }: Heading, rest: unknown): Promise<void> {
  await sql`create table unfinished_restore (created_at text, row_count bigint, rest text)`.execute(tx)
  const text = JSON.stringify(rest)
  await sql`insert into unfinished_restore (created_at, row_count, rest) values (${created_at}, ${rows}, ${text})`.execute(
    tx,
  )
}

export async function findUnfinished(
  db: Connection,
  engine: Database['engine'],
): Promise<UnfinishedRestore | undefined> {
  if (!(await hasTable(db, engine))) return undefined
  const select = sql<{ created_at: string; row_count: number; rest: string | null }>`
    select created_at, row_count, rest from unfinished_restore
  `
  const found = await select.execute(db).catch(async (error) => {
    // Another process may have completed it just now.
    if (await hasTable(db, engine)) throw error
  })
  const row = found?.rows[0]
  return row && { ...row, row_count: Number(row.row_count), rest: row.rest === null ? null : JSON.parse(row.rest) }
}

async function hasTable(db: Connection, engine: Database['engine']): Promise<boolean> {
  const { rows } = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_master where name = 'unfinished_restore'`.execute(db)
    : sql`select 1 from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'unfinished_restore'`.execute(
        db,
      ))
  return rows.length > 0
}

/** Nobody else does what is to be done once until the end of the transaction. */
export async function lockUnfinished(tx: Tx): Promise<void> {
  await sql`update unfinished_restore set rest = rest`.execute(tx)
}

export async function markOnceDone(tx: Tx): Promise<void> {
  await sql`update unfinished_restore set rest = null`.execute(tx)
}

export async function markFinished({ transaction }: Database): Promise<void> {
  await transaction((tx) => sql`drop table if exists unfinished_restore`.execute(tx))
}
