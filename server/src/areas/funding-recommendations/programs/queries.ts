import { type Insertable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { compileInsert, compileOnce } from '../../../platform/database/compiled-query.ts'
import type { Connection, Database, JsonMember, Tx } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { updateVersion } from '../../../platform/database/versioned-rows.ts'
import { groupBy } from '../../../platform/values/groups.ts'
import type { ProgramTerms } from '../matching/rules.ts'
import { contentColumns, contentNames, type ProgramContent } from './content.ts'
import { hasComeIntoForce, isInForce } from './in-force.ts'
import { matchedStates, type ProgramState } from './states.ts'

/** A programme with what it says. */
export interface ProgramRecord extends ProgramContent {
  portal_id: string
  id: string
  version: number
  recipient_id: string
  state: ProgramState
  state_changed_at: string
  external_reference: string | null
  created_at: string
  updated_at: string
}

const termColumns = [
  'id',
  'version',
  'funding_type',
  'opens_on',
  'closes_on',
  'amount',
  'term_months',
  'time_to_fund_days',
  'eligibility',
] as const

export const programColumns = [
  'portal_id',
  'id',
  'version',
  'recipient_id',
  'state',
  'state_changed_at',
  'external_reference',
  ...contentNames,
  'created_at',
  'updated_at',
] as const

const programById = compileOnce<{ portal_id: string; id: string }, ProgramRecord>((db, values) =>
  db
    .selectFrom('funding_programs')
    .select(programColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id)
    .where(isInForce(values.portal_id))
    .$castTo<ProgramRecord>(),
)

export async function findProgram(db: Connection, portalId: string, id: string): Promise<ProgramRecord | undefined> {
  return (await programById(db, { portal_id: portalId, id }))[0]
}

export async function findProgramByReference(db: Connection, portalId: string, externalReference: string) {
  return db
    .selectFrom('funding_programs')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .where(isInForce(portalId))
    .executeTakeFirst()
}

const insertProgramRow = compileInsert('funding_programs')

export async function insertProgram(tx: Tx, row: ProgramRecord, catalogVersion: number): Promise<void> {
  await insertProgramRow(tx, [toColumns(row, catalogVersion)])
}

/** False when the record is no longer at this version. */
export async function updateProgram(tx: Tx, row: ProgramRecord, catalogVersion: number): Promise<boolean> {
  // What a killed import has prepared may have the same version.
  return updateVersion(tx, 'funding_programs', toColumns(row, catalogVersion), isInForce(row.portal_id))
}

function toColumns(row: ProgramRecord, catalog_version: number) {
  const { portal_id, id, version, recipient_id, state, state_changed_at, external_reference } = row
  const { created_at, updated_at } = row
  return {
    ...{ portal_id, id, version, recipient_id, state, state_changed_at, external_reference },
    ...contentColumns(row),
    ...{ catalog_version, created_at, updated_at },
  }
}

/** What is kept of a version when the next one comes: whatever explains a calculation that was made with it. */
interface ProgramVersion extends ProgramTerms {
  name: string
  summary: string | null
  status: ProgramState
}

const versionMembers: Readonly<Record<keyof ProgramVersion, JsonMember>> = {
  id: { column: 'funding_programs.id' },
  version: { column: 'funding_programs.version' },
  name: { column: 'funding_programs.name' },
  summary: { column: 'funding_programs.summary' },
  status: { column: 'funding_programs.state' },
  funding_type: { column: 'funding_programs.funding_type' },
  opens_on: { column: 'funding_programs.opens_on' },
  closes_on: { column: 'funding_programs.closes_on' },
  amount: { column: 'funding_programs.amount', isJson: true },
  term_months: { column: 'funding_programs.term_months', isJson: true },
  time_to_fund_days: { column: 'funding_programs.time_to_fund_days', isJson: true },
  eligibility: { column: 'funding_programs.eligibility', isJson: true },
}

/** Keeps versions of programmes, those that `choose` leaves of a Portal's, because others are taking their places. */
export async function keepVersions(
  tx: Tx,
  database: Database,
  portalId: string,
  now: string,
  choose: (programs: CurrentVersions) => CurrentVersions,
): Promise<number> {
  const current = tx
    .selectFrom('funding_programs')
    .select((eb) => [
      'funding_programs.portal_id',
      'funding_programs.id as program_id',
      'funding_programs.version',
      database.jsonObject(versionMembers).as('content'),
      eb.val(now).as('replaced_at'),
    ])
    .where('funding_programs.portal_id', '=', portalId)
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('funding_program_versions')
    .columns(['portal_id', 'program_id', 'version', 'content', 'replaced_at'])
    .expression(choose(current))
    // Kept already by an import that was killed before it removed them.
    .onConflict((conflict) =>
      conflict
        .columns(['portal_id', 'program_id', 'version'])
        .doUpdateSet((eb) => ({ replaced_at: eb.ref('excluded.replaced_at') })),
    )
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows)
}
type CurrentVersions = SelectQueryBuilder<Tables, 'funding_programs', Insertable<Tables['funding_program_versions']>>

/** Names a programme as it is or was at a version. */
interface VersionKey {
  portal_id: string
  program_id: string
  version: number
}

const currentNames = [
  ...(['id', 'version', 'name', 'summary', 'state', 'funding_type', 'opens_on', 'closes_on'] as const),
  ...(['amount', 'term_months', 'time_to_fund_days', 'eligibility'] as const),
] as const
type CurrentRow = Pick<ProgramRecord, (typeof currentNames)[number]>
type FoundVersion = (CurrentRow | Record<keyof CurrentRow, null>) & { old: unknown }

/** The keys are a table that is joined, so that each costs a look into the two primary keys, whatever their number. */
const versionsOfKeys = compileOnce<Record<string, unknown>, FoundVersion>((db, values, count) => {
  const keys = Array.from({ length: Number(count) }, (_, key) => {
    const [portalId, programId, version] = [`portal_id ${key}`, `program_id ${key}`, `version ${key}`]
    return sql`(cast(${values[portalId]} as text), cast(${values[programId]} as text), cast(${values[version]} as bigint))`
  })
  const names = sql.join(currentNames.map((name) => sql.ref(`funding_programs.${name}`)))
  const select = sql<FoundVersion>`
    with wanted (portal_id, program_id, version) as (values ${sql.join(keys)})
    select ${names}, funding_program_versions.content as old
    from wanted
    left join funding_programs on funding_programs.portal_id = wanted.portal_id
      and funding_programs.id = wanted.program_id and funding_programs.version = wanted.version
      and ${hasComeIntoForce(sql.ref('wanted.portal_id'))}
    left join funding_program_versions on funding_program_versions.portal_id = wanted.portal_id
      and funding_program_versions.program_id = wanted.program_id
      and funding_program_versions.version = wanted.version
  `
  return { compile: () => select.compile(db) }
})

/** Programmes at the versions that are named, by their ids. What has no such version is not there. */
export async function findProgramVersions(
  db: Connection,
  keys: readonly VersionKey[],
): Promise<Map<string, ProgramVersion>> {
  if (keys.length === 0) return new Map()
  const values: Record<string, unknown> = {}
  for (const [index, key] of keys.entries())
    for (const [name, value] of Object.entries(key)) values[`${name} ${index}`] = value
  const rows = await versionsOfKeys(db, values, String(keys.length))
  const found = rows.flatMap(({ old, ...current }) => {
    if (current.id !== null) return versionOf(current)
    // safe because only versions of this form are ever inserted
    return (old as ProgramVersion | null) ?? []
  })
  return new Map(found.map((version) => [version.id, version]))
}

function versionOf({ state, ...row }: CurrentRow): ProgramVersion {
  return { ...row, status: state }
}

const termsAfter = compileOnce<{ portal_id: string; after_id: string; limit: number }, ProgramTerms>((db, values) =>
  db
    .selectFrom('funding_programs')
    .select(termColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '>', values.after_id)
    .where('state', 'in', [...matchedStates])
    .where(isInForce(values.portal_id))
    .orderBy('id')
    .limit(values.limit)
    .$castTo<ProgramTerms>(),
)

/** The programmes that projects are matched with, a page at a time in the order of their ids. */
export async function programsForMatching(
  db: Connection,
  portalId: string,
  { afterId = '', limit }: { afterId?: string; limit: number },
): Promise<ProgramTerms[]> {
  return termsAfter(db, { portal_id: portalId, after_id: afterId, limit })
}

interface ChangedProgram {
  state: ProgramState
  catalog_version: number
  terms: ProgramTerms
}

/** A place in the order in which programmes changed. */
interface CataloguePlace {
  catalog_version: number
  program_id: string
}

/** What has changed after one place and up to another, in any state and in the order of the changes. */
export async function changedPrograms(
  db: Connection,
  portalId: string,
  { after, until, limit }: { after: CataloguePlace; until: CataloguePlace; limit: number },
): Promise<ChangedProgram[]> {
  const rows = await db
    .selectFrom('funding_programs')
    .select([...termColumns, 'state', 'catalog_version'])
    .where('portal_id', '=', portalId)
    .where(sql<SqlBool>`(catalog_version, id) > (${after.catalog_version}, ${after.program_id})`)
    .where(sql<SqlBool>`(catalog_version, id) <= (${until.catalog_version}, ${until.program_id})`)
    .where(isInForce(portalId))
    .orderBy('catalog_version')
    .orderBy('id')
    .limit(limit)
    .$castTo<ProgramTerms & Omit<ChangedProgram, 'terms'>>()
    .execute()
  return rows.map(({ state, catalog_version, ...terms }) => ({ state, catalog_version, terms }))
}

/** The last of the changes after this place, of so many at most, and whether there may be more; undefined without any. */
export async function lastChangeWithin(
  db: Connection,
  portalId: string,
  { catalog_version, program_id }: CataloguePlace,
  limit: number,
): Promise<(CataloguePlace & { isFull: boolean }) | undefined> {
  const rows = await db
    .selectFrom('funding_programs')
    .select(['catalog_version', 'id as program_id'])
    .where('portal_id', '=', portalId)
    .where(sql<SqlBool>`(catalog_version, id) > (${catalog_version}, ${program_id})`)
    .where(isInForce(portalId))
    .orderBy('catalog_version')
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = rows.at(-1)
  return last && { ...last, isFull: rows.length === limit }
}

type OldVersion = Omit<VersionKey, 'portal_id'>

/** Versions that gave way to others before this time. */
export async function listVersionsBefore(
  db: Connection,
  portalId: string,
  time: string,
  limit: number,
): Promise<OldVersion[]> {
  return db
    .selectFrom('funding_program_versions')
    .select(['program_id', 'version'])
    .where('portal_id', '=', portalId)
    .where('replaced_at', '<', time)
    .limit(limit)
    .execute()
}

export async function deleteVersions(tx: Tx, portalId: string, versions: readonly OldVersion[]): Promise<void> {
  // What an import has replaced are many programmes, and few versions of each.
  for (const [version, programs] of groupBy(versions, (one) => one.version))
    await tx
      .deleteFrom('funding_program_versions')
      .where('portal_id', '=', portalId)
      .where(
        'program_id',
        'in',
        programs.map(({ program_id }) => program_id),
      )
      .where('version', '=', version)
      .execute()
}
