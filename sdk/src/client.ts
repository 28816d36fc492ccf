// The typed client: one method for requests, one for walking collections. It retries what is safe to retry, with the
// same Idempotency-Key and as late as the server asks, so that a command is carried out once.
import { type Operations, routes } from './generated/operations.ts'

export type OperationId = keyof Operations
/** Operations that answer with pages. */
export type CollectionId = {
  [Id in OperationId]: Operations[Id]['response'] extends { items: unknown[] } ? Id : never
}[OperationId]
type Item<Id extends CollectionId> = Operations[Id]['response'] extends { items: Array<infer One> } ? One : never

export interface ClientOptions {
  apiKey: string
  /** With the version, for example https://portal.example.com/v1 */
  baseUrl: string
  /** How often a request is tried again after the first time. */
  maximumRetries?: number
  timeoutMs?: number
  fetch?: typeof fetch
}

/** Parameters of the path are required where the path has some. */
type Params<Id extends OperationId> = keyof Operations[Id]['params'] extends never
  ? { params?: Operations[Id]['params'] }
  : { params: Operations[Id]['params'] }

export type RequestOptions<Id extends OperationId> = Params<Id> & {
  query?: Operations[Id]['query']
  body?: Operations[Id]['body']
  /** The `etag` of the version a change is based on. */
  ifMatch?: string
  /** Made up for each command unless given; give it to be able to retry across restarts of your own. */
  idempotencyKey?: string
}

/** What the server answered instead of success; decide by `code`. */
export class PorticoError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly { location: string; pointer?: string; name?: string; code: string; message: string }[],
    readonly requestId: string | null,
    /** Whether the same request may succeed later. */
    readonly isRetryable: boolean,
  ) {
    super(`${message} (${code}, ${requestId ?? 'no request id'})`)
    this.name = 'PorticoError'
  }
}

export class Portico {
  readonly #options: Required<ClientOptions>

  constructor(options: ClientOptions) {
    this.#options = { maximumRetries: 4, timeoutMs: 30_000, fetch, ...options }
  }

  async request<Id extends OperationId>(id: Id, options: RequestOptions<Id>): Promise<Operations[Id]['response']> {
    const route: { method: string; path: string } | undefined = routes[id]
    if (route === undefined) throw new TypeError(`There is no operation ${id}. OperationId lists them.`)
    const { method, path } = route
    const url = addressOf(this.#options.baseUrl, path, options)
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.apiKey}`,
      accept: 'application/json',
    }
    if (method !== 'GET') headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID()
    if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    const body = options.body === undefined ? undefined : JSON.stringify(options.body)

    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= this.#options.maximumRetries
      let waitMs = backoffMs(attempt)
      try {
        const response = await this.#send(url, { method, headers, ...(body !== undefined && { body }) })
        const text = await response.text()
        // safe because the server's responses fit the schemas these types were written from
        if (response.ok) return JSON.parse(text) as Operations[Id]['response']
        const error = toError(response, text)
        if (!error.isRetryable || isLast) throw error
        waitMs = Number(response.headers.get('retry-after')) * 1000 || waitMs
      } catch (error) {
        // The network failed, or the answer broke off: whether the command was carried out is what the retry will tell.
        if (error instanceof PorticoError || isLast) throw error
      }
      await pause(waitMs)
    }
  }

  /** Every record of a collection, page after page. */
  async *list<Id extends CollectionId>(id: Id, options: RequestOptions<Id>): AsyncGenerator<Item<Id>> {
    let cursor: string | null = null
    do {
      const query = { ...options.query, ...(cursor !== null && { cursor }) } as Operations[Id]['query'] // safe because every collection takes a cursor
      const page: { items: unknown[]; next_cursor: string | null } = await this.request(id, { ...options, query })
      yield* page.items as Item<Id>[] // safe because Item is the type of this operation's items
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  #send(url: string, request: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs)
    return this.#options.fetch(url, { ...request, redirect: 'error', signal })
  }
}

/** Something in between may answer instead of the server: then there is a status and no more. */
function toError(response: Response, text: string): PorticoError {
  const requestId = response.headers.get('request-id')
  try {
    const { code, message, details, retryable } = JSON.parse(text)
    return new PorticoError(response.status, code, message, details, requestId, retryable)
  } catch {
    const message = 'The answer did not come from Portico.'
    return new PorticoError(response.status, 'unexpected_response', message, [], requestId, response.status >= 502)
  }
}

function addressOf(
  baseUrl: string,
  path: string,
  { params = {}, query = {} }: { params?: object; query?: object },
): string {
  const values = new Map(Object.entries(params))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${baseUrl.replace(/\/$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`
}

function backoffMs(attempt: number): number {
  return 200 * 2 ** attempt * (1 + Math.random() / 2)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
