// After a rotation of the secret key every stored value is sealed again, a few rows at a time, beside everything else.
// A row that somebody changes meanwhile is left to them: what they write is sealed with the new key. A value that no key
// opens stays as it is, is counted as left, and lets the job fail: it ends after its last attempt, and somebody sees it.
import { sql } from 'kysely'
import { deployment, enqueue, type JobDefinition } from '../background/jobs.ts'
import { hour, isoTime, second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import { primaryKeys } from '../database/tables.ts'
import { deploymentProblem } from '../deployment.ts'
import { counted } from '../values/counted.ts'
import type { Vault } from '../vault.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'
import { boundTo, countOtherwise, type SealedRow, sealedOtherwise, textOf, withSealedParts } from './sealed-values.ts'
import { findUnreadableIn, unreadableSentence } from './unreadable-values.ts'

const kind = 'secrets.seal_again'

export const sealingJobs: readonly JobDefinition[] = [
  {
    kind,
    timeout_ms: hour,
    async run(context, { signal }) {
      const { database, vault, clock } = context
      // The key may have changed since this process last looked.
      const problem = await deploymentProblem(context)
      if (problem !== undefined) throw new Error(problem)
      const begun = clock.now()
      const unopened = new Map<SealedColumn, number>()
      for (const column of sealedColumns) {
        const count = await sealAgain(context, column, signal)
        if (count > 0) unopened.set(column, count)
      }
      // Processes notice the new key within seconds. What they sealed until then may be in a table that this round had
      // passed already, however long it took: it is sealed again in a second round.
      const { key_changed_at } = await database.read
        .selectFrom('deployments')
        .select('key_changed_at')
        .where('portal_id', '=', deployment)
        .executeTakeFirstOrThrow()
      const wasSettled = key_changed_at === null || key_changed_at < isoTime(begun - noticedAfterMs)
      if (!wasSettled) await database.transaction((tx) => enqueueSealing(tx, context, noticedAfterMs))
      else if (unopened.size > 0) {
        const unreadable = unreadableSentence(await findUnreadableIn(unopened.keys(), database.read, vault))
        const count = [...unopened.values()].reduce((sum, one) => sum + one, 0)
        throw new Error(
          unreadable ??
            `${counted(count, 'encrypted value')} cannot be decrypted although the key is there, because of damage to what is stored. Restore from a backup.`,
        )
      }
    },
  },
]

/** How long it takes until every process seals with the new key, with time to spare. */
const noticedAfterMs = 15 * second

export async function enqueueSealing(tx: Tx, context: Context, after_ms = 0): Promise<void> {
  await enqueue(tx, context, { portal_id: deployment, kind, after_ms })
}

/**
 * For whoever has found that values are left: a process that was paused seals with the old key when the job has ended.
 * Where the job waits, runs or has failed for good, nothing is added: what no key opens would be tried for ever.
 */
export async function resumeSealing(context: Context): Promise<void> {
  await context.database.transaction(async (tx) => {
    const known = await tx
      .selectFrom('jobs')
      .select('id')
      .where('portal_id', '=', deployment)
      .where('kind', '=', kind)
      .executeTakeFirst()
    if (!known) await enqueueSealing(tx, context)
  })
}

/** How many values are not sealed with the present key, by table. */
export async function countLeft(db: Connection, vault: Vault): Promise<Record<string, number>> {
  const left: Record<string, number> = {}
  for (const sealed of sealedColumns) {
    const count = await countOtherwise(db, sealed, [vault.keys.mark()])
    if (count > 0) left[sealed.table] = (left[sealed.table] ?? 0) + count
  }
  return left
}

/** How many values no key has opened. */
async function sealAgain({ database, vault }: Context, sealed: SealedColumn, signal: AbortSignal): Promise<number> {
  let unopened = 0
  for await (const rows of sealedOtherwise(database.read, sealed, [vault.keys.mark()])) {
    signal.throwIfAborted()
    const opened = rows.flatMap((row) => {
      const next = sealedAnew(vault, sealed, row)
      return next === undefined ? [] : [{ row, next }]
    })
    unopened += rows.length - opened.length
    if (opened.length > 0)
      await database.transaction(async (tx) => {
        for (const { row, next } of opened) await replace(tx, sealed, row, next)
      })
  }
  return unopened
}

function sealedAnew(vault: Vault, sealed: SealedColumn, row: SealedRow): string | undefined {
  const bound = boundTo(sealed, row)
  return withSealedParts(row.sealed_text, sealed.form, (text) => {
    const plain = vault.open(sealed.purpose, text, bound)
    return plain === undefined ? undefined : vault.seal(sealed.purpose, plain, bound)
  })
}

async function replace(tx: Tx, sealed: SealedColumn, row: SealedRow, next: string): Promise<void> {
  const isRow = sql.join(
    primaryKeys[sealed.table].map((column) => sql`${sql.ref(column)} = ${row[column]}`),
    sql` and `,
  )
  await sql`
    update ${sql.table(sealed.table)} set ${sql.ref(sealed.column)} = ${next}
    where ${isRow} and ${textOf(sealed)} = ${row.sealed_text}
  `.execute(tx)
}
