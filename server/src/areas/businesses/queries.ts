import { type Insertable, type Selectable, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import { compileInsert, compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { wordsOf } from '../../platform/text-keys.ts'
import { createdBounds } from '../../platform/values.ts'
import type { BusinessFilters } from './schema.ts'

const leadSourceColumns = [
  'id',
  'version',
  'name',
  'name_sort',
  'kind',
  'is_active',
  'requires_detail',
  'created_at',
  'updated_at',
] as const
export type LeadSourceRow = Pick<Selectable<Tables['lead_sources']>, (typeof leadSourceColumns)[number]>

// Everything a response shows; never the sealed tax id.
const businessColumns = [
  'id',
  'version',
  'state',
  'state_changed_at',
  'legal_name',
  'name_sort',
  'country',
  'lead_source_id',
  'lead_source_detail',
  'trading_name',
  'legal_form',
  'region',
  'registration_number',
  'tax_id_last4',
  'industry_system',
  'industry_code',
  'founded_on',
  'employee_count',
  'website',
  'email',
  'phone',
  'addresses',
  'annual_revenue_minor',
  'annual_revenue_currency',
  'owners',
  'consents',
  'do_not_contact',
  'tags',
  'metadata',
  'external_reference',
  'created_at',
  'updated_at',
] as const
export type BusinessRow = Pick<Selectable<Tables['businesses']>, (typeof businessColumns)[number]>

export async function insertLeadSource(
  tx: Tx,
  portalId: string,
  row: Omit<Insertable<Tables['lead_sources']>, 'portal_id'>,
) {
  await tx
    .insertInto('lead_sources')
    .values({ portal_id: portalId, ...row })
    .execute()
}

/** False when there is no such lead source. */
export async function updateLeadSource(
  tx: Tx,
  portalId: string,
  id: string,
  isActive: boolean,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lead_sources')
    .set((eb) => ({ is_active: isActive, version: eb('version', '+', 1), updated_at: now }))
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const leadSourceById = compileOnce<{ portal_id: string; id: string }, LeadSourceRow>((db, values) =>
  db
    .selectFrom('lead_sources')
    .select(leadSourceColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

interface Origin extends Pick<LeadSourceRow, 'is_active' | 'requires_detail'> {
  /** The business that has the external reference already. */
  reference_taken_by: string | null
}

const originOfBusiness = compileOnce<{ portal_id: string; id: string; external_reference: string | null }, Origin>(
  (db, values) =>
    db
      .selectFrom('lead_sources')
      .select((eb) => [
        'is_active',
        'requires_detail',
        eb
          .selectFrom('businesses')
          .select('businesses.id')
          .where('businesses.portal_id', '=', values.portal_id)
          .where('businesses.external_reference', '=', values.external_reference)
          .as('reference_taken_by'),
      ])
      .where('portal_id', '=', values.portal_id)
      .where('id', '=', values.id),
)

/** What a new business has to get along with, in one look: its lead source, and whoever has its reference. */
export async function findOrigin(
  db: Connection,
  portalId: string,
  leadSourceId: string,
  externalReference: string | null,
): Promise<Origin | undefined> {
  const values = { portal_id: portalId, id: leadSourceId, external_reference: externalReference }
  return (await originOfBusiness(db, values))[0]
}

export async function findLeadSource(db: Connection, portalId: string, id: string): Promise<LeadSourceRow | undefined> {
  return (await leadSourceById(db, { portal_id: portalId, id }))[0]
}

const leadSourcePages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('lead_sources').select(leadSourceColumns).where('portal_id', '=', portal_id),
  filters: {
    kind: (value) => sql<SqlBool>`kind = ${value}`,
    is_active: (value) => sql<SqlBool>`is_active = ${value}`,
  },
  orders: { name: ['name_sort', 'id'], created_at: ['created_at', 'id'] },
})

export async function listLeadSources(
  db: Connection,
  portalId: string,
  filters: Record<string, unknown>,
  page: PageRequest,
) {
  return leadSourcePages(db, { portal_id: portalId }, filters, page)
}

const businessById = compileOnce<{ portal_id: string; id: string }, BusinessRow>((db, values) =>
  db
    .selectFrom('businesses')
    .select(businessColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findBusiness(db: Connection, portalId: string, id: string): Promise<BusinessRow | undefined> {
  return (await businessById(db, { portal_id: portalId, id }))[0]
}

export async function findBusinessByReference(db: Connection, portalId: string, externalReference: string) {
  return db
    .selectFrom('businesses')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .executeTakeFirst()
}

export const maximumSearchWords = 5
const searchFilters = Object.fromEntries(
  Array.from({ length: maximumSearchWords }, (_, index) => [
    `word_${index}`,
    (value: unknown) => sql<SqlBool>`search_text like ${value}`,
  ]),
)
const businessFilters = {
  state: (value: unknown) => sql<SqlBool>`state = ${value}`,
  // Said as a constant, so that the partial index of archived businesses can serve it.
  archived: () => sql<SqlBool>`state = 'archived'`,
  lead_source_id: (value: unknown) => sql<SqlBool>`lead_source_id = ${value}`,
  external_reference: (value: unknown) => sql<SqlBool>`external_reference = ${value}`,
  country: (value: unknown) => sql<SqlBool>`country = ${value}`,
  created_after: (value: unknown) => sql<SqlBool>`created_at > ${value}`,
  created_before: (value: unknown) => sql<SqlBool>`created_at < ${value}`,
  nothing: () => sql<SqlBool>`1 = 0`,
  ...searchFilters,
}
const businessOrders = { created_at: ['created_at', 'id'], legal_name: ['name_sort', 'id'] }

const businessPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('businesses').select(businessColumns).where('portal_id', '=', portal_id),
  filters: businessFilters,
  orders: businessOrders,
})

/** The same pages, found from a word that few businesses have. */
const rareWordPages = definePagedQuery({
  rows: (db, { portal_id, word, word_end }: { portal_id: string; word: string; word_end: string }) => {
    const query = db
      .selectFrom((eb) =>
        eb
          .selectFrom('business_words')
          .select('business_id')
          .distinct()
          .where('portal_id', '=', portal_id)
          .where('word', '>=', word)
          .where('word', '<', word_end)
          .as('found'),
      )
      // A cross join: SQLite then begins with the words, and does not walk through all businesses to look for them.
      .crossJoin('businesses')
      .select(businessColumns)
      .where('businesses.portal_id', '=', portal_id)
      .whereRef('businesses.id', '=', 'found.business_id')
    // safe because all selected columns are those of a business
    return query as unknown as SelectQueryBuilder<Tables, 'businesses', BusinessRow>
  },
  filters: businessFilters,
  orders: businessOrders,
})

const countOfWord = compileOnce<
  { portal_id: string; word: string; word_end: string; limit: number },
  { count: number }
>((db, { portal_id, word, word_end, limit }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('business_words')
        .select('business_id')
        .where('portal_id', '=', portal_id)
        .where('word', '>=', word)
        .where('word', '<', word_end)
        .limit(limit)
        .as('found'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
)

export async function listBusinesses(db: Connection, portalId: string, filters: BusinessFilters, page: PageRequest) {
  const { search, state, created_after, created_before, ...plain } = filters
  const conditions: Record<string, unknown> = { ...plain, ...createdBounds({ created_after, created_before }) }
  if (state === 'archived') conditions.archived = true
  else if (state !== undefined) conditions.state = state
  if (search === undefined) return businessPages(db, { portal_id: portalId }, conditions, page)
  const words = wordsOf(search)
  // A search of punctuation alone names nothing.
  if (words.length === 0) conditions.nothing = true
  // Words are letters and digits only, so nothing in them has a meaning in a pattern.
  for (const [index, word] of words.entries()) conditions[`word_${index}`] = `% ${word}%`
  const rare = await findRareWord(db, portalId, words)
  return rare
    ? rareWordPages(db, { portal_id: portalId, ...rare }, conditions, page)
    : businessPages(db, { portal_id: portalId }, conditions, page)
}

/**
 * The rarest of the words, if it is rare enough to begin with. Businesses with a word that many have are close together
 * in every order; those with a word that few have are looked up one by one.
 */
async function findRareWord(db: Connection, portalId: string, words: readonly string[]) {
  let rarest: { word: string; word_end: string } | undefined
  let least = maximumLookups
  for (const word of words) {
    const range = { word, word_end: `${word}\u{10ffff}` }
    const [found] = await countOfWord(db, { portal_id: portalId, ...range, limit: maximumLookups + 1 })
    if (!found || found.count > least) continue
    least = found.count
    rarest = range
  }
  return rarest
}

const maximumLookups = 2000

const insertBusinessRow = compileInsert('businesses')

export async function insertBusiness(
  tx: Tx,
  portalId: string,
  row: Omit<Insertable<Tables['businesses']>, 'portal_id'>,
): Promise<void> {
  // Always the same columns, so that the query stays compiled.
  await insertBusinessRow(tx, [{ portal_id: portalId, tax_id_sealed: null, tax_id_hash: null, ...row }])
}

/** False when the record is no longer at this version. */
export async function updateBusiness(
  tx: Tx,
  portalId: string,
  id: string,
  version: number,
  change: Updateable<Tables['businesses']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('businesses')
    .set({ ...change, version: version + 1 })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const insertWords = compileInsert('business_words')

/** Makes a business be found by these words and no longer by those it had before. */
export async function replaceBusinessWords(
  tx: Tx,
  portalId: string,
  businessId: string,
  words: { before: readonly string[]; after: readonly string[] },
) {
  const gone = words.before.filter((word) => !words.after.includes(word))
  const added = words.after.filter((word) => !words.before.includes(word))
  if (gone.length > 0) {
    await tx
      .deleteFrom('business_words')
      .where('portal_id', '=', portalId)
      .where('business_id', '=', businessId)
      .where('word', 'in', gone)
      .execute()
  }
  if (added.length === 0) return
  await insertWords(
    tx,
    added.map((word) => ({ portal_id: portalId, word, business_id: businessId })),
  )
}

/** What duplicates are told by. */
export async function findMatchKeys(db: Connection, portalId: string, id: string) {
  return db
    .selectFrom('businesses')
    .select(['id', 'country', 'name_match', 'registration_match', 'tax_id_hash'])
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}
export type MatchKeys = NonNullable<Awaited<ReturnType<typeof findMatchKeys>>>

const duplicatePages = definePagedQuery({
  rows: (db, keys: { portal_id: string } & MatchKeys) =>
    db
      .selectFrom('businesses')
      .select(['id', 'country', 'name_match', 'registration_match', 'tax_id_hash'])
      .where('portal_id', '=', keys.portal_id)
      .where('id', '!=', keys.id)
      .where((eb) =>
        eb.or([
          eb('registration_match', '=', keys.registration_match).and('country', '=', keys.country),
          eb('tax_id_hash', '=', keys.tax_id_hash),
          eb('name_match', '=', keys.name_match).and('country', '=', keys.country),
        ]),
      ),
  filters: {},
  orders: { id: ['id'] },
})

export async function listDuplicates(db: Connection, portalId: string, keys: MatchKeys, page: PageRequest) {
  return duplicatePages(db, { portal_id: portalId, ...keys }, {}, page)
}
