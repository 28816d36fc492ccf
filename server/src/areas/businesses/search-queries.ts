// The list of businesses: its filters, its orders and its search by the beginnings of words.
import { type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import { compileInsert, compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { createdBounds } from '../../platform/values/fields.ts'
import { type BusinessRow, businessColumns } from './queries.ts'
import type { BusinessFilters } from './schema.ts'
import { maximumSearchWords, patternOf, type SearchForms, searchForms } from './search-words.ts'
import type { BusinessState } from './states.ts'

type Words = { portal_id: string } & Record<string, unknown>

/** A query has room for one of these numbers of words; what is left over finds everything. */
const sizes = [1, 2, 3, 5, maximumSearchWords] as const

const patternsAmong = (values: Words, form: keyof SearchForms, size: number) =>
  sql.join(
    Array.from({ length: size }, (_, index) => sql<SqlBool>`search_text like ${values[`${form}_${index}`]}`),
    sql` and `,
  )

const searchFilters = Object.fromEntries(
  sizes.flatMap((size) => [
    [`typed_${size}`, (_: unknown, values: Words) => sql<SqlBool>`(${patternsAmong(values, 'typed', size)})`],
    [
      `any_form_${size}`,
      (_: unknown, values: Words) =>
        sql<SqlBool>`((${patternsAmong(values, 'typed', size)}) or (${patternsAmong(values, 'joined', size)})
          or (search_text like ' %' and ${patternsAmong(values, 'earlier', size)}))`,
    ],
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
  rows: (db, { portal_id }: Words) =>
    db
      .selectFrom('businesses')
      .select(businessColumns)
      .$narrowType<{ state: BusinessState }>()
      .where('portal_id', '=', portal_id),
  filters: businessFilters,
  orders: businessOrders,
})

/** The same pages, found from a word of each form that few businesses have. */
const rareWordPages = definePagedQuery({
  rows: (db, values: Words) => {
    const businessesWith = (form: keyof SearchForms) =>
      db
        .selectFrom('business_words')
        .select('business_id')
        .where('portal_id', '=', values.portal_id)
        // safe because a placeholder for a text stands where the text goes
        .where('word', '>=', values[`rare_${form}`] as string)
        .where('word', '<', values[`rare_${form}_end`] as string)
    const query = db
      .selectFrom(businessesWith('typed').union(businessesWith('joined')).union(businessesWith('earlier')).as('found'))
      // A cross join: SQLite then begins with the words, and does not walk through all businesses to look for them.
      .crossJoin('businesses')
      .select(businessColumns)
      .where('businesses.portal_id', '=', values.portal_id)
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
  const forms = searchForms(search)
  // A search of punctuation alone names nothing.
  if (forms.typed.length === 0)
    return businessPages(db, { portal_id: portalId }, { ...conditions, nothing: true }, page)
  const isOneForm = forms.joined.length === 0 && forms.earlier.length === 0
  const longest = Math.max(forms.typed.length, forms.joined.length, forms.earlier.length)
  const size = sizes.find((one) => one >= longest) ?? maximumSearchWords
  conditions[`${isOneForm ? 'typed' : 'any_form'}_${size}`] = true
  const values = { portal_id: portalId, ...patternsOf(forms, isOneForm ? ['typed'] : formNames, size) }
  const rare = await findRareWords(db, portalId, forms)
  return rare
    ? rareWordPages(db, { ...values, ...rare }, conditions, page)
    : businessPages(db, values, conditions, page)
}

const formNames = ['typed', 'joined', 'earlier'] as const satisfies (keyof SearchForms)[]

function patternsOf(forms: SearchForms, names: readonly (keyof SearchForms)[], size: number): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) =>
      Array.from({ length: size }, (_, index) => {
        const word = forms[name][index]
        // A form without words finds nothing; a place without a word lets everything pass.
        const pattern = word === undefined ? (forms[name].length === 0 ? '' : '%') : patternOf(word)
        return [`${name}_${index}`, pattern]
      }),
    ),
  )
}

/**
 * The rarest word of each form, if all of them are rare enough to begin with. Businesses with a word that many have are
 * close together in every order; those with a word that few have are looked up one by one.
 */
async function findRareWords(db: Connection, portalId: string, forms: SearchForms) {
  const rare: Record<string, string> = {}
  for (const form of formNames) {
    // An empty range for a form without words.
    let [rarest, end] = ['\u{10ffff}', '']
    let least = Number.POSITIVE_INFINITY
    for (const word of forms[form]) {
      const range = { word, word_end: `${word}\u{10ffff}` }
      const [found] = await countOfWord(db, { portal_id: portalId, ...range, limit: maximumLookups + 1 })
      if (!found || found.count >= least) continue
      least = found.count
      rarest = word
      end = range.word_end
      if (least <= fewLookups) break
    }
    if (forms[form].length > 0 && least > maximumLookups) return undefined
    rare[`rare_${form}`] = rarest
    rare[`rare_${form}_end`] = end
  }
  return rare
}

/** So few that looking for a rarer word costs more than it saves. */
const fewLookups = 50
const maximumLookups = 2000

const insertWords = compileInsert('business_words')

export async function addBusinessWords(tx: Tx, portalId: string, businessId: string, words: readonly string[]) {
  if (words.length === 0) return
  await insertWords(
    tx,
    words.map((word) => ({ portal_id: portalId, word, business_id: businessId })),
  )
}

/** Makes a business be found by the words after a change and no longer by those that may have been stored before. */
export async function replaceBusinessWords(
  tx: Tx,
  portalId: string,
  businessId: string,
  words: { possible: readonly string[]; certain: readonly string[]; after: readonly string[] },
) {
  const gone = words.possible.filter((word) => !words.after.includes(word))
  const added = words.after.filter((word) => !words.certain.includes(word))
  if (gone.length > 0) {
    await tx
      .deleteFrom('business_words')
      .where('portal_id', '=', portalId)
      .where('business_id', '=', businessId)
      .where('word', 'in', gone)
      .execute()
  }
  if (added.length === 0) return
  await tx
    .insertInto('business_words')
    .values(added.map((word) => ({ portal_id: portalId, word, business_id: businessId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Businesses whose words are still of the earlier form, by an index that holds no others. */
export async function listUnfoldedBusinesses(db: Connection, portalId: string, limit: number) {
  return db
    .selectFrom('businesses')
    .select([...businessColumns, 'search_text'])
    .$narrowType<{ state: BusinessState }>()
    .where('portal_id', '=', portalId)
    .where(sql<SqlBool>`substr(search_text, 1, 1) = ' '`)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Writes the keys of a business anew without a new version; false when somebody has changed it meanwhile. */
export async function updateSearchKeys(
  tx: Tx,
  portalId: string,
  { id, version }: Pick<BusinessRow, 'id' | 'version'>,
  keys: Pick<Updateable<Tables['businesses']>, 'name_sort' | 'name_match' | 'registration_match' | 'search_text'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('businesses')
    .set(keys)
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
