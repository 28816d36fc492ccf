import { mapPage } from '../../../platform/database/paging.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { requireWebhook, testWebhook } from '../deliveries/commands.ts'
import { toDelivery } from '../deliveries/records.ts'
import { Delivery } from '../deliveries/schema.ts'
import { outboundOf } from '../outbound.ts'
import {
  changeWebhook,
  completeVerification,
  createWebhook,
  pauseWebhook,
  removeWebhook,
  renewChallenge,
  rotateSecret,
  verificationFailed,
} from './commands.ts'
import { listWebhooks } from './queries.ts'
import { toWebhook } from './records.ts'
import {
  DeletedWebhook,
  RotateInput,
  VerifyInput,
  Webhook,
  WebhookChange,
  WebhookInput,
  WebhookWithSecret,
  webhookFilters,
} from './schema.ts'
import { sendChallenge } from './verification.ts'

const resource = 'Webhooks'
const read = ['webhooks:read']
const write = ['webhooks:write']
export const onWebhook = {
  webhook_id: idParameter('whk', 'The id of the webhook.', { found_in: '/webhooks/?state=active' }),
}

/** The types that can be asked for are handed in: areas publish events, and webhooks know none of them. */
export function webhookOperations(knownTypes: ReadonlySet<string>): readonly Operation[] {
  return [
    defineWrite({
      id: 'webhooks.create',
      method: 'POST',
      path: '/webhooks/',
      resource,
      summary: 'Create a webhook',
      description:
        'Creates a webhook and sends a challenge to its URL at once. The receiver must echo the challenge before it gets events. The response contains the secret that deliveries are signed with; it is shown only here and when it is rotated.',
      grant: write,
      rate: 'heavy',
      ifMatch: false,
      body: WebhookInput,
      example: { url: 'https://hooks.example.com/portico', event_types: ['*'], description: 'CRM production' },
      status: 201,
      response: WebhookWithSecret,
      errors: ['webhook_url_not_allowed', 'limit_reached'],
      async write(tx, { caller, body }) {
        const { webhook, secret } = await createWebhook(tx, caller, body, knownTypes)
        return { ...toWebhook(caller.context, webhook), secret }
      },
    }),
    defineList({
      id: 'webhooks.list',
      path: '/webhooks/',
      resource,
      summary: 'List webhooks',
      grant: read,
      query: webhookFilters,
      item: Webhook,
      collection: {
        orders: ['created_at'],
        default_order: '-created_at',
        page_size: { default: 25, maximum: 100 },
        backward: true,
      },
      list: async (db, { caller, query }, page) =>
        mapPage(await listWebhooks(db, caller.portal_id, query, page), (row) => toWebhook(caller.context, row)),
    }),
    defineRead({
      id: 'webhooks.read',
      path: '/webhooks/{webhook_id}/',
      resource,
      summary: 'Read a webhook',
      grant: read,
      params: onWebhook,
      response: Webhook,
      read: async (db, { caller, params }) =>
        toWebhook(caller.context, await requireWebhook(db, caller, params.webhook_id)),
    }),
    defineWrite({
      id: 'webhooks.change',
      method: 'PATCH',
      path: '/webhooks/{webhook_id}/',
      resource,
      summary: 'Change a webhook',
      description:
        'Changes the URL, the event types or the description. A new URL must be verified; until then the old URL keeps receiving events.',
      grant: write,
      params: onWebhook,
      ifMatch: true,
      body: WebhookChange,
      example: { event_types: ['webhook.disabled', 'match_calculation.failed'] },
      status: 200,
      response: Webhook,
      errors: ['webhook_url_not_allowed'],
      write: async (tx, { caller, params, ifMatch, body }) =>
        toWebhook(caller.context, await changeWebhook(tx, caller, { ...params, ifMatch }, body, knownTypes)),
    }),
    defineWrite({
      id: 'webhooks.delete',
      method: 'DELETE',
      path: '/webhooks/{webhook_id}/',
      resource,
      summary: 'Delete a webhook',
      description: 'Deletes a webhook. Deliveries that are not sent yet are cancelled. This cannot be undone.',
      grant: write,
      params: onWebhook,
      example_needs: { webhook_id: { made_by: 'webhooks.create' } },
      ifMatch: true,
      status: 200,
      response: DeletedWebhook,
      async write(tx, { caller, params, ifMatch }) {
        await removeWebhook(tx, caller, { ...params, ifMatch })
        return { id: params.webhook_id, is_deleted: true } as const
      },
    }),
    defineWrite({
      id: 'webhooks.verify',
      method: 'POST',
      path: '/webhooks/{webhook_id}/verify/',
      resource,
      summary: 'Verify a webhook',
      description:
        'Sends a new challenge to the URL and waits up to 15 seconds for the receiver to echo it. Or send the `challenge` that the receiver has logged.',
      grant: write,
      rate: 'heavy',
      params: onWebhook,
      ifMatch: false,
      body: VerifyInput,
      example: { challenge: 'Qm9zNXZ0d2g4c3JhbmRvbS1leGFtcGxl' },
      status: 200,
      response: Webhook,
      errors: ['webhook_verification_failed', 'state_conflict'],
      async prepare(_db, { caller, params, body }) {
        if (body?.challenge !== undefined) return body.challenge
        const { database } = caller.context
        const webhook = await inTransaction(database, (tx) => renewChallenge(tx, caller, params.webhook_id))
        const handshake = await sendChallenge(caller, await outboundOf(caller.context), webhook)
        if (handshake?.isEchoed) return handshake.challenge
        const { response_status = null, error_code = null, error_message = null } = handshake?.sent ?? {}
        throw verificationFailed(error_message ?? 'The endpoint responded, but not with the challenge.', {
          response_status,
          error_code,
        })
      },
      write: async (tx, { caller, params }, challenge) =>
        toWebhook(caller.context, await completeVerification(tx, caller, params.webhook_id, String(challenge))),
    }),
    pause(
      'pause',
      'Pause a webhook',
      'Stops deliveries. Events that happen meanwhile are kept as `skipped` deliveries.',
    ),
    pause(
      'resume',
      'Resume a webhook',
      'Starts deliveries again. To get what was skipped meanwhile, POST to recover/ afterwards.',
    ),
    defineWrite({
      id: 'webhooks.rotate_secret',
      method: 'POST',
      path: '/webhooks/{webhook_id}/rotate-secret/',
      resource,
      summary: 'Rotate the secret of a webhook',
      description:
        'Makes a new secret. Deliveries are signed with both secrets until the overlap ends, and still with older secrets whose overlap has not ended, up to five earlier secrets in all. `overlap_seconds: 0` ends all earlier secrets at once. The new secret is shown only in this response.',
      grant: write,
      params: onWebhook,
      ifMatch: true,
      body: RotateInput,
      example: { overlap_seconds: 3600 },
      status: 200,
      response: WebhookWithSecret,
      async write(tx, { caller, params, ifMatch, body }) {
        const overlap = body?.overlap_seconds ?? defaultOverlapSeconds
        const { webhook, secret } = await rotateSecret(tx, caller, { ...params, ifMatch }, overlap)
        return { ...toWebhook(caller.context, webhook), secret }
      },
    }),
    defineWrite({
      id: 'webhooks.test',
      method: 'POST',
      path: '/webhooks/{webhook_id}/test/',
      resource,
      summary: 'Send a test to a webhook',
      description:
        'Sends a `webhook.ping` to the endpoint and returns its delivery. Read the delivery to see the result.',
      grant: write,
      rate: 'heavy',
      params: onWebhook,
      ifMatch: false,
      status: 202,
      response: Delivery,
      errors: ['webhook_not_active'],
      write: async (tx, { caller, params }) =>
        toDelivery(caller.context, await testWebhook(tx, caller, params.webhook_id)),
    }),
  ]
}

const defaultOverlapSeconds = 86_400

function pause(action: 'pause' | 'resume', summary: string, description: string): Operation {
  return defineWrite({
    id: `webhooks.${action}`,
    method: 'POST',
    path: `/webhooks/{webhook_id}/${action}/`,
    resource,
    summary,
    description,
    grant: write,
    params: onWebhook,
    // The one that the example before has paused.
    ...(action === 'resume' && { example_needs: { webhook_id: { found_in: '/webhooks/?state=paused' } } }),
    ifMatch: true,
    status: 200,
    response: Webhook,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch }) =>
      toWebhook(caller.context, await pauseWebhook(tx, caller, { ...params, ifMatch }, action)),
  })
}
