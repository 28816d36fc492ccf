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

export interface SchemaCollector {
  /** The schema, or a reference to its component. */
  refer(schema: TSchema): JsonSchema
  readonly components: Record<string, JsonSchema>
}

export function createSchemaCollector(): SchemaCollector {
  const components: Record<string, JsonSchema> = {}

  const refer = (schema: TSchema): JsonSchema => {
    const title = titleOf(schema)
    if (title === undefined) return inline(schema)
    if (!(title in components)) {
      components[title] = {} // stands in while the schema is walked
      components[title] = inline(originalOf(schema))
    }
    const words = originalOf(schema) === schema ? {} : { description: viewOf(schema).description }
    return { $ref: `#/components/schemas/${title}`, ...words }
  }

  const inline = (schema: TSchema): JsonSchema => {
    const { anyOf, items, properties, patternProperties, ...plain } = viewOf(schema)
    const members = (all: Record<string, TSchema>) =>
      Object.fromEntries(Object.entries(all).map(([name, member]) => [name, refer(member)]))
    const result: JsonSchema = {
      ...plain,
      ...(anyOf && nullable(anyOf.map(refer))),
      ...(items && { items: refer(items) }),
      ...(properties && { properties: members(properties) }),
      ...(patternProperties && { patternProperties: members(patternProperties) }),
    }
    if (Array.isArray(result.enum) && result.type === undefined) result.type = 'string'
    if (result.const !== undefined && result.type === undefined) result.type = typeof result.const
    if (result.format === 'web-address') result.format = 'iri'
    return result
  }
  return { refer, components }
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
