import { apiUrl, type Context } from '../../../platform/context.ts'
import { etagOf, etagOfText } from '../../../platform/protocol/etag.ts'
import type { AttemptRow, DeliveryRow } from './queries.ts'
import type { RecoveryRow } from './recovery-queries.ts'
import type { Attempt, Delivery, Recovery } from './schema.ts'
import { deliveryStates } from './states.ts'

export function toDelivery({ config }: Context, row: DeliveryRow): Delivery {
  const url = apiUrl(config, `/webhooks/${row.webhook_id}/deliveries/${row.id}/`)
  return {
    id: row.id,
    url,
    etag: etagOfText(`${row.id} ${row.state} ${row.attempts} ${row.next_attempt_at} ${row.updated_at}`),
    created_at: row.created_at,
    updated_at: row.updated_at,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.event_type,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: [...deliveryStates.availableActions(row.state, 'owner')],
    // safe because only these are ever stored
    trigger: row.trigger as Delivery['trigger'],
    attempt_count: row.attempts,
    last_response_status: row.last_response_status,
    last_error_code: row.last_error_code as Delivery['last_error_code'],
    next_attempt_at: row.next_attempt_at,
    attempts_url: `${url}attempts/`,
  }
}

export function toAttempt({ portal_id: _, delivery_id: __, trigger, error_code, ...attempt }: AttemptRow): Attempt {
  // safe because only these are ever stored
  const [made, failed] = [trigger as Attempt['trigger'], error_code as Attempt['error_code']]
  return { ...attempt, trigger: made, error_code: failed }
}

export function toRecovery({ config }: Context, row: RecoveryRow): Recovery {
  return {
    id: row.id,
    url: apiUrl(config, `/webhooks/${row.webhook_id}/recoveries/${row.id}/`),
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    webhook_id: row.webhook_id,
    // safe because only these are ever stored
    state: row.state as Recovery['state'],
    state_changed_at: row.state_changed_at,
    available_actions: [],
    since: row.since,
    until: row.until,
    states: row.states,
    requeued_count: row.requeued,
  }
}
