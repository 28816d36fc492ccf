// Walks through the values of a sealed column that certain keys have not sealed, a few rows at a time, and fewer where the
// values are long: a submission may have many megabytes, and all of this goes on beside requests.
import { setImmediate as turn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { countsThatFit } from '../database/bounded-pages.ts'
import type { Connection } from '../database/database.ts'
import { primaryKeys } from '../database/tables.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** A row with its key, what the value is bound to, and the value. */
export type SealedRow = Record<string, string | number | null> & { sealed_text: string }

/** Batches of rows whose value does not begin with any of the marks. Most of them are empty where little is left. */
export async function* sealedOtherwise(
  db: Connection,
  sealed: SealedColumn,
  marks: readonly string[],
): AsyncGenerator<SealedRow[]> {
  const key = primaryKeys[sealed.table]
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  let after: RawBuilder<unknown> = sql``
  const next = <T>(what: RawBuilder<unknown>, most: number) =>
    sql<T>`select ${what} from ${sql.table(sealed.table)} ${after} order by ${keyColumns} limit ${most}`.execute(db)
  // All rows, and not only those that are left: looking for the last of them in a large table would take too long.
  const values = sql`
    ${sql.join([...new Set([...key, ...sealed.boundTo])].map((column) => sql.ref(column)))},
    case when ${isSealedOtherwise(sealed, marks)} then ${textOf(sealed)} end as sealed_text`
  let counts: number[] = []
  for (;;) {
    if (counts.length === 0)
      counts = countsThatFit((await next<{ size: number | null }>(sizeOf(sealed), measuredRows)).rows, batch)
    const count = counts.shift()
    if (count === undefined) return
    const { rows } = await next<Record<string, string | number | null>>(values, count)
    yield rows.flatMap((row) => (typeof row.sealed_text === 'string' ? [{ ...row, sealed_text: row.sealed_text }] : []))
    const last = rows.at(-1)
    if (!last) return
    after = sql`where (${keyColumns}) > (${sql.join(key.map((column) => last[column]))})`
    // SQLite answers at once: without this, nobody else would be served until the end.
    await turn()
  }
}

/** For which neither engine reads a value that is a text. */
function sizeOf(sealed: SealedColumn): RawBuilder<unknown> {
  return sql`octet_length(${sealed.form === 'list' ? textOf(sealed) : sql.ref(sealed.column)}) as size`
}

/** How many rows have a value that does not begin with any of the marks. */
export async function countOtherwise(db: Connection, sealed: SealedColumn, marks: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(sealed.table)} where ${isSealedOtherwise(sealed, marks)}
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Whether the column has anything that does not begin with one of the marks. A null is no text, and neither is sealed. */
function isSealedOtherwise(sealed: SealedColumn, marks: readonly string[]): RawBuilder<boolean> {
  const { only, form } = sealed
  const text = textOf(sealed)
  const beginsAt = (place: number) =>
    sql.join(
      marks.map((mark) => sql`substr(${text}, ${sql.lit(place)}, ${mark.length}) <> ${mark}`),
      sql` and `,
    )
  const isOther = {
    text: () => beginsAt(1),
    json: () => sql`${beginsAt(2)} and ${text} <> 'null'`,
    // Every member must have one: what is left without those that do must have none.
    list: () => {
      const rest = marks.reduce((left, mark) => sql`replace(${left}, ${`"sealed":"${mark}`}, '')`, text)
      return sql`${rest} like ${'%"sealed":"%'}`
    },
  }[form]()
  return only === undefined
    ? sql<boolean>`${isOther}`
    : sql<boolean>`${sql.ref(only.column)} = ${only.value} and ${isOther}`
}

export function textOf({ column }: SealedColumn): RawBuilder<string> {
  return sql<string>`cast(${sql.ref(column)} as text)`
}

/** What the value of a row is bound to. */
export function boundTo({ boundTo }: SealedColumn, row: SealedRow): string {
  return boundTo.map((column) => row[column]).join(' ')
}

/** The text of a column with each sealed part of it replaced; undefined when any of them cannot be. */
export function withSealedParts(
  text: string,
  form: SealedColumn['form'],
  replace: (sealed: string) => string | undefined,
): string | undefined {
  if (form === 'text') return replace(text)
  if (form === 'json') {
    const next = replace(JSON.parse(text))
    return next && JSON.stringify(next)
  }
  const members: { sealed: string }[] = JSON.parse(text)
  const next = members.map((member) => ({ ...member, sealed: replace(member.sealed) }))
  return next.every(({ sealed }) => sealed !== undefined) ? JSON.stringify(next) : undefined
}

const measuredRows = 500
const batch = { rows: 100, bytes: 1_000_000 }
