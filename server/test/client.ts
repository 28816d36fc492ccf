import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'

export interface Answer<Body = Record<string, unknown>> {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form
  body: Body extends Record<string, unknown> ? any : Body
}

export interface Sent {
  key?: string
  body?: unknown
  /** Bytes to send as they are. */
  raw?: string | Uint8Array
  /** A header set to null is left out. */
  headers?: Record<string, string | null>
}

export type Client = (method: string, path: string, sent?: Sent) => Promise<Answer>

/** Calls paths below the base address, or whole addresses, as an integrator would. */
export function createClient(base: string): Client {
  return async (method, path, { key, body, raw, headers = {} } = {}) => {
    const all: Record<string, string | null> = { ...headers }
    if (key !== undefined) all.authorization ??= `Bearer ${key}`
    if (body !== undefined) all['content-type'] ??= 'application/json'
    if (method === 'POST' && all['idempotency-key'] === undefined) all['idempotency-key'] = randomUUID()
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    if (content !== undefined) all['content-length'] ??= String(Buffer.byteLength(content))
    const kept = Object.entries({ accept: '*/*', ...all }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    return exchange(method, path.startsWith('http') ? path : base + path, kept, content)
  }
}

const connections = new Agent({ keepAlive: true })

/** By Node's own client, which takes less than half the work of `fetch`: much of what the tests do is send requests. */
function exchange(
  method: string,
  url: string,
  headers: readonly [string, string][],
  content: string | Uint8Array | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => resolve(answerOf(response, text)))
    }
    const sent = request(url, { method, headers: Object.fromEntries(headers), agent: connections }, answered)
    sent.on('error', reject)
    sent.end(content)
  })
}

/** Made of what came when somebody looks: most tests look at little of it. */
function answerOf(response: IncomingMessage, text: string): Answer {
  let headers: Headers | undefined
  let body: { parsed: unknown } | undefined
  return {
    status: response.statusCode ?? 0,
    text,
    get headers() {
      headers ??= headersOf(response)
      return headers
    },
    get body() {
      body ??= { parsed: parse(text) }
      return body.parsed
    },
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  return headers
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the test sees it in `text`
  }
}
