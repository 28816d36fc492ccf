import { sql } from 'kysely'
import type { Connection, Tx } from '../../platform/database/database.ts'

export async function listEndedIntakeBefore(db: Connection, portalId: string, before: string, limit: number) {
  return (
    db
      .selectFrom('client_intake_applications')
      .select(['id', 'business_id'])
      .where('portal_id', '=', portalId)
      .where('state', 'in', ['rejected', 'withdrawn', 'expired'])
      .where('state_changed_at', '<=', before)
      // What a project was made of stays with it.
      .where(sql<boolean>`not exists (
      select 1 from projects
      where projects.portal_id = client_intake_applications.portal_id
        and projects.business_id = client_intake_applications.business_id
        and projects.intake_application_id = client_intake_applications.id
    )`)
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** What Autofill found is kept sealed; a run without it shows that it ran, and nothing else. */
export async function forgetOldOutcomes(tx: Tx, portalId: string, before: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update autofill_runs set sealed_outcome = null
    where portal_id = ${portalId} and id in (
      select id from autofill_runs
      where portal_id = ${portalId} and sealed_outcome is not null and state_changed_at <= ${before}
      order by id limit ${limit}
    )
  `.execute(tx)
  return Number(numAffectedRows)
}

export async function forgetOldAttemptBodies(tx: Tx, portalId: string, before: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_attempts set response_body = null
    where portal_id = ${portalId} and (delivery_id, id) in (
      select delivery_id, id from webhook_attempts
      where portal_id = ${portalId} and response_body is not null and started_at <= ${before}
      order by delivery_id, id limit ${limit}
    )
  `.execute(tx)
  return Number(numAffectedRows)
}

/** Businesses that were archived before a time and have no open deals. */
export async function listArchivedBefore(
  db: Connection,
  portalId: string,
  before: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('businesses')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('state', '=', 'archived')
    .where('state_changed_at', '<=', before)
    .where(sql<boolean>`not exists (
      select 1 from deals
      where deals.portal_id = businesses.portal_id and deals.business_id = businesses.id
        and deals.state in ('open', 'on_hold')
    )`)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
