import { Event, type EventKind } from '../platform/background/events.ts'
import type { Config } from '../platform/config.ts'
import { isBodyOptional, type Operation, type OtherOperation } from '../platform/http/operation.ts'
import { catalogueEntry, type ErrorCode } from '../platform/protocol/error-catalogue.ts'
import type { StateMachine } from '../platform/protocol/states.ts'
import { eventSchema, exampleEvent } from './event-documents.ts'
import { createSchemaCollector, type JsonSchema, type SchemaCollector, viewOf } from './json-schema.ts'
import { errorResponses, header, headersOf, responseHeaders } from './openapi-responses.ts'
import { recordedResponse } from './recorded-examples.ts'

export interface Published {
  operations: readonly Operation[]
  events: readonly EventKind[]
  /** What is served beside the API. */
  others: readonly OtherOperation[]
  /** What each resource is, by its heading. */
  descriptions: Readonly<Record<string, string>>
  /** The tables of states, each with the heading it stands under. */
  states: readonly { resource: string; machine: StateMachine }[]
}

/** The document of these operations; what they do not refer to is not in it. */
export function buildOpenApi(
  { operations, events, others, descriptions }: Omit<Published, 'states'>,
  config: Pick<Config, 'public_url'>,
): JsonSchema {
  const schemas = createSchemaCollector()
  const paths: Record<string, Record<string, JsonSchema | JsonSchema[]>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: describeOperation(operation, schemas, config),
    })
  }
  for (const other of others) {
    paths[other.path] ??= { servers: [{ url: config.public_url, description: 'Outside /v1: file transfers' }] }
    Object.assign(paths[other.path] ?? {}, { [other.method.toLowerCase()]: describeOther(other, schemas, config) })
  }
  const webhooks = Object.fromEntries(events.map((event) => [event.type, describeEvent(event, schemas, config)]))
  const resources = [...new Set([...operations, ...others].map(({ resource }) => resource))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Portico',
      version: 'v1',
      summary: 'The server-to-server API of a funding Portal.',
      description:
        'Manage the businesses and funding applications of a Portal. Send `Authorization: Bearer <API_KEY>` with every request. Every response has a `Request-Id` header.',
      contact: { name: 'Support and security', url: `${config.public_url}/docs/guides/security` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${config.public_url}/v1`, description: 'This deployment' }],
    security: [{ portal_api_key: [] }],
    tags: [
      ...resources.map((name) => ({ name, description: descriptions[name] ?? name })),
      ...(events.length > 0 ? [{ name: 'Webhook events', description: 'The events that a webhook receives.' }] : []),
    ],
    paths,
    ...(events.length > 0 && { webhooks }),
    components: {
      schemas: schemas.components,
      headers: responseHeaders,
      securitySchemes: {
        portal_api_key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A Portal API key, created by a Portal administrator. It is valid for one Portal and one environment.',
        },
        ...(others.length > 0 && {
          transfer_credential: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The credential for one file transfer, as returned by `upload/` or `download/`. Never send the API key to these addresses.',
          },
        }),
      },
    },
  }
}

function describeOther(
  other: OtherOperation,
  schemas: SchemaCollector,
  config: Pick<Config, 'public_url'>,
): JsonSchema {
  const { id, summary, description, resource, path, params, request_body, errors } = other
  return {
    operationId: id,
    summary,
    description,
    tags: [resource],
    security: [{ transfer_credential: [] }],
    parameters: pathParameters({ path, params }),
    ...(request_body && { requestBody: request_body }),
    responses: { ...otherResponses(other, schemas, config), ...errorResponses([...errors, ...everywhere], schemas) },
  }
}

/** The answers of a transfer; where it answers a record, with its schema and a true one. */
function otherResponses(
  { id, status, response, responses }: OtherOperation,
  schemas: SchemaCollector,
  config: Pick<Config, 'public_url'>,
): JsonSchema {
  if (!response) return { ...responses }
  const content = {
    'application/json': { schema: schemas.refer(response, 'received'), ...exampleMember(recordedResponse(id, config)) },
  }
  return { ...responses, [status]: { ...responses[status], content } }
}

function describeOperation(
  operation: Operation,
  schemas: SchemaCollector,
  config: Pick<Config, 'public_url'>,
): JsonSchema {
  const { id, method, summary, description, resource, grant } = operation
  const needs =
    grant.length > 0 ? `Required grant: ${grant.map((name) => `\`${name}\``).join(' or ')}.` : 'Required grant: none.'
  return {
    operationId: id,
    summary,
    description: [description, needs].filter(Boolean).join('\n\n'),
    tags: [resource],
    parameters: [...pathParameters(operation), ...queryParameters(operation, schemas), ...headerParameters(operation)],
    ...requestBody(operation, schemas),
    responses: {
      [operation.status]: {
        description: operation.collection
          ? 'A page of the collection.'
          : method === 'GET'
            ? 'The record.'
            : operation.idempotency === 'none'
              ? 'The answer.'
              : 'The request succeeded. The body is the current record.',
        headers: headersOf(operation),
        content: {
          'application/json': {
            schema: schemas.refer(operation.response, 'received'),
            ...exampleMember(recordedResponse(operation.id, config)),
          },
        },
      },
      ...(method === 'GET' &&
        !operation.collection && {
          304: {
            description: 'The record has not changed (If-None-Match).',
            headers: { ETag: header('ETag'), 'Request-Id': header('Request-Id') },
          },
        }),
      ...errorResponses(errorCodesOf(operation), schemas),
    },
  }
}

function pathParameters({ path, params }: Pick<Operation, 'path' | 'params'>): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(params[name] && { description: params[name].description }),
    schema: { type: 'string', ...(params[name] && { pattern: params[name].pattern }) },
  }))
}

function queryParameters({ query }: Operation, schemas: SchemaCollector): JsonSchema[] {
  return Object.entries(viewOf(query).properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schemas.refer(schema, 'sent')
    return { name, in: 'query', required: false, ...(description !== undefined && { description }), schema: rest }
  })
}

function headerParameters({ method, idempotency, ifMatch, collection }: Operation): JsonSchema[] {
  const header = (name: string, required: boolean, description: string, pattern?: string) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', ...(pattern && { pattern }) },
  })
  const headers: JsonSchema[] = []
  if (idempotency !== 'none')
    headers.push(
      header(
        'Idempotency-Key',
        idempotency === 'required',
        'A unique value for each new request. To retry a request, send the same value with the identical request.',
        '^"?[A-Za-z0-9._:-]{16,255}"?$',
      ),
    )
  if (ifMatch)
    headers.push(header('If-Match', true, 'The ETag of the version you want to change, including the quotes.'))
  if (method === 'GET' && !collection)
    headers.push(
      header(
        'If-None-Match',
        false,
        'The ETag of the version you already have. The response is 304 if it is still current.',
      ),
    )
  return headers
}

function requestBody({ body, example, method }: Operation, schemas: SchemaCollector): JsonSchema {
  if (body)
    return {
      requestBody: {
        required: !isBodyOptional(body),
        content: {
          'application/json': { schema: schemas.refer(body, 'sent'), ...(example !== undefined && { example }) },
        },
      },
    }
  if (method === 'GET') return {}
  return {
    requestBody: {
      required: false,
      description: 'No body, or an empty object.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: false, maxProperties: 0 } } },
    },
  }
}

/** What can happen to any request before it reaches its operation. */
const everywhere: readonly ErrorCode[] = [
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
]

/** Every error code an operation can return: those that every operation of its form has, and its own. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { method, ifMatch, idempotency, body, collection, path } = operation
  const codes: ErrorCode[] = [
    ...everywhere,
    'authentication_required',
    'invalid_api_key',
    'api_key_expired',
    'api_key_revoked',
    'portal_suspended',
    'rate_limited',
    'not_acceptable',
  ]
  codes.push('invalid_request', 'unsupported_query_parameter')
  if (operation.grant.length > 0) codes.push('resource_not_granted', 'action_not_granted')
  if (Object.keys(operation.query.properties).length > 0)
    codes.push('repeated_query_parameter', 'invalid_query_parameter')
  if (collection) codes.push('invalid_cursor', 'cursor_mismatch', 'cursor_expired')
  if (path.includes('{')) codes.push('not_found')
  if (method !== 'GET') codes.push('malformed_json', 'unsupported_media_type', 'validation_failed')
  if (idempotency !== 'none')
    codes.push('invalid_idempotency_key', 'idempotency_key_in_use', 'idempotency_key_reused', 'gone')
  if (idempotency === 'required') codes.push('idempotency_key_required')
  if (ifMatch) codes.push('precondition_required', 'precondition_failed', 'invalid_if_match')
  if (body) codes.push('validation_failed')
  return [...new Set([...codes, ...operation.errors])].sort(
    (a, b) => catalogueEntry(a).status - catalogueEntry(b).status || a.localeCompare(b),
  )
}

/** An example that holds schemas is left to its page: tools take them, and their references, for parts of this document. */
function exampleMember(example: unknown): JsonSchema {
  return example === undefined || /"(\$ref|example)":/.test(JSON.stringify(example)) ? {} : { example }
}

function describeEvent(event: EventKind, schemas: SchemaCollector, config: Pick<Config, 'public_url'>): JsonSchema {
  return {
    post: {
      operationId: `receive.${event.type}`,
      summary: event.description,
      tags: ['Webhook events'],
      security: [],
      parameters: signatureParameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: event.message
              ? schemas.refer(eventSchema(event), 'received')
              : {
                  allOf: [
                    schemas.refer(Event, 'received'),
                    { properties: { type: { type: 'string', const: event.type, description: 'The event type.' } } },
                  ],
                },
            example: exampleEvent(event, config),
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. Respond within 15 seconds.' },
        410: { description: 'No longer wanted. The webhook is disabled.' },
        default: { description: 'Not received. The event is delivered again, on the schedule of retries.' },
      },
    },
  }
}

const signatureParameters: readonly JsonSchema[] = [
  ['webhook-id', 'The id of the message. It is the same in every attempt: use it to ignore what you have processed.'],
  ['webhook-timestamp', 'When the attempt was made, in seconds since 1970. Part of what is signed.'],
  [
    'webhook-signature',
    'Signatures after Standard Webhooks, separated by spaces: `v1,` and the HMAC-SHA256 of id, timestamp and body.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))
