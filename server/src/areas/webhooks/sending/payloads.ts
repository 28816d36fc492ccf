// What is sent to an endpoint: an event as the API shows it, or a message of the same form to one endpoint alone.
import type { Event } from '../../../platform/background/events.ts'
import { apiUrl, type Context } from '../../../platform/context.ts'
import type { WebhookRow } from '../endpoints/queries.ts'
import { webhookPath } from '../endpoints/records.ts'

/** A message that is no event of the Portal: it concerns one endpoint, and has no number. */
export function messageTo(
  { config }: Context,
  { portal_id, id: webhookId, version, state }: WebhookRow,
  {
    id,
    type,
    at,
    challenge,
  }: { id: string; type: 'webhook.ping' | 'webhook.verification'; at: string; challenge?: string },
): Omit<Event, 'sequence'> & { sequence: null } {
  const resource = { type: 'webhook', id: webhookId, url: apiUrl(config, webhookPath(webhookId)), version }
  return {
    id,
    type,
    timestamp: at,
    api_version: 'v1',
    portal_id,
    environment: config.environment,
    sequence: null,
    data: { resource, state, ...(challenge !== undefined && { challenge }) },
  }
}
