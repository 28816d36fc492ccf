// The tables of webhooks and their deliveries.
import type { Json } from './json-column.ts'

export interface WebhooksTable {
  portal_id: string
  id: string
  version: number
  state: string
  state_reason: string | null
  state_changed_at: string
  url: string
  pending_url: string | null
  event_types: Json<string[]>
  description: string | null
  sealed_secret: string
  secret_last4: string
  sealed_previous_secret: string | null
  previous_expires_at: string | null
  older_secrets: Json<{ sealed: string; expires_at: string }[]>
  sealed_challenge: string | null
  challenged_at: string | null
  verified_at: string | null
  failing_since: string | null
  created_at: string
  updated_at: string
}

export interface WebhookPositionsTable {
  portal_id: string
  sequence: number
}

export interface WebhookDeliveriesTable {
  portal_id: string
  id: string
  webhook_id: string
  event_id: string | null
  event_type: string
  state: string
  state_changed_at: string
  attempts: number
  scheduled_attempts: number
  trigger: string
  last_response_status: number | null
  last_error_code: string | null
  next_attempt_at: string | null
  lease: string | null
  created_at: string
  updated_at: string
}

export interface WebhookAttemptsTable {
  portal_id: string
  delivery_id: string
  id: string
  number: number
  trigger: string
  started_at: string
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error_code: string | null
  error_message: string | null
}

export interface WebhookRecoveriesTable {
  portal_id: string
  id: string
  version: number
  webhook_id: string
  state: string
  state_changed_at: string
  since: string
  until: string
  states: Json<string[]>
  position_at: string
  position_id: string
  requeued: number
  created_at: string
  updated_at: string
}

export interface WebhookChallengesTable {
  portal_id: string
  /** Empty for all hosts of a Portal. */
  host: string
  began_at: string
  sent: number
}
