// The catalogue of event types, each with its JSON Schema and an example.
import { type Static, Type } from 'typebox'
import type { EventKind } from '../../../platform/background/events.ts'
import { type Context, docsUrl } from '../../../platform/context.ts'
import { pageOfList } from '../../../platform/database/paging.ts'
import { defineList, type Operation } from '../../../platform/http/operation.ts'

const EventType = Type.Object(
  {
    type: Type.String({ description: 'The event type.', examples: ['deal.won'] }),
    resource: Type.String({ description: 'What the event is about.', examples: ['Deal'] }),
    description: Type.String({ description: 'When the event happens.', examples: ['A deal was won.'] }),
    is_subscribable: Type.Boolean({
      description:
        'Whether a webhook can list it in `event_types`. `webhook.ping` and `webhook.verification` are sent to one endpoint only, whatever it has subscribed to.',
      examples: [true],
    }),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The JSON Schema (2020-12) of what is sent.',
      examples: [{ type: 'object' }],
    }),
    example: Type.Record(Type.String(), Type.Unknown(), {
      description: 'An example of what is sent.',
      examples: [{ type: 'deal.won' }],
    }),
    docs_url: Type.String({ format: 'uri', description: 'The page of the event type in the reference.' }),
  },
  { title: 'WebhookEventType' },
)
type EventType = Static<typeof EventType>

/** How the documents show an event; they are handed in, because they show every area. */
interface EventDocuments {
  schemaOf(kind: EventKind): Record<string, unknown>
  exampleOf(kind: EventKind, config: Context['config']): Record<string, unknown>
  pageOf(kind: EventKind): string
}

export function eventTypeOperations(kinds: readonly EventKind[], documents: EventDocuments): readonly Operation[] {
  // In the order that pages are cut by.
  const sorted = [...kinds].sort((a, b) => (a.type < b.type ? -1 : 1))
  const known = new Map<string, EventType[]>()
  /** They stay the same while the server runs. */
  const typesFor = ({ config }: Context): EventType[] => {
    const types = known.get(config.public_url) ?? sorted.map((kind) => toEventType(kind, documents, config))
    known.set(config.public_url, types)
    return types
  }
  return [
    defineList({
      id: 'webhook_event_types.list',
      path: '/webhook-event-types/',
      resource: 'Webhook event types',
      summary: 'List the event types',
      description: 'Every type of event that a webhook can receive, with its JSON Schema and an example.',
      grant: ['webhooks:read', 'webhooks:write'],
      item: EventType,
      collection: { orders: [], default_order: '', page_size: { default: 100, maximum: 200 }, backward: false },
      async list(_db, { caller: { context } }, page) {
        return pageOfList(typesFor(context), page, ({ type }) => [type])
      },
    }),
  ]
}

function toEventType(kind: EventKind, documents: EventDocuments, config: Context['config']): EventType {
  return {
    type: kind.type,
    resource: kind.resource,
    description: kind.description,
    is_subscribable: kind.message === undefined,
    schema: documents.schemaOf(kind),
    example: documents.exampleOf(kind, config),
    docs_url: docsUrl(config, documents.pageOf(kind)),
  }
}
