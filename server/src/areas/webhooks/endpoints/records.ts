import type { Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { WebhookRow } from './queries.ts'
import type { Webhook } from './schema.ts'
import { webhookStates } from './states.ts'

export function webhookPath(id: string): string {
  return `/webhooks/${id}/`
}

export function toWebhook({ clock }: Context, row: WebhookRow): Webhook {
  const { previous_expires_at } = row
  const isOverlapping = previous_expires_at !== null && Date.parse(previous_expires_at) > clock.now()
  return {
    id: row.id,
    url: row.url,
    etag: etagOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_reason: row.state_reason,
    state_changed_at: row.state_changed_at,
    available_actions: [...webhookStates.availableActions(row.state, 'owner')],
    pending_url: row.pending_url,
    event_types: row.event_types,
    description: row.description,
    signing: {
      scheme: 'v1',
      secret_last4: row.secret_last4,
      previous_expires_at: isOverlapping ? previous_expires_at : null,
    },
    verified_at: row.verified_at,
    failing_since: row.failing_since,
  }
}
