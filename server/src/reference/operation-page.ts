// The page of one operation: requirements, fields, an example that runs as copied, and its response.

import type { Config, RateClass } from '../platform/config.ts'
import type { Operation, OtherOperation } from '../platform/http/operation.ts'
import type { PathParameters } from '../platform/http/path-parameter.ts'
import { catalogueEntry, type ErrorCode } from '../platform/protocol/error-catalogue.ts'
import { counted } from '../platform/values/counted.ts'
import { descriptionOf, fieldTables, typeText } from './field-tables.ts'
import { viewOf } from './json-schema.ts'
import { errorCodesOf, type Published } from './openapi.ts'
import { recordedResponse } from './recorded-examples.ts'
import { shellExample } from './shell-examples.ts'
import { typescriptExample } from './typescript-examples.ts'

/** What pages say about a deployment. */
export type PageConfig = Pick<
  Config,
  'public_url' | 'rate_limits' | 'rate_limit_read' | 'rate_limit_write' | 'rate_limit_heavy'
>

export function operationPage(operation: Operation, published: Published, config: PageConfig): string {
  const { summary, description, method, path, grant, ifMatch, versioned_path, idempotency, body, query, rate } =
    operation
  const needs = [
    grant.length > 0
      ? `- Grant: ${grant.map((name) => `\`${name}\``).join(' or ')}`
      : '- Grant: none; every key can call this operation',
    ...(idempotency === 'required' ? ['- `Idempotency-Key`: required; a unique value for each new request'] : []),
    ...(idempotency === 'optional' ? ['- `Idempotency-Key`: optional'] : []),
    ...(ifMatch
      ? [`- \`If-Match\`: required; the ETag of the version you want to change (\`GET ${versioned_path}\`)`]
      : []),
    `- Rate: \`${rate}\`, ${rateText(rate, config)}`,
  ]
  const parameters = Object.entries(viewOf(query).properties ?? {})
  return [
    ...heading(summary, operation.resource),
    `\`${method} ${path}\`\n`,
    ...(description ? [`${description}\n`] : []),
    ...needs,
    '',
    ...exampleSection(operation, published, config),
    'The same request in TypeScript, with the variables set above:\n',
    '```typescript',
    typescriptExample(operation),
    '```\n',
    ...answerSection(operation, config),
    ...pathTable(operation),
    ...(parameters.length > 0
      ? [
          '## Query parameters\n',
          '| Name | Type | Meaning |\n|---|---|---|',
          ...parameters.map(([name, schema]) => `| \`${name}\` | ${typeText(schema)} | ${descriptionOf(schema)} |`),
          '',
          ...collectionText(operation),
        ]
      : []),
    ...(body ? ['## Body\n', fieldTables(body, 'required')] : []),
    ...recordSection(operation),
    ...errorTable(errorCodesOf(operation)),
  ].join('\n')
}

export function otherOperationPage(other: OtherOperation, published: Published, config: PageConfig): string {
  return [
    ...heading(other.summary, other.resource),
    `\`${other.method} ${config.public_url}${other.path}\`\n`,
    `${other.description}\n`,
    '- Credential: the transfer credential in the returned headers. Never send the API key.',
    '',
    ...exampleSection(other, published, config),
    ...answerSection(other, config),
    ...pathTable(other),
    ...recordSection(other),
    ...errorTable(other.errors),
  ].join('\n')
}

/** Rate limits as numbers. A key may have its own limits, which the API root reports. */
export function rateText(rate: RateClass, config: PageConfig): string {
  if (!config.rate_limits) return 'not limited in this deployment'
  const { quota, window_seconds } = config[`rate_limit_${rate}`]
  return `${counted(quota, 'request')} per ${counted(window_seconds, 'second')} for each key`
}

export function slug(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-')
}

function heading(summary: string, resource: string): string[] {
  return [`# ${summary}\n`, `[Reference](../index.md) / [${resource}](../${slug(resource)}.md)\n`]
}

function pathTable({ path, params }: { path: string; params: PathParameters }): string[] {
  const rows = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `| \`${name}\` | ${params[name]?.description} |`)
  return rows.length > 0 ? ['## Path parameters\n', '| Name | Meaning |\n|---|---|', ...rows, ''] : []
}

function collectionText({ collection }: Operation): string[] {
  if (!collection) return []
  const { orders, default_order, page_size, backward } = collection
  const sorted = `\`${default_order.replace(/^-/, '')}\`${default_order.startsWith('-') ? ', descending' : ', ascending'}`
  return [
    [
      `Default page size: ${page_size.default}. Maximum: ${page_size.maximum}.`,
      orders.length > 0 && `Default order: ${sorted}. Use \`order\` to change it.`,
      !backward && 'This collection can only be paged forward: `previous_cursor` is always null.',
    ]
      .filter(Boolean)
      .join(' '),
    '',
  ]
}

function exampleSection(operation: Operation | OtherOperation, published: Published, config: PageConfig): string[] {
  const { setup, variables, command } = shellExample(operation, published, config)
  const found =
    'the last line prints the ids that the example uses. If an id is empty, the API key is not set, or the Portal has no such record yet.'
  return [
    '## Example\n',
    `Set your API key first: \`export PORTICO_API_KEY=ptk_…\`. \`npm start\` prints the key of the demo Portal; for any other Portal, ask its administrator. Then set up the rest:${variables.length > 0 ? ` ${found}` : ''}\n`,
    '```bash',
    setup,
    '```\n',
    'Send the request:\n',
    '```bash',
    command,
    '```\n',
  ]
}

function answerSection({ id, status }: Operation | OtherOperation, config: PageConfig): string[] {
  const example = recordedResponse(id, config)
  const note = 'Long lists and secrets in this example are shortened.'
  return [
    `The response has status ${status}${example === undefined ? '.' : `. ${note}`}\n`,
    ...(example === undefined
      ? []
      : typeof example === 'string'
        ? ['```text', example.trimEnd(), '```\n']
        : ['```json', JSON.stringify(example, null, 2), '```\n']),
  ]
}

function recordSection({ response }: Operation | OtherOperation): string[] {
  return response ? ['## Response\n', fieldTables(response, 'always present')] : []
}

function errorTable(codes: readonly ErrorCode[]): string[] {
  return [
    '## Errors\n',
    '| Status | Code |\n|---|---|',
    ...codes.map((code) => `| ${catalogueEntry(code).status} | [\`${code}\`](../../errors/${code}.md) |`),
    '',
  ]
}
