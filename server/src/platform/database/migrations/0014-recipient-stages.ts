import type { Kysely } from 'kysely'

/** The deals of one recipient in one stage, of one state or of all: few of very many, the latest first. */
export async function recipientStages(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, filters: string[]) =>
    db.schema
      .createIndex(name)
      .on('deals')
      .columns(['portal_id', 'recipient_portal_id', ...filters, 'updated_at', 'id'])
      .execute()
  await index('deals_by_recipient_and_stage', ['stage_key'])
  await index('deals_by_recipient_state_and_stage', ['state', 'stage_key'])
}
