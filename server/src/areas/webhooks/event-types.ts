// The catalogue of event types, each with its JSON Schema and an example.
import { Type } from 'typebox'
import { Event, type EventKind } from '../../platform/background/events.ts'
import { pageOfList } from '../../platform/database/paging.ts'
import { defineList, type Operation } from '../../platform/http/operation.ts'

const EventType = Type.Object(
  {
    type: Type.String({ description: 'The event type.', examples: ['deal.won'] }),
    resource: Type.String({ description: 'What the event is about.', examples: ['Deal'] }),
    description: Type.String({ description: 'When the event happens.', examples: ['A deal was won.'] }),
    schema: Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of the event.' }),
  },
  { title: 'WebhookEventType' },
)

export function eventTypeOperations(kinds: readonly EventKind[]): readonly Operation[] {
  const types = kinds.map(({ type, resource, description }) => ({
    type,
    resource,
    description,
    schema: { ...Event, properties: { ...Event.properties, type: { const: type } } } as Record<string, unknown>,
  }))
  return [
    defineList({
      id: 'webhook_event_types.list',
      path: '/webhook-event-types/',
      resource: 'Webhook event types',
      summary: 'List the event types',
      description: 'Every type of event that a webhook can receive, with its JSON Schema.',
      grant: ['webhooks:read', 'webhooks:write'],
      item: EventType,
      collection: { orders: [], default_order: '', page_size: { default: 100, maximum: 200 }, backward: false },
      list: async (_db, _call, page) => pageOfList(types, page, ({ type }) => [type]),
    }),
  ]
}
