// The programmes a Portal can see: its own in every status, those of other visible recipients unless they are drafts.
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { portalIdOf, visibleRecipients } from '../../../building-blocks/recipients/queries.ts'
import { compileOnce } from '../../../platform/database/compiled-query.ts'
import type { Connection } from '../../../platform/database/database.ts'
import {
  canLookUpForEach,
  createdConditions,
  definePagedQuery,
  equalFilters,
  mergePages,
  type Page,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { createdBounds } from '../../../platform/values/fields.ts'
import { isInForce } from './in-force.ts'
import { findProgram, type ProgramRecord, programColumns } from './queries.ts'
import type { ProgramFilters } from './schema.ts'

/** A programme that this Portal can see: one of its own, or a published one of a recipient that it can see. */
export async function findVisibleProgram(
  db: Connection,
  portalId: string,
  id: string,
): Promise<ProgramRecord | undefined> {
  const own = await findProgram(db, portalId, id)
  if (own) return own
  const others = (await portalsToList(db, portalId)).filter((one) => one !== portalId)
  if (others.length === 0) return undefined
  return db
    .selectFrom('funding_programs')
    .select(programColumns)
    .where('portal_id', 'in', others)
    .where('id', '=', id)
    .where('state', '<>', 'draft')
    .where(isInForce(sql.ref('funding_programs.portal_id')))
    .$castTo<ProgramRecord>()
    .executeTakeFirst()
}

/** The Portals whose programmes this one can see. Whoever was never published has none that others see. */
async function portalsToList(db: Connection, portalId: string): Promise<string[]> {
  const recipients = await visibleRecipients(db, portalId)
  return recipients
    .filter(({ portal_id, catalog_version }) => portal_id === portalId || catalog_version > 0)
    .map(({ portal_id }) => portal_id)
}

/** Only what pages are put together by: the programmes of many recipients may be looked at for one page. */
const programPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('funding_programs').select(keyColumns).where('portal_id', '=', portal_id).where(isInForce(portal_id)),
  ...pagedBy(),
})

/**
 * The same for several Portals in one query. Each part walks along the index of its own Portal, and the parts are merged:
 * one condition on all Portals would sort every programme of theirs. PostgreSQL takes the Portals as a list: a part for
 * each of them would be planned by itself, every time. SQLite takes a text that is the same for any number of Portals;
 * where there are fewer, the parts that are left over look for a Portal without a name.
 */
const programPagesOfMany = definePagedQuery({
  rows(db, portals: { [place: `portal_${number}`]: string; list?: readonly string[] }) {
    const partOf = (portalId: string | Expression<string>) =>
      db
        .selectFrom('funding_programs')
        .select([...keyColumns, 'state', 'funding_type'])
        .where('portal_id', '=', portalId)
        .where(isInForce(portalId))
    if (canLookUpForEach(db)) return partOf(sql.ref<string>('owners.portal_id'))
    const all = Array.from({ length: portalsAtOnce - 1 }, (_, index) =>
      partOf(portals[`portal_${index + 1}`] ?? ''),
    ).reduce((parts, part) => parts.unionAll(part), partOf(portals.portal_0 ?? ''))
    const rows = db.selectFrom(all.as('funding_programs')).select(keyColumns)
    // safe because the parts are rows of this very table
    return rows as unknown as SelectQueryBuilder<Tables, 'funding_programs', ProgramKey>
  },
  owners: (db, { list }) =>
    canLookUpForEach(db) ? sql`unnest(cast(${list} as text[])) as owners (portal_id)` : undefined,
  ...pagedBy(),
})

function pagedBy() {
  return {
    filters: {
      is_published: () => sql<SqlBool>`state <> 'draft'`,
      ...equalFilters('funding_type'),
      status: (value: unknown) => sql<SqlBool>`state = ${value}`,
      ...equalFilters('external_reference'),
      ...createdConditions,
    },
    orders: { created_at: ['created_at', 'id'] },
  }
}

type ProgramKey = { portal_id: string; id: string; created_at: string }
const keyColumns = ['portal_id', 'id', 'created_at'] as const
const portalsAtOnce = 50
/** On SQLite, up to so many Portals are asked one by one: that is planned much faster than as many parts. */
const fewPortals = 8

/** The pages of other Portals, which together hold the page of all of them. */
async function pagesOfOthers(
  db: Connection,
  portalIds: readonly string[],
  filters: Record<string, unknown>,
  page: PageRequest,
): Promise<Page<ProgramKey>[]> {
  const published = { ...filters, is_published: true }
  if (canLookUpForEach(db) && portalIds.length > 0)
    return [await programPagesOfMany(db, { list: portalIds }, published, page)]
  if (portalIds.length <= fewPortals)
    return Promise.all(portalIds.map((portal_id) => programPages(db, { portal_id }, published, page)))
  const chunks = Array.from({ length: Math.ceil(portalIds.length / portalsAtOnce) }, (_, chunk) =>
    Array.from({ length: portalsAtOnce }, (_, place) => [
      `portal_${place}`,
      portalIds[chunk * portalsAtOnce + place] ?? '',
    ]),
  )
  return Promise.all(chunks.map((places) => programPagesOfMany(db, Object.fromEntries(places), published, page)))
}

/** A page of the programmes this Portal can see: its own in every status, those of others unless they are drafts. */
export async function listPrograms(
  db: Connection,
  portalId: string,
  { recipient_id, ...filters }: ProgramFilters,
  page: PageRequest,
): Promise<Page<ProgramRecord>> {
  const bounds = { ...filters, ...createdBounds(filters) }
  // References and drafts of other Portals are not shown, so nothing of theirs is found by them.
  const isOwnOnly = filters.external_reference !== undefined || filters.status === 'draft'
  const portalIds = (await portalsToList(db, portalId)).filter(
    (one) => (one === portalId || !isOwnOnly) && (recipient_id === undefined || one === portalIdOf(recipient_id)),
  )
  const others = portalIds.filter((one) => one !== portalId)
  const pages = await Promise.all([
    pagesOfOthers(db, others, bounds, page),
    others.length < portalIds.length ? programPages(db, { portal_id: portalId }, bounds, page) : [],
  ])
  const merged = mergePages(pages.flat(), page, ['created_at', 'id'])
  const rows = await findPrograms(db, merged.items)
  const items = merged.items.flatMap(({ id }) => rows.get(id) ?? [])
  // An import may have made a draft of it meanwhile.
  return { ...merged, items: items.filter(({ portal_id, state }) => portal_id === portalId || state !== 'draft') }
}

/** The keys are a table that is joined, so that each costs one look into the primary key. */
const programsOfKeys = compileOnce<Record<string, unknown>, ProgramRecord>((db, values, count) => {
  const keys = Array.from(
    { length: Number(count) },
    (_, key) => sql`(cast(${values[`portal_id ${key}`]} as text), cast(${values[`id ${key}`]} as text))`,
  )
  const columns = sql.join(programColumns.map((name) => sql.ref(`funding_programs.${name}`)))
  const select = sql<ProgramRecord>`
    with wanted (portal_id, id) as (values ${sql.join(keys)})
    select ${columns} from wanted
    left join funding_programs on funding_programs.portal_id = wanted.portal_id and funding_programs.id = wanted.id
      and ${isInForce(sql.ref('wanted.portal_id'))}
  `
  return { compile: () => select.compile(db) }
})

async function findPrograms(db: Connection, keys: readonly ProgramKey[]): Promise<Map<string, ProgramRecord>> {
  if (keys.length === 0) return new Map()
  const values = keys.flatMap(({ portal_id, id }, index) => [
    [`portal_id ${index}`, portal_id],
    [`id ${index}`, id],
  ])
  const rows = await programsOfKeys(db, Object.fromEntries(values), String(keys.length))
  return new Map(rows.map((row) => [row.id, row]))
}
