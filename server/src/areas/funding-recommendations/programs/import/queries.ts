// What an import has read of its file, and the rows of programmes that it prepares, replaces and removes.
import { type Insertable, type SqlBool, sql } from 'kysely'
import { compileInsert, compileOnce } from '../../../../platform/database/compiled-query.ts'
import type { Connection, Database, Tx } from '../../../../platform/database/database.ts'
import type { Tables } from '../../../../platform/database/tables.ts'
import { forever, importInForce, isInForce } from '../in-force.ts'
import { keepVersions, type ProgramRecord, programColumns } from '../queries.ts'
import type { ProgramState } from '../states.ts'
import type { Claim, ImportKey } from './claims.ts'

/** What is kept of a row of the file, beside the programme that is made of it. */
type ReadRow = Insertable<Tables['funding_program_imports']>
export type PreparedRow = Insertable<Tables['funding_programs']>

const readColumns = ['portal_id', 'import_id', 'external_reference', 'file_row', 'state'] as const

const addRead = compileOnce<Record<string, unknown>, { file_row: number }>((db, values, count) => {
  const names = sql.join(readColumns.map((name) => sql.ref(name)))
  const rows = Array.from(
    { length: Number(count) },
    (_, row) => sql`(${sql.join(readColumns.map((name) => values[`${name} ${row}`]))})`,
  )
  const insert = sql<{
    file_row: number
  }>`insert into funding_program_imports (${names}) values ${sql.join(rows)} on conflict do nothing returning file_row`
  return { compile: () => insert.compile(db) }
})

/** Adds rows, but none whose reference is there already. The numbers of those that were added. */
export async function addReadRows(tx: Tx, rows: readonly ReadRow[]): Promise<Set<number>> {
  const values: Record<string, unknown> = {}
  for (const [index, row] of rows.entries()) for (const name of readColumns) values[`${name} ${index}`] = row[name]
  const added = await addRead(tx, values, String(rows.length))
  return new Set(added.map(({ file_row }) => file_row))
}

/** The rows of the file that have these references. */
export async function findReadRows(
  db: Connection,
  { portal_id, import_id }: ImportKey,
  references: readonly string[],
): Promise<Map<string, { file_row: number; state: string }>> {
  const rows = await db
    .selectFrom('funding_program_imports')
    .select(['external_reference', 'file_row', 'state'])
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', 'in', references)
    .execute()
  return new Map(rows.map(({ external_reference, ...row }) => [external_reference, row]))
}

/** What decides whether and how a row of a file changes a programme. */
export interface Holder {
  id: string
  version: number
  state: ProgramState
  state_changed_at: string
  content_hash: string
  created_at: string
}

const holdersOf = compileOnce<Record<string, string>, Holder & { external_reference: string }>((db, values, count) => {
  const { portal_id = '' } = values
  const references = Array.from({ length: Number(count) }, (_, row) => values[`reference ${row}`] ?? '')
  return db
    .selectFrom('funding_programs')
    .select(['external_reference', 'id', 'version', 'state', 'state_changed_at', 'content_hash', 'created_at'])
    .where('portal_id', '=', portal_id)
    .where('external_reference', 'in', references)
    .where(isInForce(portal_id))
    .$castTo<Holder & { external_reference: string }>()
})

/** The programmes in force that have these references. */
export async function findHolders(
  db: Connection,
  portalId: string,
  references: readonly string[],
): Promise<Map<string, Holder>> {
  if (references.length === 0) return new Map()
  const values: Record<string, string> = { portal_id: portalId }
  for (const [index, reference] of references.entries()) values[`reference ${index}`] = reference
  const rows = await holdersOf(db, values, String(references.length))
  return new Map(rows.map(({ external_reference, ...holder }) => [external_reference, holder]))
}

const insertPrograms = compileInsert('funding_programs')

/** In chunks of few sizes, because the statement of each size is kept. */
export async function insertPrepared(tx: Tx, rows: readonly PreparedRow[]): Promise<void> {
  for (let first = 0; first < rows.length; ) {
    const size = chunkSizes.find((one) => one <= rows.length - first) ?? 1
    await insertPrograms(tx, rows.slice(first, first + size))
    first += size
  }
}
const chunkSizes = [100, 10, 1]

/** Says until which import the rows in force of these programmes are that. */
export async function endInForce(tx: Tx, portalId: string, programIds: readonly string[], until: number) {
  if (programIds.length === 0) return
  await tx
    .updateTable('funding_programs')
    .set({ until_import: until })
    .where('portal_id', '=', portalId)
    .where('id', 'in', programIds)
    .where(isInForce(portalId))
    .execute()
}

/** Takes out what was prepared under a reference. */
export async function takePrepared(tx: Tx, claim: Claim, reference: string): Promise<ProgramRecord | undefined> {
  const { portal_id, number } = claim
  const row = await tx
    .selectFrom('funding_programs')
    .select(programColumns)
    .where('portal_id', '=', portal_id)
    .where('external_reference', '=', reference)
    .where('from_import', '=', number)
    .$castTo<ProgramRecord>()
    .executeTakeFirst()
  if (row)
    await tx
      .deleteFrom('funding_programs')
      .where('portal_id', '=', portal_id)
      .where('id', '=', row.id)
      .where('from_import', '=', number)
      .execute()
  return row
}

/** The next references that an import has read, in their order. */
export async function listReferences(
  db: Connection,
  { portal_id, import_id }: ImportKey,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('funding_program_imports')
    .select('external_reference')
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', '>', after)
    .orderBy('external_reference')
    .limit(limit)
    .execute()
  return rows.map(({ external_reference }) => external_reference)
}

/** The next import of a Portal that has left read rows. */
export async function nextImport(db: Connection, portalId: string, afterId: string): Promise<string | undefined> {
  const { import_id } = await db
    .selectFrom('funding_program_imports')
    .select((eb) => eb.fn.min<string | null>('import_id').as('import_id'))
    .where('portal_id', '=', portalId)
    .where('import_id', '>', afterId)
    .executeTakeFirstOrThrow()
  return import_id ?? undefined
}

/** Removes rows that are no longer in force. Their versions are kept: calculations made with them are explained by them. */
export async function removeReplaced(
  tx: Tx,
  database: Database,
  portalId: string,
  { references, now }: { references: readonly string[]; now: string },
): Promise<void> {
  const isReplaced = sql<SqlBool>`funding_programs.until_import <= ${importInForce(portalId)}`
  await keepVersions(tx, database, portalId, now, (programs) =>
    programs.where('external_reference', 'in', references).where(isReplaced),
  )
  await tx
    .deleteFrom('funding_programs')
    .where('portal_id', '=', portalId)
    .where('external_reference', 'in', references)
    .where(isReplaced)
    .execute()
}

/** Removes rows that never came into force, and lets those that they were to replace stay. */
export async function removePrepared(tx: Tx, portalId: string, references: readonly string[]): Promise<void> {
  const number = importInForce(portalId)
  await tx
    .deleteFrom('funding_programs')
    .where('portal_id', '=', portalId)
    .where('external_reference', 'in', references)
    .where('from_import', '>', number)
    .execute()
  await tx
    .updateTable('funding_programs')
    .set({ until_import: forever })
    .where('portal_id', '=', portalId)
    .where('external_reference', 'in', references)
    .where('until_import', '>', number)
    .where('until_import', '<', forever)
    .execute()
}

export async function removeReadRows(
  tx: Tx,
  { portal_id, import_id }: ImportKey,
  references: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('funding_program_imports')
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', 'in', references)
    .execute()
}
