// An operation is data: HTTP routes, checks, both OpenAPI documents, the reference and the test of every operation
// are loops over one list of these.
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { RateClass } from '../config.ts'
import type { Caller } from '../context.ts'
import type { Connection, Tx } from '../database/database.ts'
import type { Page, PageRequest } from '../database/paging.ts'
import type { Principal } from '../protocol/authentication.ts'
import type { ErrorCode } from '../protocol/error-catalogue.ts'
import type { IfMatch } from '../protocol/etag.ts'
import type { ExampleSource, PathParameters } from './path-parameter.ts'

/** One request, checked: what a handler works with. */
export interface Call<Path extends string = string, Query = unknown, Body = unknown> {
  caller: Caller
  principal: Principal
  params: PathParams<Path>
  query: Query
  body: Body
  /** Present whenever the operation requires If-Match. */
  ifMatch: IfMatch | null
}

type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : Record<never, string>

/** A response that is not a record of a database: sent as it is. */
export class Document {
  constructor(
    readonly text: string,
    readonly etag: string,
  ) {}
}

interface CommonSpec<Path extends string, Query extends TProperties> {
  /** Stable name, `<resource>.<verb>`; also the operationId of the OpenAPI document. */
  id: string
  path: Path
  /** The heading it stands under in the reference. */
  resource: string
  summary: string
  description?: string
  /** The grants that open it, any one of them; empty when every key may. */
  grant: readonly string[]
  rate?: RateClass
  /** What the path names, by parameter. */
  params?: PathParameters
  /** What the example needs besides, or comes by in another way than `params` say. */
  example_needs?: Readonly<Record<string, ExampleSource>>
  /** The query of the example. */
  example_query?: string
  query?: Query
  errors?: readonly ErrorCode[]
}

interface ReadSpec<Path extends string, Query extends TProperties, Response extends TSchema>
  extends CommonSpec<Path, Query> {
  response: Response
  /** What never changes once it is there may be kept by callers for good. */
  isImmutable?: boolean
  read(db: Connection, call: Call<Path, Static<TObject<Query>>>): Promise<Static<Response> | Document>
}

export interface CollectionRules {
  orders: readonly string[]
  default_order: string
  page_size: { default: number; maximum: number }
  /** False for collections that page forward only. */
  backward: boolean
}

interface ListSpec<Path extends string, Query extends TProperties, Item extends TSchema>
  extends CommonSpec<Path, Query> {
  item: Item
  collection: CollectionRules
  list(db: Connection, call: Call<Path, Static<TObject<Query>>>, page: PageRequest): Promise<Page<Static<Item>>>
}

interface WriteSpec<Path extends string, Query extends TProperties, Body extends TSchema, Response extends TSchema>
  extends CommonSpec<Path, Query> {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** True for changes of an existing record: they need the ETag of the version they are based on. */
  ifMatch: boolean
  /** The path whose ETag that is, where it is not that of the first record the path names. */
  versioned_path?: string
  /** Absent for a command without fields: it takes no body or `{}`. */
  body?: Body
  /** The body shown in the reference and run by its tests. */
  example?: Static<Body>
  status: 200 | 201 | 202
  response: Response
  /**
   * Work that no transaction may wait for, such as a call to the outside. It is done before the write, unless the answer
   * is known already; the write is handed its result.
   */
  prepare?(db: Connection, call: Call<Path, Static<TObject<Query>>, Static<Body>>): Promise<unknown>
  write(tx: Tx, call: Call<Path, Static<TObject<Query>>, Static<Body>>, prepared?: unknown): Promise<Static<Response>>
  /** What the audit log names as changed, where the outermost fields of the body do not say it. Never a value. */
  changes?(body: Static<Body>): readonly string[]
}

/** A question whose answer depends on more than an address can hold: asked by POST, and nothing is written. */
interface QuestionSpec<Path extends string, Body extends TSchema, Response extends TSchema>
  extends CommonSpec<Path, TProperties> {
  body: Body
  /** The body shown in the reference and run by its tests. */
  example: Static<Body>
  response: Response
  ask(db: Connection, call: Call<Path, unknown, Static<Body>>): Promise<Static<Response>>
}

/** Any operation, its types forgotten: what the loops over the list see. */
export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  resource: string
  summary: string
  description: string
  grant: readonly string[]
  rate: RateClass
  params: PathParameters
  example_needs: Readonly<Record<string, ExampleSource>>
  example_query: string
  query: TObject
  body: TSchema | undefined
  example: unknown
  ifMatch: boolean
  /** The path whose ETag If-Match holds: whatever is under a record shares its ETag, unless it is said otherwise. */
  versioned_path: string
  /** Whether a request may be sent again safely under its Idempotency-Key, and must have one. */
  idempotency: 'none' | 'optional' | 'required'
  status: number
  response: TSchema
  collection: CollectionRules | undefined
  isImmutable: boolean
  errors: readonly ErrorCode[]
  /** What the audit log names as changed; undefined for the outermost fields of the body. */
  changes: ((body: unknown) => readonly string[]) | undefined
  handler:
    | { kind: 'read'; run(db: Connection, call: Call): Promise<unknown> }
    | { kind: 'list'; run(db: Connection, call: Call, page: PageRequest): Promise<Page<unknown>> }
    | {
        kind: 'write'
        prepare: ((db: Connection, call: Call) => Promise<unknown>) | undefined
        run(tx: Tx, call: Call, prepared?: unknown): Promise<unknown>
      }
}

/** What is served beside the API, for its OpenAPI document: not of the protocol, and with a credential of its own. */
export interface OtherOperation {
  id: string
  method: 'PUT' | 'GET'
  /** Below the public address, not below the version. */
  path: string
  resource: string
  summary: string
  description: string
  /** Keys with any of these are told of it. */
  grant: readonly string[]
  params: PathParameters
  example_needs: Readonly<Record<string, ExampleSource>>
  /** Commands before the request of the example, and the arguments of its curl: the first before the address. */
  shell_before: readonly string[]
  shell: readonly string[]
  /** The status and the record of a success; undefined where it answers bytes. */
  status: number
  response: TSchema | undefined
  request_body: object | undefined
  responses: Readonly<Record<number, object>>
  errors: readonly ErrorCode[]
}

export function defineRead<const Path extends string, Query extends TProperties, Response extends TSchema>(
  spec: ReadSpec<Path, Query, Response>,
): Operation {
  return {
    ...common(spec),
    method: 'GET',
    rate: spec.rate ?? 'read',
    query: Type.Object(spec.query ?? {}, { additionalProperties: false }),
    status: 200,
    response: spec.response,
    isImmutable: spec.isImmutable ?? false,
    handler: { kind: 'read', run: forgetTypes(spec.read) },
  }
}

export function defineList<const Path extends string, Query extends TProperties, Item extends TSchema>(
  spec: ListSpec<Path, Query, Item>,
): Operation {
  const { page_size, orders, default_order } = spec.collection
  const paging = {
    cursor: Type.Optional(
      Type.String({
        description: 'The `next_cursor` or `previous_cursor` of another page. Send all other parameters unchanged.',
      }),
    ),
    page_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: page_size.maximum,
        default: page_size.default,
        description: `Number of records per page, from 1 to ${page_size.maximum}.`,
      }),
    ),
    ...(orders.length > 0 && {
      order: Type.Optional(
        Type.Enum(
          orders.flatMap((name) => [name, `-${name}`]),
          { default: default_order, description: 'Sort order. A leading `-` sorts in descending order.' },
        ),
      ),
    }),
  }
  return {
    ...common(spec),
    method: 'GET',
    rate: spec.rate ?? 'read',
    query: Type.Object({ ...spec.query, ...paging }, { additionalProperties: false }),
    status: 200,
    response: collectionOf(spec.item, spec.collection.backward),
    collection: spec.collection,
    example_query: spec.example_query ?? 'page_size=2',
    handler: { kind: 'list', run: forgetTypes(spec.list) },
  }
}

export function defineWrite<
  const Path extends string,
  Query extends TProperties,
  Body extends TSchema,
  Response extends TSchema,
>(spec: WriteSpec<Path, Query, Body, Response>): Operation {
  return {
    ...common(spec),
    method: spec.method,
    rate: spec.rate ?? 'write',
    query: Type.Object(spec.query ?? {}, { additionalProperties: false }),
    body: spec.body,
    example: spec.example,
    ifMatch: spec.ifMatch,
    ...(spec.versioned_path && { versioned_path: spec.versioned_path }),
    idempotency: spec.method === 'POST' ? 'required' : 'optional',
    status: spec.status,
    response: spec.response,
    changes: spec.changes && forgetTypes(spec.changes),
    handler: { kind: 'write', prepare: spec.prepare && forgetTypes(spec.prepare), run: forgetTypes(spec.write) },
  }
}

export function defineQuestion<const Path extends string, Body extends TSchema, Response extends TSchema>(
  spec: QuestionSpec<Path, Body, Response>,
): Operation {
  return {
    ...common(spec),
    method: 'POST',
    rate: spec.rate ?? 'read',
    query: Type.Object({}, { additionalProperties: false }),
    body: spec.body,
    example: spec.example,
    status: 200,
    response: spec.response,
    handler: { kind: 'read', run: forgetTypes(spec.ask) },
  }
}

/** Whether every field of a body may be left out, and so the body. */
export function isBodyOptional(body: TSchema): boolean {
  const { required, minProperties }: { required?: readonly string[]; minProperties?: number } = body
  return (required ?? []).length === 0 && minProperties === undefined
}

function common(spec: CommonSpec<string, TProperties>) {
  const { id, path, resource, summary, description = '', grant, params = {}, errors = [] } = spec
  const { example_needs = {}, example_query = '' } = spec
  return {
    id,
    path,
    resource,
    summary,
    description,
    grant,
    params,
    example_needs,
    example_query,
    errors,
    body: undefined,
    example: undefined,
    ifMatch: false,
    versioned_path: /^.*?\{\w+\}\//.exec(path)?.[0] ?? path,
    idempotency: 'none' as const,
    collection: undefined,
    isImmutable: false,
    changes: undefined,
  }
}

function collectionOf(item: TSchema, backward: boolean): TSchema {
  const cursor = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
  return Type.Object({
    items: Type.Array(item, { description: 'The records of this page.' }),
    next_cursor: cursor('Send it as `cursor` to get the next page; null on the last page.'),
    previous_cursor: cursor(
      backward
        ? 'Send it as `cursor` to get the previous page; null on the first page.'
        : 'Always null: this collection can only be paged forward.',
    ),
  })
}

/** Only called with a call whose query and body have passed the schemas the types were inferred from. */
function forgetTypes<F>(handler: F): never {
  return handler as never // safe because of the line above
}
