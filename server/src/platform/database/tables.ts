// The tables of the schema as both engines hand them back: times as ISO strings, JSON parsed, integers as numbers.
import type { Generated } from 'kysely'
import type { AuditHeadsTable, AuditLogTable, AuditNotesTable } from './audit-tables.ts'
import type { BusinessesTable, BusinessWordsTable, LeadSourcesTable } from './business-tables.ts'
import type {
  DealApplicationsTable,
  DealDisclosuresTable,
  DealNumbersTable,
  DealsTable,
  DealTimelineTable,
  MatchedDealsTable,
  OffersTable,
  ReceivedDealApplicationsTable,
  ReceivedDealsTable,
} from './deal-tables.ts'
import type { ErasedFilesTable, ErasuresTable } from './erasure-tables.ts'
import type {
  DismissedMatchesTable,
  FoundMatchesTable,
  FundingProgramImportsTable,
  FundingProgramsTable,
  FundingProgramVersionsTable,
  MatchCalculationsTable,
  MatchPagesTable,
  ProjectsTable,
  RecipientInvitationsTable,
  RecipientsTable,
} from './funding-tables.ts'
import type { Json } from './json-column.ts'
import type {
  AnswerItemsTable,
  AnswersTable,
  AutofillRunsTable,
  ClientIntakeApplicationsTable,
  ContractsTable,
  FilesTable,
  SubmissionsTable,
} from './questionnaire-tables.ts'
import type {
  WebhookAttemptsTable,
  WebhookChallengesTable,
  WebhookDeliveriesTable,
  WebhookPositionsTable,
  WebhookRecoveriesTable,
  WebhooksTable,
} from './webhook-tables.ts'

export interface Tables {
  deployments: DeploymentsTable
  secret_key_holders: SecretKeyHoldersTable
  kept_times: KeptTimesTable
  portals: PortalsTable
  portal_settings: PortalSettingsTable
  api_keys: ApiKeysTable
  idempotency_keys: IdempotencyKeysTable
  events: EventsTable
  jobs: JobsTable
  audit_log: AuditLogTable
  audit_heads: AuditHeadsTable
  audit_notes: AuditNotesTable
  lead_sources: LeadSourcesTable
  businesses: BusinessesTable
  business_words: BusinessWordsTable
  contracts: ContractsTable
  client_intake_applications: ClientIntakeApplicationsTable
  answers: AnswersTable
  answer_items: AnswerItemsTable
  files: FilesTable
  submissions: SubmissionsTable
  autofill_runs: AutofillRunsTable
  recipients: RecipientsTable
  recipient_invitations: RecipientInvitationsTable
  funding_programs: FundingProgramsTable
  funding_program_versions: FundingProgramVersionsTable
  funding_program_imports: FundingProgramImportsTable
  projects: ProjectsTable
  match_calculations: MatchCalculationsTable
  match_pages: MatchPagesTable
  dismissed_matches: DismissedMatchesTable
  found_matches: FoundMatchesTable
  matched_deals: MatchedDealsTable
  deals: DealsTable
  received_deals: ReceivedDealsTable
  deal_numbers: DealNumbersTable
  deal_timeline: DealTimelineTable
  deal_disclosures: DealDisclosuresTable
  deal_applications: DealApplicationsTable
  received_deal_applications: ReceivedDealApplicationsTable
  offers: OffersTable
  webhooks: WebhooksTable
  webhook_positions: WebhookPositionsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_attempts: WebhookAttemptsTable
  webhook_challenges: WebhookChallengesTable
  webhook_recoveries: WebhookRecoveriesTable
  erasures: ErasuresTable
  erased_files: ErasedFilesTable
}

/** Every table with the columns of its primary key, those others refer to first. */
export const primaryKeys = {
  deployments: ['portal_id'],
  secret_key_holders: ['portal_id', 'process'],
  kept_times: ['portal_id'],
  portals: ['portal_id'],
  portal_settings: ['portal_id', 'name'],
  api_keys: ['portal_id', 'id'],
  idempotency_keys: ['portal_id', 'key'],
  events: ['portal_id', 'id'],
  jobs: ['portal_id', 'id'],
  audit_log: ['portal_id', 'sequence'],
  audit_heads: ['portal_id'],
  audit_notes: ['portal_id', 'id'],
  lead_sources: ['portal_id', 'id'],
  businesses: ['portal_id', 'id'],
  business_words: ['portal_id', 'word', 'business_id'],
  contracts: ['portal_id', 'id'],
  client_intake_applications: ['portal_id', 'id'],
  answers: ['portal_id', 'application_id', 'question_key'],
  answer_items: ['portal_id', 'application_id', 'id'],
  files: ['portal_id', 'id'],
  submissions: ['portal_id', 'application_id', 'number'],
  autofill_runs: ['portal_id', 'id'],
  recipients: ['portal_id', 'id'],
  recipient_invitations: ['portal_id', 'invited_portal_id'],
  funding_programs: ['portal_id', 'id', 'from_import'],
  funding_program_versions: ['portal_id', 'program_id', 'version'],
  funding_program_imports: ['portal_id', 'import_id', 'external_reference'],
  projects: ['portal_id', 'id'],
  match_calculations: ['portal_id', 'id'],
  match_pages: ['portal_id', 'result_id', 'list', 'first_key'],
  dismissed_matches: ['portal_id', 'project_id', 'program_id'],
  found_matches: ['portal_id', 'project_id', 'program_id'],
  matched_deals: ['portal_id', 'project_id', 'program_id'],
  deals: ['portal_id', 'id'],
  received_deals: ['portal_id', 'id'],
  deal_numbers: ['portal_id'],
  deal_timeline: ['portal_id', 'deal_id', 'id'],
  deal_disclosures: ['portal_id', 'deal_id', 'id'],
  deal_applications: ['portal_id', 'id'],
  received_deal_applications: ['portal_id', 'id'],
  offers: ['portal_id', 'id'],
  webhooks: ['portal_id', 'id'],
  webhook_positions: ['portal_id'],
  webhook_deliveries: ['portal_id', 'id'],
  webhook_attempts: ['portal_id', 'delivery_id', 'id'],
  webhook_challenges: ['portal_id', 'host'],
  webhook_recoveries: ['portal_id', 'id'],
  erasures: ['portal_id', 'id'],
  erased_files: ['portal_id', 'business_id', 'id'],
} as const satisfies Record<keyof Tables, readonly string[]>

interface DeploymentsTable {
  portal_id: string
  environment: string
  /** The key that seals. */
  key_check: string
  /** Null as long as the deployment has its first key. */
  sealed_hash_keys: string | null
  key_changed_at: string | null
  created_at: string
}

interface SecretKeyHoldersTable {
  portal_id: string
  /** The host and the number of a process, and something that no other process has. */
  process: string
  /** The checks of the keys it has. */
  keys: Json<string[]>
  seen_at: string
}

interface KeptTimesTable {
  portal_id: string
  kept_at: string
  judged_at: string
  expiry_at: string
  difference_ms: number | null
  acceptances: number
}

interface PortalsTable {
  portal_id: string
  name: string
  state: 'active' | 'suspended'
  last_sequence: Generated<number>
  /** The latest time of an event that has a number. */
  last_event_at: string | null
  /** By how much a later number had an earlier time, at most. */
  event_disorder_ms: Generated<number>
  created_at: string
}

interface PortalSettingsTable {
  portal_id: string
  name: string
  /** JSON text, parsed by whoever reads the setting: a bare number or string then survives on both engines. */
  value: string
  updated_at: string
}

interface ApiKeysTable {
  portal_id: string
  id: string
  name: string
  hash: string
  last4: string
  grants: Json<string[]>
  rate_limits: Json<Partial<Record<'read' | 'write' | 'heavy', { quota: number; window_seconds: number }>>>
  created_at: string
  expires_at: string | null
  /** The end of the overlap, once a successor has been made. */
  replaced_until: string | null
  revoked_at: string | null
  last_used_at: string | null
}

interface IdempotencyKeysTable {
  portal_id: string
  key: string
  method: string
  path: string
  query: string
  if_match: string
  body_hash: string
  request_id: string
  status: number
  headers: Json<Record<string, string>>
  sealed_body: string
  created_at: string
  expires_at: string
}

interface EventsTable {
  portal_id: string
  id: string
  sequence: number | null
  type: string
  resource_type: string
  resource_id: string
  resource_path: string
  resource_version: number
  state: string | null
  previous_state: string | null
  changes: Json<string[]>
  request_id: string | null
  /** `<kind>:<id>`, as the Portal may know it; null for what a release before 0020 wrote. */
  actor: Generated<string | null>
  created_at: string
  /** On PostgreSQL, a number that every insert takes. */
  inserted: Generated<number | null>
}

interface JobsTable {
  portal_id: string
  id: string
  kind: string
  unique_key: string | null
  payload: Json<Record<string, unknown>>
  run_at: string
  attempts: Generated<number>
  lease: string | null
  last_error: string | null
  dead_at: string | null
  created_at: string
}
