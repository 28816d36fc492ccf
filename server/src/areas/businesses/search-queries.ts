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

/**
 * The same pages, found from words that few businesses have. One query for each number of words: PostgreSQL cannot tell
 * that a range is empty, and would read the whole table rather than look up the many rows it expects.
 */
const rareWordPages = [1, 2, 3].map((count) =>
  definePagedQuery({
    rows: (db, values: Words) => {
      const [first, ...others] = Array.from({ length: count }, (_, index) =>
        db
          .selectFrom('business_words')
          .select('business_id')
          .distinct()
          .where('portal_id', '=', values.portal_id)
          // safe because a placeholder for a text stands where the text goes
          .where('word', '>=', values[`rare_${index}`] as string)
          .where('word', '<', values[`rare_${index}_end`] as string),
      )
      if (!first) throw new Error('a search without words')
      const query = db
        .selectFrom(others.reduce((all, one) => all.union(one), first).as('found'))
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
  }),
)

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
  if (!rare) return businessPages(db, values, conditions, page)
  const pages = rareWordPages[rare.length - 1]
  if (!pages) return businessPages(db, values, { ...conditions, nothing: true }, page)
  const ranges = rare.flatMap((word, index) => [
    [`rare_${index}`, word],
    [`rare_${index}_end`, endOf(word)],
  ])
  return pages(db, { ...values, ...Object.fromEntries(ranges) }, conditions, page)
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
 * The rarest word of each form, if all of them are rare enough to begin with; none for a form that no business has.
 * Businesses with a word that many have are close together in every order; those with a word that few have are looked
 * up one by one.
 */
async function findRareWords(db: Connection, portalId: string, forms: SearchForms): Promise<string[] | undefined> {
  const rare: string[] = []
  for (const form of formNames) {
    let rarest: { word: string; count: number } | undefined
    for (const word of forms[form]) {
      const limit = maximumLookups + 1
      const [found] = await countOfWord(db, { portal_id: portalId, word, word_end: endOf(word), limit })
      if (found && found.count < (rarest?.count ?? Number.POSITIVE_INFINITY)) rarest = { word, count: found.count }
      if (rarest && rarest.count <= fewLookups) break
    }
    if (rarest && rarest.count > maximumLookups) return undefined
    if (rarest && rarest.count > 0) rare.push(rarest.word)
  }
  return rare
}

/** Above every word that begins with this one. */
function endOf(word: string): string {
  return `${word}\u{10ffff}`
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
