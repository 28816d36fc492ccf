// The rows of a backup on their way out of a database and into one: as many at once as have a certain size.
import { sql } from 'kysely'
import { boundedPages } from '../database/bounded-pages.ts'
import type { Database, Tx } from '../database/database.ts'
import { primaryKeys } from '../database/tables.ts'
import { reasonOf } from '../values/reason.ts'
import { type CheckedBackup, isTable } from './check.ts'
import { BackupError, type Row, readLines } from './lines.ts'

export async function* rowsOf(tx: Tx, table: keyof typeof primaryKeys): AsyncGenerator<Row> {
  for await (const rows of boundedPages(tx, table, { rows: 1000, bytes: bytesAtOnce })) yield* rows
}

export async function restoreRows(
  tx: Tx,
  database: Database,
  file: string,
  { tables }: CheckedBackup,
  progress: (done: number) => void,
): Promise<void> {
  // What the first start of an empty database wrote by itself.
  for (const table of [...tables.keys()].reverse()) await sql`delete from ${sql.table(table)}`.execute(tx)
  let table = ''
  let batch: Row[] = []
  let size = 0
  let restored = 0
  const insertBatch = async () => {
    await insertRows(tx, database, table, batch)
    restored += batch.length
    progress(restored)
    batch = []
    size = 0
  }
  for await (const { entry, text } of readLines(file)) {
    const isFull = batch.length * Object.keys(batch[0] ?? {}).length >= insertedValues
    if (isFull || size + text.length > bytesAtOnce || 'table' in entry) await insertBatch()
    if ('table' in entry) table = entry.table
    if (!('row' in entry)) continue
    batch.push(entry.row)
    size += text.length
  }
  await insertBatch()
}

/** Rows of one table; as a backup writes whole tables, all of them have the same columns. */
async function insertRows(tx: Tx, database: Database, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const toValue = (value: unknown) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value)
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => toValue(row[column])))})`)
  try {
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(tx)
  } catch (error) {
    if (database.troubleOf(error)?.kind === 'unavailable') throw error
    const first = isTable(table) ? primaryKeys[table].map((column) => rows[0]?.[column]).join(' ') : ''
    throw new BackupError(
      `A row of the table ${table} cannot be restored: ${reasonOf(error)}. It is one of ${rows.length} from ${first} on. No row was restored. Use a different backup.`,
      { cause: error },
    )
  }
}

/** One row alone may have more. */
const bytesAtOnce = 4_000_000
/** One statement for many rows, and far from as many values as an engine takes. */
const insertedValues = 1000
