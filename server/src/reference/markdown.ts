// The reference as Markdown, one page per resource, operation, event and error code. Links are relative and end in .md.
import type { TSchema } from 'typebox'
import { Event } from '../platform/background/events.ts'
import { type Config, settings } from '../platform/config.ts'
import type { Operation } from '../platform/http/operation.ts'
import { catalogueEntry, type ErrorCode, errorCodes, validationCodes } from '../platform/protocol/error-catalogue.ts'
import { curlExample, typescriptExample } from './examples.ts'
import { exampleOf, titleOf, viewOf } from './json-schema.ts'
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
  if (published.others.length > 0) pages.set('rest-api-reference/file-transfers.md', othersPage(published, config))
  pages.set('events/index.md', eventsPage(published))
  for (const event of events) pages.set(`events/${event.type}.md`, eventPage(event))
  pages.set('errors/index.md', errorsPage())
  for (const code of errorCodes) pages.set(`errors/${code}.md`, errorPage(code, operations))
  pages.set('configuration.md', configurationPage())
  return pages
}

function othersPage({ others }: Published, config: Pick<Config, 'public_url'>): string {
  const sections = others.map(({ method, path, summary, description, errors }) =>
    [
      `## ${summary}\n`,
      `\`${method} ${config.public_url}${path}\`\n`,
      `${description}\n`,
      `Errors: ${errors.map((code) => `[\`${code}\`](../errors/${code}.md)`).join(', ')}.\n`,
    ].join('\n'),
  )
  return [
    '# File transfers\n',
    '[Reference](index.md)\n',
    'Bytes go and come beside the API, each transfer with the address, method and headers it was returned with. Use them as given; never send the API key there.\n',
    ...sections,
  ].join('\n')
}

function indexPage({ operations, events, others }: Published, config: Pick<Config, 'public_url'>): string {
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
    ...(others.length > 0
      ? ['## [File transfers](file-transfers.md)\n', 'Upload and download of bytes, beside the API.\n']
      : []),
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
  const parameters = Object.entries(viewOf(query).properties ?? {})
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
          ...parameters.map(([name, schema]) => `| \`${name}\` | ${typeText(schema)} | ${descriptionOf(schema)} |`),
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
  const rows = errorCodes.map(
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
  const { properties = {}, required = [] } = viewOf(schema)
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
    const s = viewOf(inner)
    const title = titleOf(inner)
    if (inner !== schema && title !== undefined) named.set(title, inner)
    for (const member of [...Object.values(s.properties ?? {}), ...(s.anyOf ?? []), ...(s.items ? [s.items] : [])])
      walk(member)
  }
  walk(schema)
  return [...named].flatMap(([title, inner]) => [`### ${title}\n`, fieldTable(inner, mark), ''])
}

function typeText(schema: TSchema): string {
  const {
    anyOf,
    enum: choices,
    const: constant,
    type,
    items,
    title,
    format,
    minimum,
    maximum,
    maxLength,
  } = viewOf(schema)
  if (anyOf) return anyOf.map(typeText).join(' or ')
  if (choices) return choices.map((value) => `\`${value}\``).join(', ')
  if (constant !== undefined) return `\`${constant}\``
  if (type === 'array' && items) return `list of ${typeText(items)}`
  if (title) return title
  const limits = [
    minimum !== undefined && `≥ ${minimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    maxLength !== undefined && `up to ${maxLength} characters`,
  ].filter(Boolean)
  return [format ?? type ?? 'any', limits.length > 0 && `(${limits.join(', ')})`].filter(Boolean).join(' ')
}

function descriptionOf(schema: TSchema): string {
  const { description, anyOf } = viewOf(schema)
  return description ?? (anyOf?.[0] ? (viewOf(anyOf[0]).description ?? '') : '')
}

/** What an operation gives: its record, or the records of its pages. */
function recordSchema({ collection, response }: Operation): TSchema {
  const items = viewOf(response).properties?.items
  return (collection && items && viewOf(items).items) || response
}

function resourcesOf(operations: readonly Operation[]): string[] {
  return [...new Set(operations.map((operation) => operation.resource))]
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-')
}
