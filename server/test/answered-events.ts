import type { Context } from '../src/platform/context.ts'
import { newId } from '../src/platform/values/ids.ts'
import { eventsOf } from './deal-fixtures.ts'
import { activeWebhook } from './fixtures.ts'
import type { TestPortal } from './harness.ts'

/** A response of an endpoint to an event about this record, as it is kept with the attempt. */
export async function answerEvents(
  context: Context,
  portal: TestPortal,
  recordId: string,
  response_body: string,
  count = 1,
): Promise<void> {
  const webhook = await activeWebhook(portal)
  const [event] = await eventsOf(portal, { id: recordId })
  const now = new Date().toISOString()
  const base = { portal_id: portal.id, created_at: now, updated_at: now }
  await context.database.transaction(async (tx) => {
    const delivery = {
      ...base,
      ...{ id: `dlv_${event.id.slice(4)}`, webhook_id: webhook.id, event_id: event.id, event_type: event.type },
      ...{ state: 'succeeded', state_changed_at: now, attempts: 1, scheduled_attempts: 1, trigger: 'event' },
      ...{ last_response_status: 200, last_error_code: null, next_attempt_at: null, lease: null },
    }
    await tx.insertInto('webhook_deliveries').values(delivery).execute()
    const attempt = {
      ...{ portal_id: portal.id, delivery_id: delivery.id, trigger: 'event' },
      ...{
        started_at: now,
        duration_ms: 5,
        response_status: 200,
        response_body,
        error_code: null,
        error_message: null,
      },
    }
    const attempts = Array.from({ length: count }, (_, index) => ({ ...attempt, id: newId('att'), number: index + 1 }))
    await tx.insertInto('webhook_attempts').values(attempts).execute()
  })
}
