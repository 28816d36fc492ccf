// The reference as Markdown, one page per resource, operation, event and error code. Links are relative and end in .md.
import type { TSchema } from 'typebox'
import { settings } from '../platform/config.ts'
import type { Operation } from '../platform/http/operation.ts'
import { catalogueEntry, type ErrorCode, errorCodes, validationMeanings } from '../platform/protocol/error-catalogue.ts'
import type { StateMachine } from '../platform/protocol/states.ts'
import { eventSchema, exampleEvent } from './event-documents.ts'
import { fieldTables } from './field-tables.ts'
import { titleOf, viewOf } from './json-schema.ts'
import { errorCodesOf, type Published } from './openapi.ts'
import { operationPage, otherOperationPage, type PageConfig, rateText, slug } from './operation-page.ts'
import { recordedResponse } from './recorded-examples.ts'
import { stateDiagram, stateTable } from './state-diagrams.ts'

/** Every page by its path below the docs address. */
export function buildPages(published: Published, config: PageConfig): Map<string, string> {
  const { operations, events } = published
  const pages = new Map<string, string>()
  pages.set('rest-api-reference/index.md', indexPage(published, config))
  for (const resource of resourcesOf(published))
    pages.set(`rest-api-reference/${slug(resource)}.md`, resourcePage(resource, published, config))
  for (const operation of operations)
    pages.set(`rest-api-reference/operations/${operation.id}.md`, operationPage(operation, published, config))
  for (const other of published.others)
    pages.set(`rest-api-reference/operations/${other.id}.md`, otherOperationPage(other, published, config))
  for (const { machine } of published.states)
    pages.set(`rest-api-reference/states/${machine.type}.svg`, stateDiagram(machine))
  pages.set('events/index.md', eventsPage(published))
  for (const event of events) pages.set(`events/${event.type}.md`, eventPage(event, config))
  pages.set('errors/index.md', errorsPage())
  for (const code of errorCodes) pages.set(`errors/${code}.md`, errorPage(code, published))
  pages.set('configuration.md', configurationPage())
  return pages
}

function indexPage(published: Published, config: PageConfig): string {
  const sections = resourcesOf(published).map((resource) => {
    const rows = [...published.operations, ...published.others]
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
    '- [OpenAPI document](../generated/openapi.json): the same reference in machine-readable form.',
    '- [Error codes](../errors/index.md): one page per code.',
    `- [Events](../events/index.md): ${published.events.length} types.`,
    '- [Configuration](../configuration.md): the settings of the service.\n',
    '## Rules for all operations\n',
    protocolSummary(config),
    ...sections,
  ].join('\n')
}

const protocolSummary = (config: PageConfig) => `| Topic | Rule |
|---|---|
| Errors | Every error has the same body. Use \`code\` in your program. \`details\` lists all problems that can be seen at once, at most 50: first those of the form (missing and unknown fields, types, lengths), and when the form is right, those of the values (such as a region of another country). |
| Paging | \`items\`, \`next_cursor\`, \`previous_cursor\`. Send a cursor back unchanged, with the same filters, order and \`page_size\`. A cursor is valid for 72 hours. |
| Changes | Send the record's \`etag\` in \`If-Match\`, quotes included. Status 412 means that the record has changed: read it again and repeat your change. |
| Retries | Send an \`Idempotency-Key\` with every POST. For 72 hours, the same key with the same request returns the stored first response. |
| Rates | \`read\`: ${rateText('read', config)}. \`write\`: ${rateText('write', config)}. \`heavy\`: ${rateText('heavy', config)}. A key can have its own limits; the [API root](operations/root.read.md) reports the limits of your key. The \`RateLimit\` header reports the remaining quota. After a 429, wait for \`Retry-After\` seconds. |
| Growth | New fields, enum values in responses, event types and error codes can be added at any time. Your program must ignore those it does not know. |
| Support | Quote the \`Request-Id\` of a response, never the API key. |

Disable response compression for \`/v1/\` in proxies. Compression turns strong ETags into weak ETags, and \`If-Match\` never matches a weak ETag.
`

function resourcePage(resource: string, published: Published, config: PageConfig): string {
  const own = published.operations.filter((operation) => operation.resource === resource)
  const others = published.others.filter((other) => other.resource === resource)
  const reading = own.find(({ method, collection, response }) => method === 'GET' && !collection && titleOf(response))
  const record = reading?.response ?? own.map(recordSchema).find((schema) => titleOf(schema) !== undefined)
  const example = reading && recordedResponse(reading.id, config)
  return [
    `# ${resource}\n`,
    '[Reference](index.md)\n',
    `${descriptionOf(resource, published)}\n`,
    '## Operations\n',
    ...[...own, ...others].map(
      (operation) =>
        `- [${operation.summary}](operations/${operation.id}.md): \`${operation.method} ${operation.path}\``,
    ),
    '',
    ...published.states.filter((one) => one.resource === resource).map(({ machine }) => statesSection(machine)),
    ...(record
      ? [
          `## The ${titleOf(record)} record\n`,
          fieldTables(record, 'always present'),
          ...(example === undefined ? [] : ['```json', JSON.stringify(example, null, 2), '```']),
        ]
      : []),
    '',
  ].join('\n')
}

/** Nobody has to guess what a resource is: one without a description cannot be published. */
function descriptionOf(resource: string, { descriptions }: Published): string {
  const description = descriptions[resource]
  if (description === undefined) throw new Error(`the resource ${resource} has no description`)
  return description
}

function statesSection(machine: StateMachine): string {
  return [
    `## States of the ${machine.noun}\n`,
    `![States of the ${machine.noun} and the actions that lead from one to another](states/${machine.type}.svg)\n`,
    'An action without an arrow leaves the state unchanged. Dashed arrows are automatic.\n',
    stateTable(machine),
    '',
  ].join('\n')
}

function eventsPage({ events }: Published): string {
  return [
    '# Events\n',
    '[Reference](../rest-api-reference/index.md)\n',
    'An event reports that a record has changed, with the address of the record. Read events with [List events](../rest-api-reference/operations/events.list.md).\n',
    '| Type | When |\n|---|---|',
    ...events.map((event) => `| [\`${event.type}\`](${event.type}.md) | ${event.description} |`),
    '',
  ].join('\n')
}

function eventPage(event: Published['events'][number], config: PageConfig): string {
  return [
    `# ${event.type}\n`,
    '[Events](index.md)\n',
    `${event.description}\n`,
    '```json',
    JSON.stringify(exampleEvent(event, config), null, 2),
    '```\n',
    fieldTables(eventSchema(event), 'always present'),
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
    'The entries in `details` of `validation_failed` have their own codes, which the page of `validation_failed` lists.',
    '',
  ].join('\n')
}

function errorPage(code: ErrorCode, { operations, others }: Published): string {
  const { status, title, message, retryable } = catalogueEntry(code)
  const raisedBy: { id: string; summary: string }[] = [
    ...operations.filter((operation) => errorCodesOf(operation).includes(code)),
    ...others.filter(({ errors }) => errors.includes(code)),
  ]
  const isEverywhere = operations.every((operation) => errorCodesOf(operation).includes(code))
  const where = isEverywhere
    ? ['Any operation can return this error.']
    : raisedBy.map((operation) => `- [${operation.summary}](../rest-api-reference/operations/${operation.id}.md)`)
  return [
    `# ${title}\n`,
    '[Error codes](index.md)\n',
    `\`${code}\`, status ${status}. ${retryable ? 'The same request may succeed later.' : 'The same request will fail again. Change it first.'}\n`,
    `${message}\n`,
    ...(code === 'validation_failed'
      ? [
          '## Codes in details\n',
          '| Code | Meaning |\n|---|---|',
          ...Object.entries(validationMeanings).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
          '',
        ]
      : []),
    '## Returned by\n',
    ...(where.length > 0
      ? where
      : ['Returned before a request reaches an operation, or reserved for operations of a later release.']),
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
    'All settings are environment variables. If a value is invalid, the service does not start and reports the variable.\n',
    '| Variable | Default | Meaning |\n|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The record that an operation returns, alone or in pages. */
function recordSchema({ collection, response }: Operation): TSchema {
  const items = viewOf(response).properties?.items
  return (collection && items && viewOf(items).items) || response
}

function resourcesOf({ operations, others }: Published): string[] {
  return [...new Set([...operations, ...others].map(({ resource }) => resource))]
}
