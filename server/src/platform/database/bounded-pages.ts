// Rows of a table in the order of its primary key, a page at a time. A row may be a few bytes or many megabytes, so it is
// their size, and not only their number, that says how many are in memory at once.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Connection, Tx } from './database.ts'
import { primaryKeys } from './tables.ts'

interface PageBounds {
  rows: number
  /** One row alone may have more. */
  bytes: number
}

export async function* boundedPages(
  db: Connection | Tx,
  table: keyof typeof primaryKeys,
  most: PageBounds,
  where: RawBuilder<SqlBool> = sql`1 = 1`,
): AsyncGenerator<Record<string, unknown>[]> {
  const key = primaryKeys[table]
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  let after: RawBuilder<unknown> = sql``
  const next = <T>(what: RawBuilder<unknown>, count: number) =>
    sql<T>`select ${what} from ${sql.table(table)} where ${where} ${after} order by ${keyColumns} limit ${count}`
  const [first] = (await next<object>(sql`*`, 1).execute(db)).rows
  const size = sizeOf(Object.keys(first ?? {}))
  let counts: number[] = []
  while (first) {
    if (counts.length === 0) counts = await measure(db, next(size, most.rows), most)
    const { rows } = await next<Record<string, unknown>>(sql`*`, counts.shift() ?? most.rows).execute(db)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = sql`and (${keyColumns}) > (${sql.join(key.map((column) => last[column]))})`
  }
}

/** What the values of a row take as text. PostgreSQL knows that of long texts without reading them. */
function sizeOf(columns: readonly string[]): RawBuilder<unknown> {
  const sizes = columns.map((column) => sql`coalesce(octet_length(cast(${sql.ref(column)} as text)), 0)`)
  return sql`${sql.join(sizes, sql` + `)} as size`
}

/** How many of the next rows can be read together each time; none when all of them can. */
async function measure(db: Connection | Tx, sizes: RawBuilder<{ size: number }>, most: PageBounds): Promise<number[]> {
  // Nearly always all of them fit, and one number costs less than one for each row.
  const { rows } = await sql<{ total: number }>`select sum(size) as total from (${sizes}) as measured`.execute(db)
  if (Number(rows[0]?.total ?? 0) <= most.bytes) return []
  return countsThatFit((await sizes.execute(db)).rows, most)
}

/** How many of the rows with these sizes can be read together each time. */
export function countsThatFit(sized: readonly { size: number | null }[], most: PageBounds): number[] {
  const counts: number[] = []
  let count = 0
  let bytes = 0
  for (const { size } of sized) {
    if (count === most.rows || (count > 0 && bytes + (size ?? 0) > most.bytes)) {
      counts.push(count)
      count = 0
      bytes = 0
    }
    count += 1
    bytes += size ?? 0
  }
  return count > 0 ? [...counts, count] : counts
}
