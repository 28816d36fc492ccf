import { type Static, Type } from 'typebox'
import { createdFilters, Id, Nullable, recordFields, Time, Url } from '../../../platform/values/fields.ts'
import { deliveryStates } from './states.ts'

const triggers = ['event', 'test', 'redelivery', 'recovery'] as const

/** Why an attempt fails. */
export const attemptErrors = [
  'response_status',
  'redirect',
  'timed_out',
  'connection_failed',
  'tls_failed',
  'dns_failed',
  'address_not_allowed',
  'response_broken',
] as const

export const Delivery = Type.Object(
  recordFields('dlv', {
    webhook_id: Id('whk', 'The webhook it goes to.'),
    event_id: Nullable(Id('evt', 'The event that is delivered. Null for a test.')),
    event_type: Type.String({ description: 'The type of the event.', examples: ['deal.won'] }),
    state: Type.Enum(deliveryStates.states, {
      description:
        '`pending` and `retrying` will be sent; `failed` ran out of attempts; `skipped` happened while the webhook was paused or disabled, and can be recovered; `cancelled` could not be sent while its event was kept.',
    }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.Enum(deliveryStates.actions), {
      description: 'The actions that are allowed in the current state. A redelivery also needs an active webhook.',
    }),
    trigger: Type.Enum([...triggers], { description: 'Why the last or next attempt is made.' }),
    attempt_count: Type.Integer({ minimum: 0, description: 'How many attempts were made.', examples: [1] }),
    last_response_status: Nullable(
      Type.Integer({ description: 'The status of the last response. Null when there was none.', examples: [200] }),
    ),
    last_error_code: Nullable(
      Type.Enum([...attemptErrors, 'event_expired'], {
        description:
          'Why the last attempt failed. `event_expired`: the event was no longer kept when it could have been sent. Null when nothing failed.',
        examples: ['timed_out'],
      }),
    ),
    next_attempt_at: Nullable(Time('When the next attempt is made. Null when none is.')),
    attempts_url: Url('The URL of the attempts.'),
  }),
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const Attempt = Type.Object(
  {
    id: Id('att', 'The id of the attempt.'),
    number: Type.Integer({ minimum: 1, description: 'The number of the attempt.', examples: [1] }),
    trigger: Type.Enum([...triggers], { description: 'Why the attempt was made.' }),
    started_at: Time('When the attempt began.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.', examples: [120] }),
    response_status: Nullable(
      Type.Integer({ description: 'The status of the response. Null when there was none.', examples: [200] }),
    ),
    response_body: Nullable(
      Type.String({
        description:
          'The first 4 KB of the response. Null when there was none, and when the record that the event is about was erased.',
        examples: ['ok'],
      }),
    ),
    error_code: Nullable(
      Type.Enum([...attemptErrors], {
        description: 'Why the attempt failed. Null when it succeeded.',
        examples: ['timed_out'],
      }),
    ),
    error_message: Nullable(
      Type.String({
        description: 'What went wrong, for people.',
        examples: ['hooks.example.com did not send a complete response within 15000 ms.'],
      }),
    ),
  },
  { title: 'Attempt' },
)
export type Attempt = Static<typeof Attempt>

const recoverable = ['failed', 'skipped', 'succeeded'] as const
export const RecoverInput = Type.Object(
  {
    since: Time('Deliveries created at or after this time are sent again.'),
    until: Type.Optional(Time('Deliveries created at or before this time are sent again. Default: now.')),
    states: Type.Optional(
      Type.Array(Type.Enum([...recoverable]), {
        minItems: 1,
        uniqueItems: true,
        description: 'The states of the deliveries to send again. Default: `failed` and `skipped`.',
      }),
    ),
  },
  { title: 'RecoverInput', additionalProperties: false },
)
export type RecoverInput = Static<typeof RecoverInput>

export const Recovery = Type.Object(
  recordFields('rcv', {
    webhook_id: Id('whk', 'The webhook.'),
    state: Type.Enum(['running', 'completed', 'failed'], {
      description:
        '`completed` when everything is queued; `failed` when it ended before that, because the webhook was deleted or because of an error. After an error, start a new recovery.',
    }),
    state_changed_at: Time('When the state last changed.'),
    available_actions: Type.Array(Type.String(), {
      description: 'Always empty: a recovery goes its way by itself.',
    }),
    since: Time('The beginning of the period.'),
    until: Time('The end of the period.'),
    states: Type.Array(Type.String({ examples: ['failed'] }), { description: 'The states that are sent again.' }),
    requeued_count: Type.Integer({ minimum: 0, description: 'How many deliveries were queued.', examples: [12] }),
  }),
  { title: 'Recovery' },
)
export type Recovery = Static<typeof Recovery>

export const deliveryFilters = (eventTypes: readonly string[]) => ({
  state: Type.Optional(Type.Enum(deliveryStates.states, { description: 'Only deliveries in this state.' })),
  event_type: Type.Optional(Type.Enum([...eventTypes], { description: 'Only deliveries of events of this type.' })),
  ...createdFilters,
})
