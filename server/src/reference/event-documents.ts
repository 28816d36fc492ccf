// What is shown of each event type: its schema, an example and its page. Events were recorded, as far as the examples of
// the reference cause them; the others are shown in the same form.
import { type TObject, Type } from 'typebox'
import { Event, type EventKind } from '../platform/background/events.ts'
import type { Config } from '../platform/config.ts'
import { exampleId } from '../platform/values/fields.ts'
import { createSchemaCollector, type JsonSchema } from './json-schema.ts'
import { recordedEvent } from './recorded-examples.ts'

/** The form of what is sent for an event type. */
export function eventSchema({ type, message }: EventKind): TObject {
  const { properties } = message ?? Event
  return Type.Object({ ...properties, type: Type.Literal(type, { description: 'The event type.' }) })
}

/** The same as a JSON Schema that stands alone. */
export function standaloneSchema(kind: EventKind): JsonSchema {
  const { type: title, description } = kind
  const schema = createSchemaCollector().refer(eventSchema(kind), 'received')
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, description, ...schema }
}

/** An event of this type: a recorded one, or one that is made up in the same form. */
export function exampleEvent(kind: EventKind, config: Pick<Config, 'public_url'>): JsonSchema {
  const recorded = recordedEvent(kind.type, config)
  // safe because events are objects
  return (recorded as JsonSchema | undefined) ?? madeUp(kind, config)
}

function madeUp({ type, message, example }: EventKind, { public_url }: Pick<Config, 'public_url'>): JsonSchema {
  if (!example) throw new Error(`no example of ${type} was recorded, and its kind has none`)
  const { path, ...data } = example
  const [resource_type = ''] = type.split('.')
  const resource = { type: resource_type, id: path.split('/').at(-2), url: `${public_url}/v1${path}`, version: 2 }
  return {
    id: exampleId('evt'),
    type,
    timestamp: '2026-01-31T12:00:00.000Z',
    api_version: 'v1',
    portal_id: exampleId('ptl'),
    environment: 'staging',
    sequence: message ? null : 96,
    data: { resource, ...data },
  }
}

/** Where the reference describes an event type, below the docs address. */
export function eventPagePath({ type }: EventKind): string {
  return `/events/${type}`
}
