// The reference as Markdown, one page per resource, operation, event and error code. Links are relative and end in .md.
import type { TSchema } from 'typebox'
import { type Config, settings } from '../platform/config.ts'
import { Event } from '../platform/events.ts'
import { catalogueEntry, type ErrorCode, errorCatalogue, validationCodes } from '../platform/http/error-catalogue.ts'
import type { Operation } from '../platform/http/operation.ts'
import { curlExample, typescriptExample } from './examples.ts'
import { exampleOf, type JsonSchema, titleOf } from './json-schema.ts'
import { errorCodesOf, type Published } from './openapi.ts'

/** Every page by its path below the docs address. */
export function buildPages(published: Published, config: Pick<Config, 'public_url'>): Map<string, string> {
  const { operations, events } = published
  const pages = new Map<string, string>()
  pages.set('rest-api-reference/index.md', indexPage(published, config))
  for (const resource of resourcesOf(operations))
    pages.set(`rest-api-reference/${slug(resource)}.md`, resourcePage(resource, operations))
  for (const operation of operations)
    pages.set(`rest-api-reference/operations/${operation.id}.md`, operationPage(operation, config))
  pages.set('events/index.md', eventsPage(published))
  for (const event of events) pages.set(`events/${event.type}.md`, eventPage(event))
  pages.set('errors/index.md', errorsPage())
  for (const code of Object.keys(errorCatalogue) as ErrorCode[])
    pages.set(`errors/${code}.md`, errorPage(code, operations))
  pages.set('configuration.md', configurationPage())
  return pages
}

function indexPage({ operations, events }: Published, config: Pick<Config, 'public_url'>): string {
  const sections = resourcesOf(operations).map((resource) => {
    const rows = operations
      .filter((operation) => operation.resource === resource)
      .map(
        (operation) =>
          `| [${operation.summary}](operations/${operation.id}.md) | \`${operation.method}\` | \`${operation.path}\` |`,
      )
    return `## [${resource}](${slug(resource)}.md)\n\n| Operation | Method | Path |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [
    '# REST API reference\n',
    `Paths are relative to \`${config.public_url}/v1\`. Send \`Authorization: Bearer <API_KEY>\` with every request.\n`,
    '- [The OpenAPI document](../generated/openapi.json) says the same to machines.',
    '- [Error codes](../errors/index.md): one page each.',
    `- [Events](../events/index.md): ${events.length} kinds.`,
    '- [Configuration](../configuration.md) of the service.\n',
    '## What holds everywhere\n',
    protocolSummary,
    ...sections,
  ].join('\n')
}

const protocolSummary = `| Topic | Rule |
|---|---|
| Errors | One flat body for every failure; decide by \`code\`. All problems of a request come together in \`details\`. |
| Paging | \`items\`, \`next_cursor\`, \`previous_cursor\`. Send a cursor back unchanged, with the same filters, order and \`page_size\`. Cursors live for 72 hours. |
| Changes | Send the record's \`etag\` in \`If-Match\`, quotes included. 412 means that it changed since: read it again. |
| Retries | Send an \`Idempotency-Key\` with every POST. The same key with the same request gives the first response again, for 72 hours. |
| Rates | \`RateLimit\` says what is left. After a 429, wait for \`Retry-After\` seconds. |
| Support | Quote the \`Request-Id\` of a response, never the API key. |

A proxy that compresses responses weakens ETags, and a weak ETag never matches: switch compression off for \`/v1/\`.
`

function resourcePage(resource: string, operations: readonly Operation[]): string {
  const own = operations.filter((operation) => operation.resource === resource)
  const record = own.map((operation) => recordSchema(operation)).find((schema) => titleOf(schema) !== undefined)
  return [
    `# ${resource}\n`,
    '[Reference](index.md)\n',
    '## Operations\n',
    ...own.map(
      (operation) =>
        `- [${operation.summary}](operations/${operation.id}.md): \`${operation.method} ${operation.path}\``,
    ),
    '',
    ...(record
      ? [
          `## The ${titleOf(record)} record\n`,
          fieldTable(record),
          '',
          ...nestedTables(record, 'always present'),
          '\n```json',
          JSON.stringify(exampleOf(record), null, 2),
          '```',
        ]
      : []),
    '',
  ].join('\n')
}

function operationPage(operation: Operation, config: Pick<Config, 'public_url'>): string {
  const { summary, description, method, path, grant, ifMatch, body, collection, query } = operation
  const needs = [
    grant.length > 0 ? `- Grant: ${grant.map((name) => `\`${name}\``).join(' or ')}` : '- Grant: none; every key may',
    ...(method === 'POST'
      ? ['- `Idempotency-Key`: a new value for each new command']
      : method === 'GET'
        ? []
        : ['- `Idempotency-Key`: optional, honoured when sent']),
    ...(ifMatch ? ['- `If-Match`: the ETag of the version the change is based on'] : []),
    `- Rate: \`${operation.rate}\``,
  ]
  const parameters = Object.entries(query.properties)
  return [
    `# ${summary}\n`,
    `[Reference](../index.md) / [${operation.resource}](../${slug(operation.resource)}.md)\n`,
    `\`${method} ${path}\`\n`,
    ...(description ? [`${description}\n`] : []),
    ...needs,
    '',
    ...(parameters.length > 0
      ? [
          '## Query parameters\n',
          '| Name | Type | Meaning |\n|---|---|---|',
          ...parameters.map(
            ([name, schema]) =>
              `| \`${name}\` | ${typeText(schema as TSchema)} | ${descriptionOf(schema as TSchema)} |`,
          ),
          '',
        ]
      : []),
    ...(body ? ['## Body\n', fieldTable(body, 'required'), '', ...nestedTables(body, 'required')] : []),
    '## Example\n',
    '```bash',
    curlExample(operation, config),
    '```\n',
    '```typescript',
    typescriptExample(operation, config),
    '```\n',
    `Answers ${operation.status}:\n`,
    '```json',
    JSON.stringify(exampleOf(operation.response), null, 2),
    '```\n',
    ...(collection
      ? [
          `Pages hold ${collection.page_size.default} records unless \`page_size\` says otherwise (1 to ${collection.page_size.maximum}).${collection.backward ? '' : ' This collection pages forward only.'}\n`,
        ]
      : []),
    '## Errors\n',
    '| Status | Code |\n|---|---|',
    ...errorCodesOf(operation).map(
      (code) => `| ${catalogueEntry(code).status} | [\`${code}\`](../../errors/${code}.md) |`,
    ),
    '',
  ].join('\n')
}

function eventsPage({ events }: Published): string {
  return [
    '# Events\n',
    '[Reference](../rest-api-reference/index.md)\n',
    'Events say that something happened and where to read it. Read them with [List events](../rest-api-reference/operations/events.list.md).\n',
    '| Type | When |\n|---|---|',
    ...events.map((event) => `| [\`${event.type}\`](${event.type}.md) | ${event.description} |`),
    '',
  ].join('\n')
}

function eventPage(event: Published['events'][number]): string {
  const example = { ...(exampleOf(Event) as object), type: event.type }
  return [
    `# ${event.type}\n`,
    '[Events](index.md)\n',
    `${event.description}\n`,
    fieldTable(Event),
    '\n```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
  ].join('\n')
}

function errorsPage(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[]).map(
    (code) => `| ${catalogueEntry(code).status} | [\`${code}\`](${code}.md) | ${catalogueEntry(code).message} |`,
  )
  return [
    '# Error codes\n',
    '[Reference](../rest-api-reference/index.md)\n',
    '| Status | Code | Meaning |\n|---|---|---|',
    ...rows,
    '',
    `Details of \`validation_failed\` have one of these codes: ${validationCodes.map((code) => `\`${code}\``).join(', ')}.`,
    '',
  ].join('\n')
}

function errorPage(code: ErrorCode, operations: readonly Operation[]): string {
  const { status, title, message, retryable } = catalogueEntry(code)
  const raisedBy = operations.filter((operation) => errorCodesOf(operation).includes(code))
  const where =
    raisedBy.length === operations.length
      ? ['Any operation can answer this.']
      : raisedBy.map((operation) => `- [${operation.summary}](../rest-api-reference/operations/${operation.id}.md)`)
  return [
    `# ${title}\n`,
    '[Error codes](index.md)\n',
    `\`${code}\`, status ${status}. ${retryable ? 'The same request may succeed later.' : 'The same request will fail again: change it first.'}\n`,
    `${message}\n`,
    '## Where\n',
    ...(where.length > 0
      ? where
      : ['Before an operation is reached, or in an operation this release does not have yet.']),
    '',
  ].join('\n')
}

function configurationPage(): string {
  const rows = Object.values(settings).map(
    (setting) =>
      `| \`${setting.variable}\` | ${setting.fallback === undefined ? '' : `\`${setting.fallback}\``} | ${setting.prose} |`,
  )
  return [
    '# Configuration\n',
    'Everything is set by environment variables. A wrong value stops the start and says which.\n',
    '| Variable | Default | Meaning |\n|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function fieldTable(schema: TSchema, mark = 'always present'): string {
  const { properties = {}, required = [] } = schema as unknown as {
    properties?: Record<string, TSchema>
    required?: string[]
  } // safe because only object schemas are given
  const rows = Object.entries(properties).map(
    ([name, member]) =>
      `| \`${name}\`${required.includes(name) ? ' *' : ''} | ${typeText(member)} | ${descriptionOf(member)} |`,
  )
  return ['| Field | Type | Meaning |\n|---|---|---|', ...rows, `\n\`*\` ${mark}.`].join('\n')
}

/** A table for each named schema inside another, in the order they appear. */
function nestedTables(schema: TSchema, mark: string): string[] {
  const named = new Map<string, TSchema>()
  const walk = (inner: TSchema) => {
    const s = inner as unknown as { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[] } // safe because a TypeBox schema is a JSON Schema
    const title = titleOf(inner)
    if (inner !== schema && title !== undefined) named.set(title, inner)
    for (const member of [...Object.values(s.properties ?? {}), ...(s.anyOf ?? []), ...(s.items ? [s.items] : [])])
      walk(member)
  }
  walk(schema)
  return [...named].flatMap(([title, inner]) => [`### ${title}\n`, fieldTable(inner, mark), ''])
}

function typeText(schema: TSchema): string {
  const s = schema as unknown as JsonSchema // safe because a TypeBox schema is a JSON Schema
  if (Array.isArray(s.anyOf)) return s.anyOf.map(typeText).join(' or ')
  if (Array.isArray(s.enum)) return s.enum.map((value) => `\`${value}\``).join(', ')
  if (s.const !== undefined) return `\`${s.const}\``
  if (s.type === 'array') return `list of ${typeText(s.items as TSchema)}`
  const title = titleOf(schema)
  if (title) return title
  const limits = [
    s.minimum !== undefined && `≥ ${s.minimum}`,
    s.maximum !== undefined && `≤ ${s.maximum}`,
    s.maxLength !== undefined && `up to ${s.maxLength} characters`,
  ]
    .filter(Boolean)
    .join(', ')
  return [s.format ?? s.type ?? 'any', limits && `(${limits})`].filter(Boolean).join(' ')
}

function descriptionOf(schema: TSchema): string {
  const s = schema as unknown as JsonSchema // safe because a TypeBox schema is a JSON Schema
  if (typeof s.description === 'string') return s.description
  const inner = Array.isArray(s.anyOf) ? (s.anyOf[0] as JsonSchema) : undefined
  return typeof inner?.description === 'string' ? inner.description : ''
}

function recordSchema(operation: Operation): TSchema {
  if (!operation.collection) return operation.response
  // safe because the response of a collection is the envelope around its items
  return (operation.response as unknown as { properties: { items: { items: TSchema } } }).properties.items.items
}

function resourcesOf(operations: readonly Operation[]): string[] {
  return [...new Set(operations.map((operation) => operation.resource))]
}

export function slug(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-')
}
