// The tables of deals, their applications and offers.
import type { Json } from './json-column.ts'

interface Money {
  amount: string
  currency: string
}

interface Stage {
  key: string
  label: string
  category: string
}

export interface DealsTable {
  portal_id: string
  id: string
  version: number
  state: string
  state_changed_at: string
  number: number
  recipient_portal_id: string
  recipient_name: string
  recipient_kind: string
  sender_name: string
  business_id: string
  project_id: string | null
  match_id: string | null
  program_id: string | null
  title: string
  amount_requested: Json<Money> | null
  amount_approved: Json<Money> | null
  amount_funded: Json<Money> | null
  stage_key: string
  stage_label: string
  stage_category: string
  stage_before_end: Json<Stage> | null
  reached: Json<Record<string, string>>
  outcome: Json<{ kind: string; reason_code: string | null; note: string | null; at: string }> | null
  expected_close_on: string | null
  shared_business: Json<Record<string, unknown>>
  application_ids: Json<string[]>
  submitted_application_id: string | null
  tags: Json<string[]>
  metadata: Json<Record<string, string>>
  external_reference: string | null
  assignee: string | null
  /** When the sender erased the business: from then on the deal is kept for its recipient alone. */
  erased_at: string | null
  created_at: string
  updated_at: string
}

export interface ReceivedDealsTable {
  portal_id: string
  id: string
  version: number
  sender_portal_id: string
  number: number
  state: string
  stage_key: string
  business_id: string
  application_ids: Json<string[]>
  tags: Json<string[]>
  metadata: Json<Record<string, string>>
  external_reference: string | null
  assignee: string | null
  created_at: string
  updated_at: string
}

export interface DealNumbersTable {
  portal_id: string
  last_number: number
}

export interface DealTimelineTable {
  portal_id: string
  deal_id: string
  id: string
  at: string
  kind: string
  actor_portal_id: string | null
  actor_key_id: string | null
  from_value: string | null
  to_value: string | null
  note: string | null
  is_shared: boolean
}

export interface DealDisclosuresTable {
  portal_id: string
  deal_id: string
  id: string
  at: string
  recipient_portal_id: string
  application_id: string | null
  submission_number: number | null
  facts: Json<string[]>
  question_keys: Json<string[]>
  file_ids: Json<string[]>
}

export interface MatchedDealsTable {
  portal_id: string
  project_id: string
  program_id: string
  deal_id: string
}

export interface DealApplicationsTable {
  portal_id: string
  id: string
  version: number
  state: string
  state_changed_at: string
  deal_id: string
  active_deal_id: string | null
  recipient_portal_id: string
  recipient_name: string
  recipient_kind: string
  sender_name: string
  business_id: string
  program_id: string | null
  contract_id: string
  contract_portal_id: string
  contract_version: number
  attempt: number
  first_submitted_at: string | null
  submission: Json<{ number: number; submitted_at: string; sha256: string }> | null
  acknowledgement: Json<{ reference: string | null; at: string }> | null
  information_request: Json<{
    id: string
    message: string
    question_keys: string[]
    due_on: string | null
    at: string
  }> | null
  returned: Json<{ message: string; question_keys: string[]; at: string }> | null
  open_question_keys: Json<string[]> | null
  decision: Json<{ reason_codes: string[]; note: string | null; at: string }> | null
  funding: Json<{ amount: Money; funded_on: string; at: string }> | null
  override: Json<{ application_ids: string[]; key_id: string | null; at: string }> | null
  active_offer: Json<{ id: string; kind: string }> | null
  expiry_days: number
  expires_at: string | null
  offer_expires_at: string | null
  /** As that of its deal. */
  erased_at: string | null
  created_at: string
  updated_at: string
}

export interface ReceivedDealApplicationsTable {
  portal_id: string
  id: string
  version: number
  sender_portal_id: string
  deal_id: string
  state: string
  created_at: string
  updated_at: string
}

export interface OffersTable {
  portal_id: string
  id: string
  version: number
  application_id: string
  state: string
  state_changed_at: string
  kind: string
  amount: Json<Money>
  term_months: number | null
  rate: Json<{ kind: string; value: number; apr: number | null }> | null
  fees: Json<{ name: string; amount: Money | null; percent: number | null }[]>
  repayment: Json<{ frequency: string; amount: Money | null; total: Money | null }> | null
  conditions: Json<string[]>
  valid_until: string | null
  expires_at: string | null
  created_at: string
  updated_at: string
}
