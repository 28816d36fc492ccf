// After a rotation of the secret key every stored value is sealed again, a few rows at a time, beside everything else.
// A row that somebody changes meanwhile is left to them: what they write is sealed with the new key. A value that no key
// opens stays as it is, and is counted as left.
import { type RawBuilder, sql } from 'kysely'
import { deployment, enqueue, type JobDefinition } from '../background/jobs.ts'
import { hour, isoTime, second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { primaryKeys } from '../database/tables.ts'
import { deploymentProblem } from '../deployment.ts'
import type { Vault } from '../vault.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

export const sealingJobs: readonly JobDefinition[] = [
  {
    kind: 'secrets.seal_again',
    timeout_ms: hour,
    async run(context, { signal }) {
      // The key may have changed since this process last looked.
      const problem = await deploymentProblem(context)
      if (problem !== undefined) throw new Error(problem)
      for (const column of sealedColumns) await sealAgain(context, column, signal)
      // Processes notice the new key within seconds; what they sealed until then is sealed again in a second round.
      const { key_changed_at } = await context.database.read
        .selectFrom('deployments')
        .select('key_changed_at')
        .where('portal_id', '=', deployment)
        .executeTakeFirstOrThrow()
      const isSettled = key_changed_at === null || key_changed_at < isoTime(context.clock.now() - noticedAfterMs)
      if (isSettled) return
      await context.database.transaction((tx) => enqueueSealing(tx, context, noticedAfterMs))
    },
  },
]

/** How long it takes until every process seals with the new key, with time to spare. */
const noticedAfterMs = 15 * second

export async function enqueueSealing(tx: Tx, context: Context, after_ms = 0): Promise<void> {
  await enqueue(tx, context, { portal_id: deployment, kind: 'secrets.seal_again', after_ms })
}

/** How many values are not sealed with the present key, by table. */
export async function countLeft(db: Connection, vault: Vault): Promise<Record<string, number>> {
  const left: Record<string, number> = {}
  for (const sealed of sealedColumns) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(sealed.table)} where ${isLeft(sealed, vault)}
    `.execute(db)
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) left[sealed.table] = (left[sealed.table] ?? 0) + count
  }
  return left
}

type Row = Record<string, string | number | null>

async function sealAgain(context: Context, sealed: SealedColumn, signal: AbortSignal): Promise<void> {
  const { database, vault } = context
  const key = primaryKeys[sealed.table]
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  let after: RawBuilder<unknown> = sql``
  for (;;) {
    signal.throwIfAborted()
    // All rows, and not only those that are left: looking for the last of them in a large table would take too long.
    const { rows } = await sql<Row>`
      select ${sql.join([...new Set([...key, ...sealed.boundTo])].map((column) => sql.ref(column)))},
        case when ${isLeft(sealed, vault)} then ${textOf(sealed)} end as sealed_text
      from ${sql.table(sealed.table)} ${after} order by ${keyColumns} limit ${batchSize}
    `.execute(database.read)
    const left = rows.filter((row) => row.sealed_text !== null)
    if (left.length > 0)
      await database.transaction(async (tx) => {
        for (const row of left) await sealRow(tx, vault, sealed, row)
      })
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = sql`where (${keyColumns}) > (${sql.join(key.map((column) => last[column]))})`
  }
}

async function sealRow(tx: Tx, vault: Vault, sealed: SealedColumn, row: Row): Promise<void> {
  const before = String(row.sealed_text)
  const boundTo = sealed.boundTo.map((column) => row[column]).join(' ')
  const next = sealedAnew(before, sealed.form, (text) => {
    const plain = vault.open(sealed.purpose, text, boundTo)
    return plain === undefined ? undefined : vault.seal(sealed.purpose, plain, boundTo)
  })
  if (next === undefined) return
  const isRow = sql.join(
    primaryKeys[sealed.table].map((column) => sql`${sql.ref(column)} = ${row[column]}`),
    sql` and `,
  )
  await sql`
    update ${sql.table(sealed.table)} set ${sql.ref(sealed.column)} = ${next}
    where ${isRow} and ${textOf(sealed)} = ${before}
  `.execute(tx)
}

/** The new text of the column; undefined when any part of it cannot be opened. */
function sealedAnew(
  text: string,
  form: SealedColumn['form'],
  again: (sealed: string) => string | undefined,
): string | undefined {
  if (form === 'text') return again(text)
  if (form === 'json') {
    const next = again(JSON.parse(text))
    return next && JSON.stringify(next)
  }
  const members: { sealed: string }[] = JSON.parse(text)
  const next = members.map((member) => ({ ...member, sealed: again(member.sealed) }))
  return next.every(({ sealed }) => sealed !== undefined) ? JSON.stringify(next) : undefined
}

/** Whether the column has anything that is not sealed with the present key. A null is no text, and neither is sealed. */
function isLeft(sealed: SealedColumn, vault: Vault): RawBuilder<boolean> {
  const { only, form } = sealed
  const text = textOf(sealed)
  const mark = vault.keys.mark()
  const isOther = {
    text: sql`substr(${text}, 1, ${mark.length}) <> ${mark}`,
    json: sql`substr(${text}, 2, ${mark.length}) <> ${mark} and ${text} <> 'null'`,
    // Every member must have it: what is left without those that do must have none.
    list: sql`replace(${text}, ${`"sealed":"${mark}`}, '') like ${'%"sealed":"%'}`,
  }[form]
  return only === undefined
    ? sql<boolean>`${isOther}`
    : sql<boolean>`${sql.ref(only.column)} = ${only.value} and ${isOther}`
}

function textOf({ column }: SealedColumn): RawBuilder<string> {
  return sql<string>`cast(${sql.ref(column)} as text)`
}

const batchSize = 500
