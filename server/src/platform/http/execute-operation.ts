// From an admitted request to its answer: read, list or write.
import type { FastifyRequest } from 'fastify'
import type { Caller, Context } from '../context.ts'
import type { PageRequest } from '../database/paging.ts'
import { retryRaces } from '../database/races.ts'
import { ApiError, bodyDetail, validationFailed } from '../protocol/errors.ts'
import { etagOfText, isKnown } from '../protocol/etag.ts'
import { parseStrictJson } from '../protocol/strict-json.ts'
import { checkAgainst, escapePointer } from '../protocol/validation.ts'
import { type Admission, unsupportedMediaType } from './admission.ts'
import { type Cursor, digestFilters, openCursor, requireSameRequest, sealCursor } from './cursors.ts'
import { createIdempotency, hashBody } from './idempotency.ts'
import { noteWrite } from './note-write.ts'
import { type Call, type CollectionRules, Document, isBodyOptional, type Operation } from './operation.ts'
import { jsonHeaders, type RenderedResponse, renderError } from './respond.ts'

export function createExecution(operation: Operation, house: Context) {
  const runIdempotently = createIdempotency(house)
  const check = operation.body && checkAgainst(operation.body)
  const paramPatterns = Object.entries(operation.params).map(([name, { pattern }]) => ({
    name,
    pattern: new RegExp(pattern),
  }))
  const readOnlyFields = fieldsOf(operation.response)

  return async (request: FastifyRequest, admission: Admission): Promise<RenderedResponse> => {
    // safe because Fastify fills the parameters named in the path, each a text
    const params = request.params as Record<string, string>
    const { principal } = admission
    const { portal_id, key } = principal
    // From here on, the database shows what this Portal may see, and nothing else.
    const context: Context = { ...house, database: house.database.within(portal_id) }
    const caller: Caller = { context, portal_id, request_id: request.id, key_id: key.id }
    const call: Call = {
      caller,
      principal,
      params,
      query: admission.query,
      body: undefined,
      ifMatch: admission.if_match,
    }
    const { handler } = operation

    const bytes = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined
    if (operation.method !== 'GET') {
      if (bytes && request.headers['content-type'] === undefined) throw unsupportedMediaType('Content-Type')
      call.body = readBody(bytes)
    }
    if (handler.kind === 'write') {
      const execute = async (tx: Parameters<typeof handler.run>[0]): Promise<RenderedResponse> => {
        requireIds(params)
        const result = await handler.run(tx, call, prepared)
        await noteWrite(tx, operation, call, result)
        return renderRecord(operation.status, result)
      }
      const { database } = context
      let prepared: unknown
      const prepare = async () => {
        requireIds(params)
        prepared = await handler.prepare?.(database.read, call)
      }
      if (admission.idempotency_key === undefined) {
        await prepare()
        return retryRaces(database, () => database.transaction(execute))
      }
      return runIdempotently(
        database,
        {
          portal_id: principal.portal_id,
          key: admission.idempotency_key,
          request_id: request.id,
          method: operation.method,
          path: canonicalPath(operation, params),
          query: admission.query_string,
          if_match: admission.if_match_header,
          body_hash: hashBody(bytes),
        },
        execute,
        (refusal) => renderError(context, refusal, request.id, request.headers.accept),
        handler.prepare && prepare,
      )
    }

    requireIds(params)
    if (handler.kind === 'read') {
      const result = await handler.run(context.database.read, call)
      const response = result instanceof Document ? renderDocument(result) : renderRecord(200, result)
      // The answer to a question is no record: there is nothing to keep of it, or to change.
      if (operation.method !== 'GET') return response
      response.headers.etag ??= etagOfText(response.body)
      if (operation.isImmutable) response.headers['cache-control'] = 'private, max-age=31536000, immutable'
      return isKnown(request.headers['if-none-match'], response.headers.etag ?? '') ? notModified(response) : response
    }

    const { collection } = operation
    if (!collection) throw new Error(`${operation.id} lists without rules for its collection`)
    const scope = `${principal.portal_id} ${context.config.environment} ${canonicalPath(operation, params)}`
    const { page, order, filters } = readPaging(context, scope, collection, admission.query)
    call.query = filters
    const { items, next, previous } = await handler.run(context.database.read, call, page)
    const seal = (position: Cursor | null) => position && sealCursor(context.vault, scope, position)
    const remembered = { order, page_size: page.size, filters: digestFilters(filters), issued_at: context.clock.now() }
    const body = {
      items,
      next_cursor: seal(next && { ...next, ...remembered, direction: 'forward' }),
      previous_cursor: seal(
        collection.backward ? previous && { ...previous, ...remembered, direction: 'backward' } : null,
      ),
    }
    return { status: 200, headers: jsonHeaders, body: JSON.stringify(body) }
  }

  /** An id of the wrong form cannot be the id of anything: the same answer as for a record that is not there. */
  function requireIds(params: Record<string, string>): void {
    for (const { name, pattern } of paramPatterns) {
      if (!pattern.test(params[name] ?? '')) throw new ApiError('not_found')
    }
  }

  function readBody(bytes: Buffer | undefined): unknown {
    if (!check) {
      const value = bytes === undefined ? {} : parseStrictJson(bytes)
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw validationFailed([bodyDetail('', 'invalid_type', 'The body must be empty or {}.')])
      const fields = Object.keys(value)
      if (fields.length > 0)
        throw validationFailed(
          fields.map((field) =>
            bodyDetail(`/${escapePointer(field)}`, 'unknown_field', 'This operation does not accept any fields.'),
          ),
        )
      return {}
    }
    if (bytes === undefined && operation.body && !isBodyOptional(operation.body))
      throw validationFailed([bodyDetail('', 'required', 'This operation requires a JSON body.')])
    const value = bytes === undefined ? {} : parseStrictJson(bytes)
    const problems = check(value)
    if (problems.length === 0) return value
    throw validationFailed(
      problems.map(({ pointer, code, message, meta }) =>
        code === 'unknown_field' && readOnlyFields.has(pointer.slice(1))
          ? bodyDetail(pointer, 'not_editable', 'This operation cannot set this field. Remove it from the body.')
          : bodyDetail(pointer, code, message, meta),
      ),
    )
  }
}

/** One name for every way an address can be written: with or without the closing slash, percent-encoded or not. */
function canonicalPath({ path }: Operation, params: Record<string, string>): string {
  return `/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}`
}

function readPaging(context: Context, scope: string, rules: CollectionRules, query: Record<string, unknown>) {
  const { cursor: sealed, page_size, order: sentOrder, ...filters } = query
  // safe because all three have passed the schema of the operation's query
  const order = (sentOrder as string | undefined) ?? rules.default_order
  const size = page_size as number | undefined
  let cursor: Cursor | undefined
  if (typeof sealed === 'string') {
    cursor = openCursor(context.vault, scope, sealed, context.clock.now())
    requireSameRequest(cursor, { order, page_size: size, filters: digestFilters(filters) })
  }
  const page: PageRequest = {
    order: order.replace(/^-/, ''),
    is_descending: order.startsWith('-'),
    size: cursor?.page_size ?? size ?? rules.page_size.default,
    direction: cursor?.direction ?? 'forward',
    position: cursor,
  }
  return { page, order, filters }
}

function renderRecord(status: number, record: unknown): RenderedResponse {
  return { status, headers: headersOf(status, record), body: JSON.stringify(record) }
}

/** Written out for each case, its own headers first: V8 copies an object fast, but is slow to add to the copy. */
function headersOf(status: number, record: unknown): Record<string, string> {
  // safe because absent ones stay undefined
  const { etag, url, self_url = url } = (record ?? {}) as { etag?: unknown; url?: unknown; self_url?: unknown }
  // A record whose `url` is something else of its own has its address in `self_url`.
  const location = status === 200 ? undefined : self_url
  if (typeof etag === 'string' && typeof location === 'string') return { etag, location, ...jsonHeaders }
  if (typeof etag === 'string') return { etag, ...jsonHeaders }
  if (typeof location === 'string') return { location, ...jsonHeaders }
  return { ...jsonHeaders }
}

function renderDocument({ text, etag }: Document): RenderedResponse {
  return { status: 200, headers: { ...jsonHeaders, etag, vary: 'authorization' }, body: text }
}

function notModified({ headers: { 'content-type': _, ...headers } }: RenderedResponse): RenderedResponse {
  return { status: 304, headers, body: '' }
}

function fieldsOf(schema: object): Set<string> {
  return new Set('properties' in schema && schema.properties ? Object.keys(schema.properties) : [])
}
