import { type Static, type TObject, Type } from 'typebox'
import { Id, Time, Url } from '../values/fields.ts'

/** A kind of event a room publishes, for the catalogue and the reference. */
export interface EventKind {
  type: string
  resource: string
  description: string
  /** The form of what is sent, where it is no event of the Portal but concerns one endpoint alone. */
  message?: TObject
  /**
   * What the documents show where no event can be recorded with the demo, because it needs a failure, time to pass or a
   * receiver: the path of the record, and `data` besides it. A test compares each with a real event.
   */
  example?: { path: string; state?: string; previous_state?: string; challenge?: string }
}

export const Event = Type.Object(
  {
    id: Id('evt', 'The id of this event.'),
    type: Type.String({
      description: 'The event type. The list of events describes each one.',
      examples: ['business.created'],
    }),
    timestamp: Time('When the event happened.'),
    api_version: Type.Literal('v1', { description: 'The API version of the event.' }),
    portal_id: Id('ptl', 'The Portal that receives the event.'),
    environment: Type.Enum(['staging', 'production'], { description: 'The environment of the deployment.' }),
    sequence: Type.Integer({
      description:
        'Increases with every event of the Portal. After you have read an event in the list, no event with a lower `sequence` appears there. Webhooks can deliver in any order. Store it with 64 bits: after a restore, numbers continue above 1,000,000,000,000.',
      examples: [42],
    }),
    data: Type.Object(
      {
        resource: Type.Object(
          {
            type: Type.String({ description: 'The type of the record.', examples: ['business'] }),
            id: Type.String({ description: 'The id of the record.', examples: ['biz_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
            url: Url('The URL of the record. Read the record there.'),
            version: Type.Integer({
              description:
                'Increases with every change of the record. Ignore an event whose version is lower than one you have processed.',
              examples: [1],
            }),
          },
          { description: 'The record that the event is about.' },
        ),
        state: Type.Optional(
          Type.String({ description: 'The state of the record after the event.', examples: ['active'] }),
        ),
        previous_state: Type.Optional(
          Type.String({ description: 'The state of the record before the event; present if the state changed.' }),
        ),
        changes: Type.Optional(
          Type.Array(Type.String({ examples: ['trading_name'] }), { description: 'Names of the fields that changed.' }),
        ),
        request_id: Type.Optional(
          Type.String({
            description: 'The `Request-Id` of the request that caused the event; absent if no request caused it.',
          }),
        ),
      },
      { description: 'The record and what changed.' },
    ),
  },
  {
    title: 'Event',
    description: 'Reports that something happened and which record to read. Contains no answers and no personal data.',
  },
)
export type Event = Static<typeof Event>
