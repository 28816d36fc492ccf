// Deals, their applications and offers. Everything is kept in the Portal of the sender; what the recipient lists, and
// what it notes for itself, stands in rows of the recipient's own Portal.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function deals(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('deals')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('number', t.integer, (c) => c.notNull())
    .addColumn('recipient_portal_id', t.text, (c) => c.notNull())
    // Both parties as they were called when the deal was created.
    .addColumn('recipient_name', t.text, (c) => c.notNull())
    .addColumn('recipient_kind', t.text, (c) => c.notNull())
    .addColumn('sender_name', t.text, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('project_id', t.text)
    .addColumn('match_id', t.text)
    .addColumn('program_id', t.text)
    .addColumn('title', t.text, (c) => c.notNull())
    .addColumn('amount_requested', t.json)
    .addColumn('amount_approved', t.json)
    .addColumn('amount_funded', t.json)
    .addColumn('stage_key', t.text, (c) => c.notNull())
    .addColumn('stage_label', t.text, (c) => c.notNull())
    .addColumn('stage_category', t.text, (c) => c.notNull())
    // The stage it was in when it ended: a deal that is reopened goes back there.
    .addColumn('stage_before_end', t.json)
    // When each step of its progress was reached.
    .addColumn('reached', t.json, (c) => c.notNull())
    .addColumn('outcome', t.json)
    .addColumn('expected_close_on', t.date)
    // What the recipient knows of the business.
    .addColumn('shared_business', t.json, (c) => c.notNull())
    .addColumn('application_ids', t.json, (c) => c.notNull())
    .addColumn('tags', t.json, (c) => c.notNull())
    .addColumn('metadata', t.json, (c) => c.notNull())
    .addColumn('external_reference', t.text)
    .addColumn('assignee', t.text)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('deals_pkey', ['portal_id', 'id'])
    .execute()
  const index = (table: string, name: string, columns: string[]) =>
    db.schema.createIndex(`${table}_${name}`).on(table).columns(columns)
  // The latest activity first, whatever the list is filtered by, and by the pairs of filters that leave few of many.
  await index('deals', 'by_update', ['portal_id', 'updated_at', 'id']).execute()
  await index('deals', 'by_state', ['portal_id', 'state', 'updated_at', 'id']).execute()
  await index('deals', 'by_stage', ['portal_id', 'stage_key', 'updated_at', 'id']).execute()
  await index('deals', 'by_state_and_stage', ['portal_id', 'state', 'stage_key', 'updated_at', 'id']).execute()
  await index('deals', 'by_recipient_and_state', [
    'portal_id',
    'recipient_portal_id',
    'state',
    'updated_at',
    'id',
  ]).execute()
  await index('deals', 'by_recipient', ['portal_id', 'recipient_portal_id', 'updated_at', 'id']).execute()
  await index('deals', 'by_business', ['portal_id', 'business_id', 'updated_at', 'id']).execute()
  await index('deals', 'by_project', ['portal_id', 'project_id', 'updated_at', 'id']).execute()
  await index('deals', 'by_number', ['portal_id', 'number']).unique().execute()
  await index('deals', 'by_reference', ['portal_id', 'external_reference']).unique().execute()

  // A deal that another Portal sent, in the Portal that received it: for its lists, and what only it sees. Its version
  // moves with what both parties see, and with the recipient's own notes.
  await db.schema
    .createTable('received_deals')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('sender_portal_id', t.text, (c) => c.notNull())
    .addColumn('number', t.integer, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('stage_key', t.text, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('application_ids', t.json, (c) => c.notNull())
    .addColumn('tags', t.json, (c) => c.notNull())
    .addColumn('metadata', t.json, (c) => c.notNull())
    .addColumn('external_reference', t.text)
    .addColumn('assignee', t.text)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('received_deals_pkey', ['portal_id', 'id'])
    .execute()
  await index('received_deals', 'by_update', ['portal_id', 'updated_at', 'id']).execute()
  await index('received_deals', 'by_state', ['portal_id', 'state', 'updated_at', 'id']).execute()
  await index('received_deals', 'by_stage', ['portal_id', 'stage_key', 'updated_at', 'id']).execute()
  await index('received_deals', 'by_state_and_stage', ['portal_id', 'state', 'stage_key', 'updated_at', 'id']).execute()
  await index('received_deals', 'by_business', ['portal_id', 'business_id', 'updated_at', 'id']).execute()
  await index('received_deals', 'by_number', ['portal_id', 'number']).unique().execute()
  await index('received_deals', 'by_reference', ['portal_id', 'external_reference']).unique().execute()

  // The last number a Portal gave to a deal, sent or received.
  await db.schema
    .createTable('deal_numbers')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('last_number', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('deal_numbers_pkey', ['portal_id'])
    .execute()

  await db.schema
    .createTable('deal_timeline')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('deal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('at', t.time, (c) => c.notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    // Empty for what happened by itself.
    .addColumn('actor_portal_id', t.text)
    .addColumn('actor_key_id', t.text)
    .addColumn('from_value', t.text)
    .addColumn('to_value', t.text)
    .addColumn('note', t.text)
    // False for what the recipient does not know of, such as a draft.
    .addColumn('is_shared', t.boolean, (c) => c.notNull())
    .addPrimaryKeyConstraint('deal_timeline_pkey', ['portal_id', 'deal_id', 'id'])
    .execute()

  // Which facts of the sender went to the recipient, and when.
  await db.schema
    .createTable('deal_disclosures')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('deal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('at', t.time, (c) => c.notNull())
    .addColumn('recipient_portal_id', t.text, (c) => c.notNull())
    .addColumn('application_id', t.text)
    .addColumn('submission_number', t.integer)
    .addColumn('facts', t.json, (c) => c.notNull())
    .addColumn('question_keys', t.json, (c) => c.notNull())
    .addColumn('file_ids', t.json, (c) => c.notNull())
    .addPrimaryKeyConstraint('deal_disclosures_pkey', ['portal_id', 'deal_id', 'id'])
    .execute()

  // The latest deal that was created from a match.
  await db.schema
    .createTable('matched_deals')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('project_id', t.text, (c) => c.notNull())
    .addColumn('program_id', t.text, (c) => c.notNull())
    .addColumn('deal_id', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('matched_deals_pkey', ['portal_id', 'project_id', 'program_id'])
    .execute()

  await db.schema
    .createTable('deal_applications')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('deal_id', t.text, (c) => c.notNull())
    // The deal while the application is open, so that there is one at a time.
    .addColumn('active_deal_id', t.text)
    .addColumn('recipient_portal_id', t.text, (c) => c.notNull())
    .addColumn('recipient_name', t.text, (c) => c.notNull())
    .addColumn('recipient_kind', t.text, (c) => c.notNull())
    .addColumn('sender_name', t.text, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('program_id', t.text)
    .addColumn('contract_id', t.text, (c) => c.notNull())
    .addColumn('contract_portal_id', t.text, (c) => c.notNull())
    .addColumn('contract_version', t.integer, (c) => c.notNull())
    .addColumn('attempt', t.integer, (c) => c.notNull())
    // The first and the latest submission.
    .addColumn('first_submitted_at', t.time)
    .addColumn('submission', t.json)
    .addColumn('acknowledgement', t.json)
    .addColumn('information_request', t.json)
    .addColumn('returned', t.json)
    // The questions that may be answered; empty while all may.
    .addColumn('open_question_keys', t.json)
    .addColumn('decision', t.json)
    .addColumn('funding', t.json)
    // Who said that it may stand beside another one with the same recipient, and when.
    .addColumn('override', t.json)
    .addColumn('active_offer', t.json)
    .addColumn('expiry_days', t.integer, (c) => c.notNull())
    // When it ends by itself unless somebody acts before.
    .addColumn('expires_at', t.time)
    // When the active offer ends by itself.
    .addColumn('offer_expires_at', t.time)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('deal_applications_pkey', ['portal_id', 'id'])
    .execute()
  await index('deal_applications', 'active', ['portal_id', 'active_deal_id']).unique().execute()
  await index('deal_applications', 'by_deal', ['portal_id', 'deal_id', 'updated_at', 'id']).execute()
  await index('deal_applications', 'by_update', ['portal_id', 'updated_at', 'id']).execute()
  await index('deal_applications', 'by_state', ['portal_id', 'state', 'updated_at', 'id']).execute()
  await index('deal_applications', 'by_recipient', ['portal_id', 'recipient_portal_id', 'updated_at', 'id']).execute()
  await index('deal_applications', 'by_recipient_and_state', [
    'portal_id',
    'recipient_portal_id',
    'state',
    'updated_at',
    'id',
  ]).execute()
  await index('deal_applications', 'by_business', ['portal_id', 'business_id', 'created_at', 'id']).execute()
  await index('deal_applications', 'by_contract', ['portal_id', 'contract_id']).execute()
  await index('deal_applications', 'by_expiry', ['portal_id', 'expires_at']).execute()
  await index('deal_applications', 'by_offer_expiry', ['portal_id', 'offer_expires_at']).execute()

  // An application that another Portal sent, in the Portal that received it, from its first submission on. Its version
  // moves with what the recipient sees.
  await db.schema
    .createTable('received_deal_applications')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('sender_portal_id', t.text, (c) => c.notNull())
    .addColumn('deal_id', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('received_deal_applications_pkey', ['portal_id', 'id'])
    .execute()
  await index('received_deal_applications', 'by_update', ['portal_id', 'updated_at', 'id']).execute()
  await index('received_deal_applications', 'by_state', ['portal_id', 'state', 'updated_at', 'id']).execute()
  await index('received_deal_applications', 'by_deal', ['portal_id', 'deal_id', 'updated_at', 'id']).execute()

  await db.schema
    .createTable('offers')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('application_id', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('amount', t.json, (c) => c.notNull())
    .addColumn('term_months', t.integer)
    .addColumn('rate', t.json)
    .addColumn('fees', t.json, (c) => c.notNull())
    .addColumn('repayment', t.json)
    .addColumn('conditions', t.json, (c) => c.notNull())
    .addColumn('valid_until', t.date)
    .addColumn('expires_at', t.time)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('offers_pkey', ['portal_id', 'id'])
    .execute()
  await index('offers', 'by_application', ['portal_id', 'application_id', 'id']).execute()
}
