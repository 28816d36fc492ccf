import { mapPage } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { onWebhook } from '../endpoints/operations.ts'
import { beginRecovery, redeliver, requireDelivery, requireWebhook } from './commands.ts'
import { listAttempts, listDeliveries } from './queries.ts'
import { toAttempt, toDelivery, toRecovery } from './records.ts'
import { findRecovery } from './recovery-queries.ts'
import { Attempt, Delivery, deliveryFilters, RecoverInput, Recovery } from './schema.ts'

const resource = 'Deliveries'
const read = ['webhooks:read']
const write = ['webhooks:write']
const onDelivery = {
  ...onWebhook,
  delivery_id: idParameter('dlv', 'The id of the delivery.', {
    found_in: '/webhooks/{webhook_id}/deliveries/?event_type=webhook.disabled',
  }),
}
/** For examples: the webhook of the demo that has a history. */
const webhook_id = { found_in: '/webhooks/?state=paused' }
const withHistory = { webhook_id }
const failedDelivery = { webhook_id, delivery_id: { found_in: '/webhooks/{webhook_id}/deliveries/?state=failed' } }
const onRecovery = {
  ...onWebhook,
  recovery_id: idParameter('rcv', 'The id of the recovery.', {
    made_by: 'webhooks.recover',
    wait: { path: '/webhooks/{webhook_id}/recoveries/{recovery_id}/', states: ['completed'] },
  }),
}

/** `eventTypes` are those that are delivered. */
export const deliveryOperations = (eventTypes: readonly string[]): readonly Operation[] => [
  defineList({
    id: 'deliveries.list',
    path: '/webhooks/{webhook_id}/deliveries/',
    resource,
    summary: 'List the deliveries of a webhook',
    description:
      'What was sent to the endpoint, what will be, and what became of it, the newest first. Kept for 30 days.',
    grant: read,
    params: onWebhook,
    example_needs: withHistory,
    example_query: 'state=retrying&page_size=2',
    query: deliveryFilters(eventTypes),
    item: Delivery,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 50, maximum: 250 },
      backward: true,
    },
    async list(db, { caller, params, query }, page) {
      const webhook = await requireWebhook(db, caller, params.webhook_id)
      return mapPage(await listDeliveries(db, webhook, query, page), (row) => toDelivery(caller.context, row))
    },
  }),
  defineRead({
    id: 'deliveries.read',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/',
    resource,
    summary: 'Read a delivery',
    grant: read,
    params: onDelivery,
    example_needs: failedDelivery,
    response: Delivery,
    read: async (db, { caller, params }) => toDelivery(caller.context, await requireDelivery(db, caller, params)),
  }),
  defineList({
    id: 'deliveries.attempts',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/attempts/',
    resource,
    summary: 'List the attempts of a delivery',
    description: 'Each attempt with the response of the endpoint or the reason why there was none.',
    grant: read,
    params: onDelivery,
    example_needs: failedDelivery,
    item: Attempt,
    collection: {
      orders: ['started_at'],
      default_order: 'started_at',
      page_size: { default: 50, maximum: 250 },
      backward: true,
    },
    async list(db, { caller, params }, page) {
      const { id } = await requireDelivery(db, caller, params)
      return mapPage(await listAttempts(db, caller.portal_id, id, page), toAttempt)
    },
  }),
  defineWrite({
    id: 'deliveries.redeliver',
    method: 'POST',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver/',
    resource,
    summary: 'Send a delivery again',
    description: 'Queues the delivery once more, with the same message id, whatever became of it before.',
    grant: write,
    params: onDelivery,
    ifMatch: false,
    status: 202,
    response: Delivery,
    errors: ['webhook_not_active', 'state_conflict'],
    write: async (tx, { caller, params }) => toDelivery(caller.context, await redeliver(tx, caller, params)),
  }),
  defineWrite({
    id: 'webhooks.recover',
    method: 'POST',
    path: '/webhooks/{webhook_id}/recover/',
    resource,
    summary: 'Recover the deliveries of a period',
    description:
      'Queues the failed and skipped deliveries of a period once more, in the background. Read the recovery to see when everything is queued.',
    grant: write,
    rate: 'heavy',
    params: onWebhook,
    ifMatch: false,
    body: RecoverInput,
    example: { since: '2026-01-31T00:00:00.000Z' },
    status: 202,
    response: Recovery,
    errors: ['webhook_not_active'],
    write: async (tx, { caller, params, body }) =>
      toRecovery(caller.context, await beginRecovery(tx, caller, params.webhook_id, body)),
  }),
  defineRead({
    id: 'recoveries.read',
    path: '/webhooks/{webhook_id}/recoveries/{recovery_id}/',
    resource,
    summary: 'Read a recovery',
    grant: read,
    params: onRecovery,
    response: Recovery,
    async read(db, { caller, params }) {
      const row = await findRecovery(db, caller.portal_id, params.recovery_id)
      if (row?.webhook_id !== params.webhook_id) throw new ApiError('not_found')
      return toRecovery(caller.context, row)
    },
  }),
]
