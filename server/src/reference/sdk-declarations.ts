// The operations as TypeScript, for the SDK: an interface per named schema, and the input and output of each operation.
import type { Operation } from '../platform/http/operation.ts'
import { createSchemaCollector, type JsonSchema } from './json-schema.ts'

export function buildSdkTypes(operations: readonly Operation[]): string {
  const schemas = createSchemaCollector()
  const entries = operations.map((operation) => {
    const params = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`)
    const query = typeOf(schemas.refer(operation.query, 'exact'))
    const body = operation.body ? typeOf(schemas.refer(operation.body, 'exact')) : 'undefined'
    return `  '${operation.id}': {\n    params: ${params.length > 0 ? `{ ${params.join('; ')} }` : 'Record<never, string>'}\n    query: ${query}\n    body: ${body}\n    response: ${typeOf(schemas.refer(operation.response, 'exact'))}\n  }`
  })
  const routes = operations.map(({ id, method, path }) => `  '${id}': { method: '${method}', path: '${path}' },`)
  const named = Object.entries(schemas.components).map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`)
  return [
    '// Written by npm run generate from the operations of the server.\n',
    ...named,
    `/** The input and output of each operation. */\nexport interface Operations {\n${entries.join('\n')}\n}\n`,
    `export const routes = {\n${routes.join('\n')}\n} as const\n`,
  ].join('\n')
}

function typeOf(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  // safe because these are the forms JSON Schema has
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonSchema[]).map(typeOf).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  // safe because a list names the schema of its items
  if (schema.type === 'array') return `Array<${typeOf(schema.items as JsonSchema)}>`
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'object') return objectType(schema)
  return schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null' ? schema.type : 'unknown'
}

function objectType(schema: JsonSchema): string {
  // safe because an object schema has these keywords in these forms or not at all
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const required = (schema.required ?? []) as string[]
  // safe for the same reason
  const [pattern] = Object.values((schema.patternProperties ?? {}) as Record<string, JsonSchema>)
  if (pattern) return `Record<string, ${typeOf(pattern)}>`
  if (properties.length === 0)
    return schema.additionalProperties === false ? 'Record<never, unknown>' : 'Record<string, unknown>'
  return `{ ${properties.map(([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(member)}`).join('; ')} }`
}
