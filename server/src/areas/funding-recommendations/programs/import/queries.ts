// Where an import collects its rows, and how they become programmes. A collected row is like a programme, except that
// its version is the number of the row in the file, and its state is empty when the file says nothing about it.
import { type Insertable, type SqlBool, sql } from 'kysely'
import { compileOnce } from '../../../../platform/database/compiled-query.ts'
import type { Connection, Database, Tx } from '../../../../platform/database/database.ts'
import type { Tables } from '../../../../platform/database/tables.ts'
import { contentNames } from '../content.ts'
import { keepVersions } from '../queries.ts'
import { matchedStates, programStates } from '../states.ts'

export type CollectedRow = Insertable<Tables['funding_program_imports']>
/** One import of one Portal. */
export type ImportKey = Pick<CollectedRow, 'portal_id' | 'import_id'>

const copiedNames = [...contentNames, 'content_hash'] as const
const collectedNames = [
  'portal_id',
  'import_id',
  'id',
  'version',
  'recipient_id',
  'state',
  'state_changed_at',
  'external_reference',
  ...copiedNames,
  'catalog_version',
  'created_at',
  'updated_at',
] as const

const collect = compileOnce<Record<string, unknown>, { id: string }>((db, values, count) => {
  const names = sql.join(collectedNames.map((name) => sql.ref(name)))
  const rows = Array.from({ length: Number(count) }, (_, row) => {
    const cells = collectedNames.map((name) => values[`${name} ${row}`])
    return sql`(${sql.join(cells)})`
  })
  const insert = sql<{
    id: string
  }>`insert into funding_program_imports (${names}) values ${sql.join(rows)} on conflict do nothing returning id`
  return { compile: () => insert.compile(db) }
})

/** Adds rows, but none whose reference is there already. The ids of those that were added. */
export async function collectRows(tx: Tx, rows: readonly CollectedRow[]): Promise<Set<string>> {
  const values: Record<string, unknown> = {}
  for (const [index, row] of rows.entries()) for (const name of collectedNames) values[`${name} ${index}`] = row[name]
  const added = await collect(tx, values, String(rows.length))
  return new Set(added.map(({ id }) => id))
}

/** The numbers of the rows that have these references. */
export async function findRowNumbers(
  db: Connection,
  { portal_id, import_id }: ImportKey,
  references: readonly string[],
): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('funding_program_imports')
    .select(['external_reference', 'version'])
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', 'in', references)
    .execute()
  return new Map(rows.map(({ external_reference, version }) => [external_reference, version]))
}

export async function countRows(db: Connection, { portal_id, import_id }: ImportKey): Promise<number> {
  const { rows } = await db
    .selectFrom('funding_program_imports')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .executeTakeFirstOrThrow()
  return rows
}

/** What the collected rows would do: how many of them are new, and how many differ from their programme. */
export async function compareRows(
  db: Connection,
  { portal_id, import_id }: ImportKey,
): Promise<{ created: number; updated: number }> {
  const { total, known, updated } = await db
    .selectFrom('funding_program_imports as collected')
    .leftJoin('funding_programs', (join) =>
      join
        .on('funding_programs.portal_id', '=', portal_id)
        .onRef('funding_programs.external_reference', '=', 'collected.external_reference'),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.count<number>('funding_programs.id').as('known'),
      eb.fn.count<number>(eb.case().when(isDifferent).then(1).end()).as('updated'),
    ])
    .where('collected.portal_id', '=', portal_id)
    .where('collected.import_id', '=', import_id)
    .executeTakeFirstOrThrow()
  return { created: total - known, updated }
}

const isDifferent = sql<SqlBool>`(collected.content_hash <> funding_programs.content_hash or (collected.state <> '' and collected.state <> funding_programs.state))`

/** Whether the rows change anything that projects are matched with. */
export async function changesMatched(db: Connection, { portal_id, import_id }: ImportKey): Promise<boolean> {
  const matched = sql.join(matchedStates.map((state) => sql.lit(state)))
  const row = await db
    .selectFrom('funding_program_imports as collected')
    .leftJoin('funding_programs', (join) =>
      join
        .on('funding_programs.portal_id', '=', portal_id)
        .onRef('funding_programs.external_reference', '=', 'collected.external_reference'),
    )
    .select('collected.id')
    .where('collected.portal_id', '=', portal_id)
    .where('collected.import_id', '=', import_id)
    .where(sql<SqlBool>`(collected.state in (${matched}) or funding_programs.state in (${matched}))`)
    .where(sql<SqlBool>`(funding_programs.id is null or ${isDifferent})`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** What programmes become a part of. */
interface NextCatalogue {
  catalogVersion: number
  now: string
}

/** The reference that ends a batch of rows in the order of their references; undefined when no rows are left. */
export async function endOfBatch(
  db: Connection,
  { portal_id, import_id }: ImportKey,
  after: string,
  size: number,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom('funding_program_imports')
    .select('external_reference')
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', '>', after)
    .orderBy('external_reference')
    .limit(size)
    .execute()
  return rows.at(-1)?.external_reference ?? undefined
}

/** Keeps the versions that the rows between two references are going to replace. */
export async function keepReplaced(
  tx: Tx,
  database: Database,
  key: ImportKey,
  { after, upTo, now }: { after: string; upTo: string; now: string },
): Promise<void> {
  await keepVersions(tx, database, key.portal_id, now, (programs) =>
    programs
      .innerJoin('funding_program_imports as collected', (join) => join.on(isReplacing(key)))
      .where('collected.external_reference', '>', after)
      .where('collected.external_reference', '<=', upTo),
  )
}

/** Replaces every programme that differs from its row. Versions that came after `keptUpTo` are kept before. */
export async function updateFromRows(
  tx: Tx,
  database: Database,
  key: ImportKey,
  { catalogVersion, keptUpTo, now }: NextCatalogue & { keptUpTo: number },
): Promise<number> {
  await keepVersions(tx, database, key.portal_id, now, (programs) =>
    programs
      .innerJoin('funding_program_imports as collected', (join) => join.on(isReplacing(key)))
      .where('funding_programs.catalog_version', '>', keptUpTo),
  )
  const { numUpdatedRows } = await tx
    .updateTable('funding_programs')
    .from('funding_program_imports as collected')
    .set((eb) => ({
      ...Object.fromEntries(copiedNames.map((name) => [name, eb.ref(`collected.${name}`)])),
      state: sql<string>`case when collected.state = '' then funding_programs.state else collected.state end`,
      state_changed_at: sql<string>`case when collected.state in ('', funding_programs.state) then funding_programs.state_changed_at else ${now} end`,
      version: eb('funding_programs.version', '+', 1),
      catalog_version: catalogVersion,
      updated_at: now,
    }))
    .where('funding_programs.portal_id', '=', key.portal_id)
    .where(isReplacing(key))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

function isReplacing({ portal_id, import_id }: ImportKey) {
  return sql<SqlBool>`collected.portal_id = ${portal_id} and collected.import_id = ${import_id} and collected.external_reference = funding_programs.external_reference and ${isDifferent}`
}

/** Makes a programme of every row whose reference no programme has. */
export async function insertFromRows(
  tx: Tx,
  { portal_id, import_id }: ImportKey,
  { catalogVersion, now }: NextCatalogue,
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('funding_programs')
    .columns([
      ...(['portal_id', 'id', 'recipient_id', 'external_reference'] as const),
      ...copiedNames,
      ...(['version', 'state', 'state_changed_at', 'catalog_version', 'created_at', 'updated_at'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('funding_program_imports as collected')
        .select(['collected.portal_id', 'collected.id', 'collected.recipient_id', 'collected.external_reference'])
        .select(copiedNames.map((name) => `collected.${name}` as const))
        .select((eb) => [
          eb.lit(1).as('version'),
          sql<string>`case when collected.state = '' then ${sql.lit(programStates.initial)} else collected.state end`.as(
            'state',
          ),
          eb.val(now).as('state_changed_at'),
          eb.val(catalogVersion).as('catalog_version'),
          eb.val(now).as('created_at'),
          eb.val(now).as('updated_at'),
        ])
        .where('collected.portal_id', '=', portal_id)
        .where('collected.import_id', '=', import_id),
    )
    .onConflict((conflict) => conflict.columns(['portal_id', 'external_reference']).doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows)
}

/** The imports of a Portal that have rows as old as this. */
export async function findImports(db: Connection, portalId: string, collectedBefore: string): Promise<ImportKey[]> {
  return db
    .selectFrom('funding_program_imports')
    .select(['portal_id', 'import_id'])
    .distinct()
    .where('portal_id', '=', portalId)
    .where('created_at', '<=', collectedBefore)
    .execute()
}

export async function removeRows(tx: Tx, { portal_id, import_id }: ImportKey, upTo: string): Promise<void> {
  await tx
    .deleteFrom('funding_program_imports')
    .where('portal_id', '=', portal_id)
    .where('import_id', '=', import_id)
    .where('external_reference', '<=', upTo)
    .execute()
}
