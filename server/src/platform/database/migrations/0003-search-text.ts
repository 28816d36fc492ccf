import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

/** The words of a business also in its own row: whoever walks through businesses in their order can then tell which fit. */
export async function searchText(db: Kysely<unknown>, t: ColumnTypes, engine: Database['engine']): Promise<void> {
  await db.schema
    .alterTable('businesses')
    .addColumn('search_text', t.text, (c) => c.notNull().defaultTo(''))
    .execute()
  const joined = engine === 'sqlite' ? sql`group_concat(word, ' ')` : sql`string_agg(word, ' ')`
  await sql`
    update businesses set search_text = found.words
    from (select portal_id, business_id, ' ' || ${joined} as words from business_words group by portal_id, business_id) as found
    where found.portal_id = businesses.portal_id and found.business_id = businesses.id
  `.execute(db)
}
