import { type Static, Type } from 'typebox'
import { Id, Time } from '../values/fields.ts'

/** A kind of event a room publishes, for the catalogue and the reference. */
export interface EventKind {
  type: string
  resource: string
  description: string
}

export const Event = Type.Object(
  {
    id: Id('evt'),
    type: Type.String({ examples: ['business.created'] }),
    timestamp: Time,
    api_version: Type.Literal('v1'),
    portal_id: Id('ptl'),
    environment: Type.Enum(['staging', 'production']),
    sequence: Type.Integer({
      description: 'Rises with every event of the Portal. Whoever has seen number n has seen all below it.',
      examples: [42],
    }),
    data: Type.Object({
      resource: Type.Object({
        type: Type.String({ examples: ['business'] }),
        id: Type.String({ examples: ['biz_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
        url: Type.String({ format: 'uri' }),
        version: Type.Integer({
          description: 'Rises with every change of the record: drop news older than what you have.',
          examples: [1],
        }),
      }),
      state: Type.Optional(Type.String({ examples: ['active'] })),
      previous_state: Type.Optional(Type.String()),
      changes: Type.Optional(
        Type.Array(Type.String({ examples: ['trading_name'] }), { description: 'Names of the fields that changed.' }),
      ),
      request_id: Type.Optional(Type.String({ description: 'The request that caused it.' })),
    }),
  },
  {
    title: 'Event',
    description: 'Says that something happened and where to read it; carries no answers and no personal data.',
  },
)
export type Event = Static<typeof Event>
