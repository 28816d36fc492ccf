// Many rows like one, written without a request's haste.
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../src/platform/context.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import type { Tables } from '../src/platform/database/tables.ts'
import { engine } from './harness.ts'

/** A transaction that may take as long as it needs: what fills a table for a test is no request. */
export async function atLeisure<T>({ config, database, log }: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (database.engine === 'sqlite') return database.transaction(work)
  const patient = await openDatabase(config, log, 'maintenance')
  try {
    return await patient.transaction(work)
  } finally {
    await patient.close()
  }
}

export const rowCount = 6000
/** The number of a copied row is more than this: numbers have the same length, and their texts the same order. */
const base = 10_000_000

/** An id, different in each row. */
export const numberedId = (prefix: string) => sql`${sql.lit(`${prefix}_000000000000000000`)} || cast(n as text)`

/** A time, in each row a second later than in the one before. */
export function secondsAfter(time: string): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`cast(${sql.lit(time)} as timestamptz) + (n - ${sql.lit(base)}) * interval '1 second'`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.lit(time)}, '+' || (n - ${sql.lit(base)}) || ' seconds')`
}

/** A value for the first 60 rows, the next 40, and the odd and even ones of the rest. */
export function spread(...[first, next, odd, even]: [string, string, string, string]) {
  return sql`case when n <= ${sql.lit(base + 60)} then ${sql.lit(first)} when n <= ${sql.lit(base + 100)} then ${sql.lit(next)}
    when n % 2 = 1 then ${sql.lit(odd)} else ${sql.lit(even)} end`
}

/** Many rows like the one with this id, with what is to be different in them; those from one number to another. */
export async function copyRows(
  context: Context,
  table: keyof Tables,
  id: string,
  different: Readonly<Record<string, RawBuilder<unknown>>>,
  { first = 1, last = rowCount } = {},
): Promise<void> {
  const { read } = context.database
  const row = await read.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const columns = Object.keys(row)
  const values = columns.map((name) => different[name] ?? sql.ref(`one.${name}`))
  await atLeisure(context, (tx) =>
    sql`
      with recursive numbers (n) as (
        select ${sql.lit(base + first)} union all select n + 1 from numbers where n < ${sql.lit(base + last)}
      )
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from numbers, ${sql.table(table)} as one where one.id = ${id}
    `.execute(tx),
  )
}
