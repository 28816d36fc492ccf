// How far new matches were told, to the project; and from which day on a calculation may come out differently.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function matchingOverTime(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // The last of the changes that are being told; none while the version is 0.
  const add = (name: string, type: ColumnTypes['text' | 'integer'], value: string | number) =>
    db.schema
      .alterTable('recipients')
      .addColumn(name, type, (c) => c.notNull().defaultTo(value))
      .execute()
  await add('telling_version', t.integer, 0)
  await add('telling_program_id', t.text, '')
  // The last project that was looked at for them.
  await add('telling_portal_id', t.text, '')
  await add('telling_project_id', t.text, '')

  await db.schema.alterTable('match_calculations').addColumn('changes_on', t.date).execute()
  // Nothing is known of those that are there: they are out of date.
  await sql`update match_calculations set changes_on = calculated_on`.execute(db)
}
