import { type Static, Type } from 'typebox'
import { createdFilters, described, Id, Nullable, Time, Url, Words } from '../../../platform/values/fields.ts'
import { webhookStates } from './states.ts'

const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'The URL that receives events. It must start with https:// (in staging, http:// is accepted too), and its host must be on the public Internet. It must not contain credentials or a fragment.',
  examples: ['https://hooks.example.com/portico'],
})
const event_types = Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['deal.won'] }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    'The event types to receive, or `["*"]` for all of them, those of later versions included. GET /webhook-event-types/ lists the types.',
  examples: [['*']],
})
const description = Nullable(Words(200, 'CRM production', 'What the webhook is for.'))

export const WebhookInput = Type.Object(
  { url, event_types, description: Type.Optional(description) },
  { title: 'WebhookInput', additionalProperties: false },
)
export type WebhookInput = Static<typeof WebhookInput>

export const WebhookChange = Type.Partial(Type.Object({ url, event_types, description }), {
  title: 'WebhookChange',
  additionalProperties: false,
  minProperties: 1,
  description:
    'The fields to change. A new URL must be verified; until then the old URL keeps receiving events. A field that is not sent keeps its value.',
})
export type WebhookChange = Static<typeof WebhookChange>

export const Webhook = Type.Object(
  {
    id: Id('whk', 'The id of this webhook.'),
    self_url: Url('The URL of this webhook in the API. In this record, `url` is where events are sent.'),
    etag: Type.String({
      description: 'The ETag of this version, including the quotes. Send it in `If-Match` to change the webhook.',
      examples: ['"qLdHkq5mUr1w3ZbB0VdQ2g"'],
    }),
    created_at: Time('When the webhook was created.'),
    updated_at: Time('When the webhook last changed.'),
    state: Type.Enum(webhookStates.states, {
      description: 'Only an `active` webhook receives events.',
    }),
    state_reason: Nullable(
      Type.String({
        description: 'Why the webhook is in its state, such as why it was disabled. Null when there is nothing to say.',
        examples: ['Every delivery has failed for 5 days.'],
      }),
    ),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(webhookStates.actions), {
      description: 'The actions that are allowed in the current state.',
    }),
    url,
    pending_url: Nullable(
      Type.String({ description: 'A new URL that is not verified yet. Null when there is none.', format: 'uri' }),
    ),
    event_types,
    description,
    signing: Type.Object(
      {
        scheme: Type.Literal('v1', { description: 'The signature scheme of Standard Webhooks.' }),
        secret_last4: Type.String({ description: 'The last four characters of the secret.', examples: ['9fQ='] }),
        previous_expires_at: Nullable(
          Time('Until when deliveries are also signed with the previous secret. Null when there is none.'),
        ),
      },
      { description: 'How deliveries are signed.' },
    ),
    verified_at: Nullable(Time('When the URL was last verified. Null when it never was.')),
    failing_since: Nullable(Time('When the first delivery failed since the last success. Null when none did.')),
  },
  { title: 'Webhook' },
)
export type Webhook = Static<typeof Webhook>

const secret = Type.String({
  description: 'The secret that deliveries are signed with. It is shown here only; store it now.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})
export const WebhookWithSecret = Type.Object({ ...Webhook.properties, secret }, { title: 'WebhookWithSecret' })
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const VerifyInput = Type.Object(
  {
    challenge: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The challenge that the endpoint received. Without it, a new challenge is sent, and the endpoint must echo it within 15 seconds.',
      }),
    ),
  },
  { title: 'WebhookVerifyInput', additionalProperties: false },
)
export const RotateInput = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long deliveries are signed with the old secret too.',
      }),
    ),
  },
  { title: 'RotateSecretInput', additionalProperties: false },
)
export const DeletedWebhook = Type.Object(
  { id: Id('whk', 'The id of the deleted webhook.'), is_deleted: described(Type.Literal(true), 'Always true.') },
  { title: 'DeletedWebhook' },
)

export const webhookFilters = {
  state: Type.Optional(Type.Enum(webhookStates.states, { description: 'Only webhooks in this state.' })),
  ...createdFilters,
}
