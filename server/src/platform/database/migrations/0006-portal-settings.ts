// Settings of a Portal in a table of their own, one row each, described by the area they belong to. The columns they had
// in `portals` stay for the release before this one; nothing reads them any more.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

export async function portalSettings(db: Kysely<unknown>, t: ColumnTypes, engine: Database['engine']): Promise<void> {
  await db.schema
    .createTable('portal_settings')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('name', t.text, (c) => c.notNull())
    .addColumn('value', t.text, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('portal_settings_pkey', ['portal_id', 'name'])
    .execute()
  const quoted = engine === 'sqlite' ? sql`json_quote(autofill_provider)` : sql`to_json(autofill_provider)::text`
  await sql`
    insert into portal_settings (portal_id, name, value, updated_at)
    select portal_id, 'intake_expiry_days', cast(intake_expiry_days as text), created_at
    from portals where intake_expiry_days <> 90
    union all
    select portal_id, 'autofill_provider', ${quoted}, created_at
    from portals where autofill_provider is not null
  `.execute(db)
}
