import { randomUUID } from 'node:crypto'

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
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
    const response = await fetch(path.startsWith('http') ? path : base + path, {
      method,
      headers: kept,
      redirect: 'manual',
      ...((raw ?? body) !== undefined && { body: raw ?? JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the test sees it in `text`
  }
}
