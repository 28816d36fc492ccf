// From the schemas of the operations to those of OpenAPI 3.1: titled ones become components, null becomes a type.
import type { TSchema } from 'typebox'

export type JsonSchema = { [keyword: string]: unknown }

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
      components[title] = inline(schema)
    }
    return { $ref: `#/components/schemas/${title}` }
  }

  const inline = (schema: TSchema): JsonSchema => {
    const source = schema as unknown as JsonSchema // safe because a TypeBox schema is a JSON Schema
    const result: JsonSchema = {}
    for (const [keyword, value] of Object.entries(source)) {
      if (keyword === 'properties' || keyword === 'patternProperties')
        result[keyword] = Object.fromEntries(
          Object.entries(value as object).map(([name, member]) => [name, refer(member)]),
        )
      else if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object'))
        result[keyword] = refer(value as TSchema)
      else if (keyword === 'anyOf') Object.assign(result, nullable((value as TSchema[]).map(refer)))
      else result[keyword] = value
    }
    if (Array.isArray(result.enum) && result.type === undefined) result.type = 'string'
    if (result.const !== undefined && result.type === undefined) result.type = typeof result.const
    if (result.format === 'web-address') result.format = 'uri'
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

/** A value that fits the schema, from the examples on its fields. */
export function exampleOf(schema: TSchema): unknown {
  const s = schema as unknown as JsonSchema & { properties?: Record<string, TSchema>; required?: string[] } // safe because a TypeBox schema is a JSON Schema
  if (Array.isArray(s.examples)) return s.examples[0]
  if (s.const !== undefined) return s.const
  if (Array.isArray(s.enum)) return s.enum[0]
  if (Array.isArray(s.anyOf)) return exampleOf(s.anyOf[0])
  if (s.type === 'object')
    return Object.fromEntries(Object.entries(s.properties ?? {}).map(([name, member]) => [name, exampleOf(member)]))
  if (s.type === 'array') return [exampleOf(s.items as TSchema)]
  if (s.format === 'uri') return 'http://127.0.0.1:8080/v1/'
  if (s.type === 'integer' || s.type === 'number') return s.minimum ?? 1
  if (s.type === 'boolean') return true
  return s.type === 'null' ? null : 'text'
}
