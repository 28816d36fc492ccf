import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/** The submitted application that a deal has now: while there is one, the deal is not won by hand. */
export async function submittedApplications(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('deals').addColumn('submitted_application_id', t.text).execute()
  const submitted = sql`
    select application.id from deal_applications as application
    where application.portal_id = deals.portal_id and application.active_deal_id = deals.id
      and application.first_submitted_at is not null
  `
  await sql`update deals set submitted_application_id = (${submitted}) where exists (${submitted})`.execute(db)
  // Without statistics SQLite would look for both through the index of the state, which many applications share.
  await db.schema
    .createIndex('deal_applications_by_deal_and_state')
    .on('deal_applications')
    .columns(['portal_id', 'deal_id', 'state', 'updated_at', 'id'])
    .execute()
  // A new label of a stage goes through a Portal's own deals by their ids, however many it has sent to others.
  await db.schema
    .createIndex('deals_by_recipient_and_id')
    .on('deals')
    .columns(['portal_id', 'recipient_portal_id', 'id'])
    .execute()
}
