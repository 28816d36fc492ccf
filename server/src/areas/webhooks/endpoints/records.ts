import { apiUrl, type Context } from '../../../platform/context.ts'
import { etagOf, type IfMatch, requireVersion } from '../../../platform/protocol/etag.ts'
import type { WebhookRow } from './queries.ts'
import type { Webhook } from './schema.ts'
import { webhookStates } from './states.ts'

export function webhookPath(id: string): string {
  return `/webhooks/${id}/`
}

export function toWebhook(context: Context, row: WebhookRow): Webhook {
  return {
    id: row.id,
    self_url: apiUrl(context.config, webhookPath(row.id)),
    url: row.url,
    etag: webhookEtag(context, row),
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
      previous_expires_at: previousExpiresAt(context, row),
    },
    verified_at: row.verified_at,
    failing_since: row.failing_since,
  }
}

/**
 * The tag of the version, and what moves by itself but is seen in the record: whether the endpoint fails, and until when
 * an old secret signs. A copy is known to be old by the whole tag; for a write only the version counts.
 */
function webhookEtag(context: Context, row: WebhookRow): string {
  const times = [row.failing_since, previousExpiresAt(context, row)].map((time) => (time ? Date.parse(time) : 0))
  if (times.every((time) => time === 0)) return etagOf(row)
  return `${etagOf(row).slice(0, -1)}.${times.map((time) => time.toString(36)).join('.')}"`
}

/** Refuses a write that is based on another version than the present one. */
export function requireSeen(ifMatch: IfMatch | null, row: WebhookRow): void {
  const versions = ifMatch?.map(({ tag, isWeak }) => ({ tag: recordTag(tag), isWeak }))
  requireVersion(versions ?? null, etagOf(row))
}

/** Without the times behind the version, which move by themselves: `"3.lz0.0"` is `"3"`. */
export function recordTag(tag: string): string {
  const end = tag.indexOf('.')
  return end === -1 ? tag : `${tag.slice(0, end)}"`
}

/** Until when the previous secret signs too; null when it no longer does. */
function previousExpiresAt({ clock }: Context, { previous_expires_at }: WebhookRow): string | null {
  return previous_expires_at !== null && Date.parse(previous_expires_at) > clock.now() ? previous_expires_at : null
}
