// The tables of recipients, their programmes and the projects that are matched with them.
import type { Generated } from 'kysely'
import type { Json } from './json-column.ts'

export interface RecipientsTable {
  portal_id: string
  id: string
  version: number
  is_published: boolean
  name: string
  name_sort: string
  kind: string
  description: string | null
  website: string | null
  countries: Json<string[]>
  time_zone: string
  accepting_applications: boolean
  visibility: 'open' | 'invited'
  application_contract_id: string | null
  catalog_version: number
  told_version: Generated<number>
  told_program_id: Generated<string>
  telling_version: Generated<number>
  telling_program_id: Generated<string>
  telling_portal_id: Generated<string>
  telling_project_id: Generated<string>
  telling_turn: Generated<number>
  import_number: Generated<number>
  import_id: Generated<string>
  import_started_at: string | null
  import_version: Generated<number>
  import_created: Generated<number>
  import_updated: Generated<number>
  created_at: string
  updated_at: string
}

export interface RecipientInvitationsTable {
  portal_id: string
  invited_portal_id: string
  created_at: string
}

export interface FundingProgramsTable {
  portal_id: string
  id: string
  version: number
  recipient_id: string
  state: string
  state_changed_at: string
  external_reference: string | null
  name: string
  summary: string | null
  funding_type: string
  opens_on: string | null
  closes_on: string | null
  amount: Json<unknown> | null
  term_months: Json<unknown> | null
  rate: Json<unknown> | null
  fees: Json<unknown[]>
  time_to_fund_days: Json<unknown> | null
  required_documents: Json<unknown[]>
  eligibility: Json<unknown[]>
  catalog_version: number
  content_hash: string
  created_at: string
  updated_at: string
  from_import: Generated<number>
  until_import: Generated<number>
}

export interface FundingProgramImportsTable {
  portal_id: string
  import_id: string
  external_reference: string
  file_row: number
  state: string
}

export interface FundingProgramVersionsTable {
  portal_id: string
  program_id: string
  version: number
  content: Json<unknown>
  replaced_at: string
}

export interface ProjectsTable {
  portal_id: string
  id: string
  version: number
  business_id: string
  intake_application_id: string | null
  title: string
  description: string | null
  external_reference: string | null
  metadata: Json<Record<string, string>>
  criteria: Json<Record<string, unknown>>
  criteria_version: number
  criteria_updated_at: string
  calculation_id: string | null
  created_at: string
  updated_at: string
}

export interface MatchCalculationsTable {
  portal_id: string
  id: string
  version: number
  state: string
  state_changed_at: string
  project_id: string
  active_project_id: string | null
  criteria: Json<Record<string, unknown>>
  criteria_version: number
  recipients: Json<unknown[]> | null
  calculated_on: string | null
  changes_on: string | null
  counts: Json<unknown> | null
  most_useful_criteria: Json<unknown[]> | null
  error: Json<{ code: string; message: string } | null> | null
  result_id: string | null
  created_at: string
  updated_at: string
}

export interface MatchPagesTable {
  portal_id: string
  result_id: string
  list: string
  first_key: string
  content: string
}

export interface DismissedMatchesTable {
  portal_id: string
  project_id: string
  program_id: string
  dismissed_at: string
}

export interface FoundMatchesTable {
  portal_id: string
  project_id: string
  program_id: string
  found_at: string
}
