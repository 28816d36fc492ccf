// The list of businesses: its filters, its orders and its search by the beginnings of words.
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { compileInsert, compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { createdBounds } from '../../platform/values/fields.ts'
import { wordsOf } from '../../platform/values/text-keys.ts'
import { type BusinessRow, businessColumns } from './queries.ts'
import type { BusinessFilters } from './schema.ts'
import type { BusinessState } from './states.ts'

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
    db
      .selectFrom('businesses')
      .select(businessColumns)
      .$narrowType<{ state: BusinessState }>()
      .where('portal_id', '=', portal_id),
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
