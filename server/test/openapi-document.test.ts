// The OpenAPI document: complete, and written so that other people's tools understand it.
import { expect, test } from 'vitest'
import { published } from '../src/app.ts'
import { buildOpenApi } from '../src/reference/openapi.ts'

/** Any object of the document. */
type Part = { [member: string]: unknown }

const document = JSON.parse(JSON.stringify(buildOpenApi(published, { public_url: 'https://portal.example.com' })))

/** Every object in the document that holds a schema keyword or anything else, with where it is. */
function* partsOf(value: unknown, path = ''): Generator<[path: string, part: Part]> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield [path, value as Part] // safe because it is an object of JSON
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* partsOf(member, `${path}/${name.replaceAll('/', '~1')}`)
  }
}

const isPart = (value: unknown): value is Part => value !== null && typeof value === 'object'

/** The part a reference leads to. */
function resolve(part: Part): Part {
  if (typeof part.$ref !== 'string') return part
  const found = part.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (isPart(at) ? at[name] : undefined), document)
  if (!isPart(found)) throw new Error(`${part.$ref} leads nowhere`)
  return found
}

test('every field, path parameter, query parameter and header has a description', () => {
  const silent: string[] = []
  for (const [path, part] of partsOf(document)) {
    const fields = isPart(part.properties) && !path.endsWith('/properties') ? Object.entries(part.properties) : []
    for (const [name, field] of fields)
      if (isPart(field) && !field.description && !resolve(field).description) silent.push(`${path}/properties/${name}`)
    if (typeof part.in === 'string' && 'schema' in part && !part.description) silent.push(`${path} (${part.name})`)
  }
  expect(silent).toEqual([])
})
