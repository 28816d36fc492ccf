// Where an import collects its rows, and how they become programmes. A collected row is like a programme, except that
// its version is the number of the row in the file, and its state is empty when the file says nothing about it.
import { type Insertable, type SqlBool, sql } from 'kysely'
import { compileOnce } from '../../../../platform/database/compiled-query.ts'
import type { Connection, Database, Tx } from '../../../../platform/database/database.ts'
import type { Tables } from '../../../../platform/database/tables.ts'
import { keepVersions } from '../queries.ts'
import { programStates } from '../states.ts'

export type CollectedRow = Insertable<Tables['funding_program_imports']>
/** One import of one Portal. */
export type ImportKey = Pick<CollectedRow, 'portal_id' | 'import_id'>

const contentNames = [
  'name',
  'summary',
  'funding_type',
  'opens_on',
  'closes_on',
  'amount',
  'term_months',
  'rate',
  'fees',
  'time_to_fund_days',
  'required_documents',
  'eligibility',
  'content_hash',
] as const
const collectedNames = [
  'portal_id',
  'import_id',
  'id',
  'version',
  'recipient_id',
  'state',
  'state_changed_at',
  'external_reference',
  ...contentNames,
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

/** What the collected rows would do: how many there are, and how many of them are new or differ from their programme. */
export async function compareRows(
  db: Connection,
  { portal_id, import_id }: ImportKey,
): Promise<{ collected: number; created: number; updated: number }> {
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
  return { collected: total, created: total - known, updated }
}

const isDifferent = sql<SqlBool>`(collected.content_hash <> funding_programs.content_hash or (collected.state <> '' and collected.state <> funding_programs.state))`

/** Keeps the versions that are about to be replaced, then replaces them. */
export async function updateFromRows(
  tx: Tx,
  database: Database,
  { portal_id, import_id }: ImportKey,
  { catalogVersion, now }: { catalogVersion: number; now: string },
): Promise<number> {
  const isMeant = sql<SqlBool>`collected.portal_id = ${portal_id} and collected.import_id = ${import_id} and collected.external_reference = funding_programs.external_reference and ${isDifferent}`
  await keepVersions(tx, database, portal_id, now, (programs) =>
    programs.innerJoin('funding_program_imports as collected', (join) => join.on(isMeant)),
  )
  const { numUpdatedRows } = await tx
    .updateTable('funding_programs')
    .from('funding_program_imports as collected')
    .set((eb) => ({
      ...Object.fromEntries(contentNames.map((name) => [name, eb.ref(`collected.${name}`)])),
      state: sql<string>`case when collected.state = '' then funding_programs.state else collected.state end`,
      state_changed_at: sql<string>`case when collected.state in ('', funding_programs.state) then funding_programs.state_changed_at else ${now} end`,
      version: eb('funding_programs.version', '+', 1),
      catalog_version: catalogVersion,
      updated_at: now,
    }))
    .where('funding_programs.portal_id', '=', portal_id)
    .where(isMeant)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Makes a programme of every row whose reference no programme has. */
export async function insertFromRows(
  tx: Tx,
  { portal_id, import_id }: ImportKey,
  { catalogVersion, now }: { catalogVersion: number; now: string },
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('funding_programs')
    .columns([
      ...(['portal_id', 'id', 'recipient_id', 'external_reference'] as const),
      ...contentNames,
      ...(['version', 'state', 'state_changed_at', 'catalog_version', 'created_at', 'updated_at'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('funding_program_imports as collected')
        .select(['collected.portal_id', 'collected.id', 'collected.recipient_id', 'collected.external_reference'])
        .select(contentNames.map((name) => `collected.${name}` as const))
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
        .where('collected.import_id', '=', import_id)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('funding_programs')
                .select('funding_programs.id')
                .where('funding_programs.portal_id', '=', portal_id)
                .whereRef('funding_programs.external_reference', '=', 'collected.external_reference'),
            ),
          ),
        ),
    )
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows)
}

/** Removes collected rows of a Portal, only so many at once: of one import, or all that are as old as this. */
export async function removeRows(
  tx: Tx,
  portalId: string,
  which: { import_id: string } | { created_before: string },
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('funding_program_imports')
    .where('portal_id', '=', portalId)
    .where(({ eb, refTuple, selectFrom }) => {
      const rows = selectFrom('funding_program_imports as old')
        .select(['old.import_id', 'old.external_reference'])
        .where('old.portal_id', '=', portalId)
        .limit(limit)
      const chosen =
        'import_id' in which
          ? rows.where('old.import_id', '=', which.import_id)
          : rows.where('old.created_at', '<=', which.created_before)
      return eb(refTuple('import_id', 'external_reference'), 'in', chosen.$asTuple('import_id', 'external_reference'))
    })
    .executeTakeFirst()
  return Number(numDeletedRows)
}
