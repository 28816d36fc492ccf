import { type Static, Type } from 'typebox'
import { Id, Time, Url } from '../values/fields.ts'

/** A kind of event a room publishes, for the catalogue and the reference. */
export interface EventKind {
  type: string
  resource: string
  description: string
}

export const Event = Type.Object(
  {
    id: Id('evt', 'The id of this event.'),
    type: Type.String({ description: 'What happened; see the list of events.', examples: ['business.created'] }),
    timestamp: Time('When it happened.'),
    api_version: Type.Literal('v1', { description: 'The version of the API the event belongs to.' }),
    portal_id: Id('ptl', 'The Portal it happened in.'),
    environment: Type.Enum(['staging', 'production'], { description: 'The environment of the deployment.' }),
    sequence: Type.Integer({
      description: 'Rises with every event of the Portal. Whoever has seen number n has seen all below it.',
      examples: [42],
    }),
    data: Type.Object(
      {
        resource: Type.Object(
          {
            type: Type.String({ description: 'The kind of the record.', examples: ['business'] }),
            id: Type.String({ description: 'The id of the record.', examples: ['biz_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
            url: Url('The address of the record; read it there.'),
            version: Type.Integer({
              description: 'Rises with every change of the record: drop news older than what you have.',
              examples: [1],
            }),
          },
          { description: 'The record it is about.' },
        ),
        state: Type.Optional(Type.String({ description: 'The state of the record after it.', examples: ['active'] })),
        previous_state: Type.Optional(
          Type.String({ description: 'The state of the record before it, when the state changed.' }),
        ),
        changes: Type.Optional(
          Type.Array(Type.String({ examples: ['trading_name'] }), { description: 'Names of the fields that changed.' }),
        ),
        request_id: Type.Optional(
          Type.String({ description: 'The `Request-Id` of the request that caused it; absent when no request did.' }),
        ),
      },
      { description: 'What it is about.' },
    ),
  },
  {
    title: 'Event',
    description: 'Says that something happened and where to read it; carries no answers and no personal data.',
  },
)
export type Event = Static<typeof Event>
