// The OpenAPI document: complete, and written so that other people's tools understand it.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { published } from '../src/app.ts'
import { checkAgainst } from '../src/platform/protocol/validation.ts'
import { eventSchema, exampleEvent, standaloneSchema } from '../src/reference/event-documents.ts'
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

test('every reference leads to a part of the document, whatever a tool takes for a reference', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target)
  expect(references.length).toBeGreaterThan(100)
  for (const target of new Set(references)) expect(resolve({ $ref: target }), target).toBeTypeOf('object')
})

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

const methods = ['get', 'put', 'post', 'patch', 'delete']
const operationsOf = () =>
  Object.entries<Record<string, Part>>(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ name: `${method} ${path}`, operation: item[method] }] : [])),
  )

/** Every schema that a part leads to, references followed once each. */
function* schemasUnder(start: unknown, seen = new Set<unknown>()): Generator<[path: string, schema: Part]> {
  for (const [path, part] of partsOf(start)) {
    if (!path.endsWith('/properties')) yield [path, part]
    const target = resolve(part)
    if (target === part || seen.has(target)) continue
    seen.add(target)
    yield* schemasUnder(target, seen)
  }
}

test('objects and enums of responses can grow, those of requests cannot', () => {
  for (const { name, operation } of operationsOf()) {
    for (const [path, schema] of schemasUnder(operation.responses)) {
      if (schema.type === undefined && schema.properties === undefined) continue
      expect(schema.additionalProperties, `${name}${path}`).not.toBe(false)
      expect(schema.enum, `${name}${path}`).toBeUndefined()
      if (schema['x-extensible-enum']) expect(schema.description).toContain('New values can be added.')
    }
    const body = isPart(operation.requestBody) && isPart(operation.requestBody.content) && operation.requestBody.content
    if (!body || !isPart(body['application/json'])) continue
    for (const [path, schema] of schemasUnder(body['application/json'].schema))
      if (isPart(schema.properties)) expect(schema.additionalProperties, `${name}${path}`).toBe(false)
  }
})

test('every operation documents what can happen to any request, and the headers that go with it', () => {
  for (const { name, operation } of operationsOf()) {
    const responses = operation.responses as Record<string, { headers?: Part; content?: Part }> // safe because OpenAPI says so
    for (const status of ['401', '405', '408', '413', '414', '431', '500', '503']) {
      expect(Object.keys(responses[status]?.content ?? {}), `${name} ${status}`).toEqual([
        'application/json',
        'application/problem+json',
      ])
    }
    for (const [status, header] of [
      ['401', 'WWW-Authenticate'],
      ['405', 'Allow'],
      ['503', 'Retry-After'],
    ] as const)
      expect(responses[status]?.headers, `${name} ${status}`).toHaveProperty(header)
    if (responses['429']) expect(responses['429'].headers).toHaveProperty('Retry-After')
    if (responses['403']) expect(responses['403'].headers).toHaveProperty('WWW-Authenticate')
    if (responses['304']) expect(responses['304'].headers).toHaveProperty('ETag')
  }
})

test('every pattern is portable: no Unicode classes, and JavaScript without flags and Python accept it', () => {
  const patterns = new Set(
    [...partsOf(document)].flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : [])),
  )
  expect(patterns.size).toBeGreaterThan(5)
  const text = JSON.stringify([...patterns])
  expect(text).not.toContain('\\\\p{')
  for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow()
  const program = 'import json, re, sys\nfor one in json.load(sys.stdin): re.compile(one)'
  const { error, status, stderr } = spawnSync('python3', ['-c', program], { input: text, encoding: 'utf8' })
  // Machines without Python have the check above.
  if (error === undefined) expect([status, stderr]).toEqual([0, ''])
})

test('every event type has a schema and an example that fits it, in the document and standing alone', () => {
  const config = { public_url: 'https://portal.example.com' }
  expect(Object.keys(document.webhooks)).toEqual(published.events.map(({ type }) => type))
  for (const kind of published.events) {
    const example = exampleEvent(kind, config)
    expect(checkAgainst(eventSchema(kind))(example), kind.type).toEqual([])
    expect(example).toMatchObject({ type: kind.type })
    expect(document.webhooks[kind.type].post.requestBody.content['application/json'].example).toEqual(example)
    const schema = JSON.parse(JSON.stringify(standaloneSchema(kind)))
    expect(schema).toMatchObject({ title: kind.type, properties: { type: { const: kind.type } } })
    expect(JSON.stringify(schema)).not.toContain('$ref')
  }
})
