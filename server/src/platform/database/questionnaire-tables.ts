// The tables of contracts, client intake and what stands under every application.
import type { Json } from './json-column.ts'

export interface ContractsTable {
  portal_id: string
  id: string
  kind: string
  key: string
  version: number
  title: string
  locale: string
  sections: Json<unknown[]>
  questions: Json<unknown[]>
  option_sets: Json<Record<string, unknown>>
  created_at: string
}

export interface ClientIntakeApplicationsTable {
  portal_id: string
  id: string
  version: number
  state: string
  state_changed_at: string
  business_id: string
  contract_id: string
  contract_version: number
  title: string
  external_reference: string | null
  metadata: Json<Record<string, string>>
  attempt: number
  submission: Json<{ number: number; submitted_at: string; sha256: string } | null> | null
  returned: Json<{ message: string; question_keys: string[] } | null> | null
  decision: Json<{ message: string | null; decided_at: string } | null> | null
  project_ids: Json<string[]>
  /** As the Portal had it when the application began. */
  expiry_days: number
  expires_at: string | null
  created_at: string
  updated_at: string
}

export interface AnswersTable {
  portal_id: string
  application_id: string
  question_key: string
  value: string
  is_sealed: boolean
  state: 'answered' | 'declined'
  source: 'api' | 'console' | 'autofill'
  source_detail: Json<{ kind: string; reference: string | null; confidence: number } | null> | null
  confirmed: boolean
  updated_at: string
}

export interface AnswerItemsTable {
  portal_id: string
  application_id: string
  id: string
  group_key: string
  position: number
  content: string
  is_sealed: boolean
  created_at: string
  updated_at: string
}

export interface FilesTable {
  portal_id: string
  id: string
  application_id: string
  question_key: string
  item_id: string | null
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
  /** `removed`: taken out of the application, kept for the submission it was part of. */
  state: 'awaiting_upload' | 'scanning' | 'available' | 'rejected' | 'expired' | 'removed'
  rejection: Json<{ code: string; message: string } | null> | null
  is_submitted: boolean
  created_at: string
  updated_at: string
}

export interface SubmissionsTable {
  portal_id: string
  application_id: string
  number: number
  sha256: string
  sealed_content: string
  submitted_at: string
}

export interface AutofillRunsTable {
  portal_id: string
  id: string
  application_id: string
  version: number
  state: string
  state_changed_at: string
  mode: 'fill_empty' | 'suggest_only' | 'overwrite_unconfirmed'
  sources: Json<string[]>
  sealed_outcome: string | null
  error: Json<{ code: string; message: string } | null> | null
  created_at: string
  updated_at: string
}
