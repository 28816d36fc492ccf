// Where something of a business is kept: for every table, which of its rows. A table that is not named here does not
// compile, so nobody adds one without deciding. Export and dry run read it; erasing follows the same rows unit by unit.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { boundedPages } from '../../platform/database/bounded-pages.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'

export type TableName = keyof Tables

export interface Subject {
  portal_id: string
  business_id: string
}

/** `null`: the table holds nothing of a business. */
type Holding = ((subject: Subject) => RawBuilder<SqlBool>) | null

const applicationIds = (subject: Subject) => sql`
  select id from client_intake_applications where portal_id = ${subject.portal_id} and business_id = ${subject.business_id}
  union all ${dealApplicationIds(subject)}`
const dealApplicationIds = ({ portal_id, business_id }: Subject) =>
  sql`select id from deal_applications where portal_id = ${portal_id} and business_id = ${business_id}`
const projectIds = ({ portal_id, business_id }: Subject) =>
  sql`select id from projects where portal_id = ${portal_id} and business_id = ${business_id}`
const dealIds = ({ portal_id, business_id }: Subject) =>
  sql`select id from deals where portal_id = ${portal_id} and business_id = ${business_id}`
/** Everything that an event can be about. */
const recordIds = (subject: Subject) => sql`
  select ${subject.business_id} as id
  union all ${applicationIds(subject)}
  union all ${projectIds(subject)}
  union all ${dealIds(subject)}
  union all select id from files where portal_id = ${subject.portal_id} and application_id in (${applicationIds(subject)})
  union all select id from offers where portal_id = ${subject.portal_id} and application_id in (${dealApplicationIds(subject)})
  union all select id from match_calculations where portal_id = ${subject.portal_id} and project_id in (${projectIds(subject)})`
/** A match has no row; its event is found by the project that its address names. */
const eventsAbout = (subject: Subject) => sql<SqlBool>`(
  resource_id in (${recordIds(subject)})
  or (type = 'match.found' and substr(resource_path, 11, 30) in (${projectIds(subject)}))
)`
const deliveryIds = (subject: Subject) => sql`
  select id from webhook_deliveries where portal_id = ${subject.portal_id}
  and event_id in (select id from events where portal_id = ${subject.portal_id} and ${eventsAbout(subject)})`

const direct: Holding = ({ business_id }) => sql<SqlBool>`business_id = ${business_id}`
const underApplications: Holding = (subject) => sql<SqlBool>`application_id in (${applicationIds(subject)})`
const underProjects: Holding = (subject) => sql<SqlBool>`project_id in (${projectIds(subject)})`
const underDeals: Holding = (subject) => sql<SqlBool>`deal_id in (${dealIds(subject)})`

const holdings: Readonly<Record<TableName, Holding>> = {
  businesses: ({ business_id }) => sql<SqlBool>`id = ${business_id}`,
  business_words: direct,
  client_intake_applications: direct,
  answers: underApplications,
  answer_items: underApplications,
  files: underApplications,
  submissions: underApplications,
  autofill_runs: underApplications,
  projects: direct,
  match_calculations: underProjects,
  match_pages: (subject) => sql<SqlBool>`result_id in (
    select result_id from match_calculations where portal_id = ${subject.portal_id} and project_id in (${projectIds(subject)})
  )`,
  dismissed_matches: underProjects,
  found_matches: underProjects,
  matched_deals: underProjects,
  deals: direct,
  deal_timeline: underDeals,
  deal_disclosures: underDeals,
  deal_applications: direct,
  offers: (subject) => sql<SqlBool>`application_id in (${dealApplicationIds(subject)})`,
  events: eventsAbout,
  webhook_deliveries: (subject) => sql<SqlBool>`id in (${deliveryIds(subject)})`,
  webhook_attempts: (subject) => sql<SqlBool>`delivery_id in (${deliveryIds(subject)})`,
  // Actors, ids and names of fields: it is exported, and stays.
  audit_log: (subject) => sql<SqlBool>`resource_id in (${recordIds(subject)})`,
  erasures: direct,
  erased_files: direct,
  // Of other Portals: a recipient's notes on what it received are its own.
  received_deals: null,
  received_deal_applications: null,
  // Stored responses are sealed, repeat the records above, and go with them (stored-responses.ts); jobs hold ids only.
  idempotency_keys: null,
  jobs: null,
  // Entries of the audit log on their way into it.
  audit_notes: null,
  audit_heads: null,
  deployments: null,
  secret_key_holders: null,
  kept_times: null,
  portals: null,
  portal_settings: null,
  api_keys: null,
  lead_sources: null,
  contracts: null,
  recipients: null,
  recipient_invitations: null,
  funding_programs: null,
  funding_program_versions: null,
  funding_program_imports: null,
  deal_numbers: null,
  webhooks: null,
  webhook_positions: null,
  webhook_challenges: null,
  webhook_recoveries: null,
}

/** The tables that hold something of a business, in the order of this file. */
// safe because the keys of holdings are the tables
export const heldTables = (Object.keys(holdings) as TableName[]).filter((table) => holdings[table] !== null)

export async function countHeld(db: Connection, table: TableName, subject: Subject): Promise<number> {
  const condition = holdings[table]?.(subject) ?? sql<SqlBool>`1 = 0`
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where portal_id = ${subject.portal_id} and ${condition}
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** The rows of a table that are about a business, in the order of its primary key, a page at a time. */
export function heldRows(
  db: Connection | Tx,
  table: TableName,
  subject: Subject,
): AsyncGenerator<Record<string, unknown>[]> {
  const condition = holdings[table]?.(subject) ?? sql<SqlBool>`1 = 0`
  return boundedPages(db, table, page, sql`portal_id = ${subject.portal_id} and ${condition}`)
}

/** A file of the archive each. */
const page = { rows: 50, bytes: 10_000_000 }
