// From the schemas of the operations to those of OpenAPI 3.1: titled ones become components, null becomes a type.
import type { TSchema } from 'typebox'
import { originalOf } from '../platform/values/fields.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** The keywords our schemas use, in the forms they have. */
interface SchemaView {
  type?: string
  format?: string
  pattern?: string
  title?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  anyOf?: TSchema[]
  items?: TSchema
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  required?: string[]
}

export function viewOf(schema: TSchema): SchemaView {
  return schema as SchemaView // safe because a TypeBox schema is a JSON Schema, and ours have no other forms
}

/**
 * What a caller sends is closed: it is refused when it holds anything else. What the service sends may grow: objects are
 * open and enums are lists of known values. So a schema that is used both ways has two components.
 */
type Direction = 'sent' | 'received' | 'exact'

export interface SchemaCollector {
  /** The schema, or a reference to its component. */
  refer(schema: TSchema, direction: Direction): JsonSchema
  readonly components: Record<string, JsonSchema>
}

export function createSchemaCollector(): SchemaCollector {
  const components: Record<string, JsonSchema> = {}

  const refer = (schema: TSchema, direction: Direction): JsonSchema => {
    const own = titleOf(schema)
    if (own === undefined) return inline(schema, direction)
    const title = direction === 'sent' && !/(Input|Change|Write)$/.test(own) ? `${own}Input` : own
    if (!(title in components)) {
      components[title] = {} // stands in while the schema is walked
      components[title] = inline(originalOf(schema), direction)
    }
    const words = originalOf(schema) === schema ? {} : { description: viewOf(schema).description }
    return { $ref: `#/components/schemas/${title}`, ...words }
  }

  const inline = (schema: TSchema, direction: Direction): JsonSchema => {
    const { anyOf, items, properties, patternProperties, ...plain } = viewOf(schema)
    const members = (all: Record<string, TSchema>) =>
      Object.fromEntries(Object.entries(all).map(([name, member]) => [name, refer(member, direction)]))
    const result: JsonSchema = {
      ...(anyOf && nullable(anyOf.map((one) => refer(one, direction)))),
      ...plain,
      ...(items && { items: refer(items, direction) }),
      ...(properties && { properties: members(properties) }),
      ...(patternProperties && { patternProperties: members(patternProperties) }),
    }
    if (Array.isArray(result.enum) && result.type === undefined) result.type = 'string'
    if (result.const !== undefined && result.type === undefined) result.type = typeof result.const
    if (result.format === 'web-address') result.format = 'iri'
    return direction === 'received' ? opened(result) : result
  }
  return { refer, components }
}

/** The form in which a schema may grow: no object is closed, and an enum is a list of known values. */
function opened({ additionalProperties, enum: choices, ...rest }: JsonSchema): JsonSchema {
  const open =
    additionalProperties === false
      ? rest
      : { ...rest, ...(additionalProperties !== undefined && { additionalProperties }) }
  if (!Array.isArray(choices)) return open
  const known = choices.filter((value) => value !== null)
  const words = `Known values: ${known.map((value) => `\`${value}\``).join(', ')}. New values can be added.`
  return {
    ...open,
    description: typeof open.description === 'string' ? `${open.description} ${words}` : words,
    'x-extensible-enum': known,
  }
}

/** `anyOf: [X, null]` reads better as X whose type may be null, where X is not a component. */
function nullable(choices: JsonSchema[]): JsonSchema {
  const [choice, none] = choices
  if (choices.length !== 2 || !choice || none?.type !== 'null' || typeof choice.type !== 'string')
    return { anyOf: choices }
  return { ...choice, type: [choice.type, 'null'], ...(Array.isArray(choice.enum) && { enum: [...choice.enum, null] }) }
}

export function titleOf(schema: TSchema): string | undefined {
  return 'title' in schema && typeof schema.title === 'string' ? schema.title : undefined
}
