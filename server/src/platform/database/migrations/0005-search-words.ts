import { type Kysely, sql } from 'kysely'

/**
 * Search words are made in another way now. A job rewrites the rows; this index holds those it has not reached yet, told
 * by the space their text begins with, and becomes empty.
 */
export async function searchWords(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('businesses_to_rewrite')
    .on('businesses')
    .columns(['portal_id', 'id'])
    .where(sql<boolean>`substr(search_text, 1, 1) = ' '`)
    .execute()
}
