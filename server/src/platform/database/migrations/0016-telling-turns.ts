import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/** When new matches of a recipient were last told, counted in turns: whoever was served longest ago comes first. */
export async function tellingTurns(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('recipients')
    .addColumn('telling_turn', t.integer, (c) => c.notNull().defaultTo(0))
    .execute()
}
