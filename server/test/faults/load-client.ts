// A client on connections that stay open, as integrators have. Unlike fetch it tells a refused connection from a
// request that was sent and never answered, and never sends a request again by itself.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface LoadRequest {
  method: string
  /** Below the origin, beginning with a slash. */
  path: string
  headers?: Record<string, string>
  body?: unknown
}

export interface LoadClient {
  /** Rejects when there is no whole answer. */
  send(sent: LoadRequest): Promise<Reply>
  /** Nobody is to send anything more: who is patient has to know. */
  readonly isClosed: boolean
  close(): void
}

interface LoadClientSettings {
  key: string
  sockets: number
  /** The certificate to trust, for an origin with TLS. */
  ca?: Buffer
  /** Where the connections come from, on a machine with several addresses. */
  localAddress?: string
}

export function createLoadClient(origin: string, { key, sockets, ca, localAddress }: LoadClientSettings): LoadClient {
  const settings = { keepAlive: true, maxSockets: sockets, ...(localAddress && { localAddress }) }
  const agent = ca ? new TlsAgent({ ...settings, ca }) : new Agent(settings)
  let isClosed = false
  return {
    get isClosed() {
      return isClosed
    },
    send: ({ method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
        const sent = (ca ? requestTls : request)(origin + path, {
          method,
          agent,
          timeout: answerTimeoutMs,
          headers: {
            authorization: `Bearer ${key}`,
            ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
            ...headers,
          },
        })
        sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path} in ${answerTimeoutMs} ms`)))
        sent.once('error', reject)
        sent.once('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          )
        })
        sent.end(bytes)
      }),
    close() {
      isClosed = true
      agent.destroy()
    },
  }
}

/** Nobody listened: the request was not sent. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
}

/** The id in the body of a record. */
export function idOf({ text }: Reply): string {
  const { id } = JSON.parse(text)
  if (typeof id !== 'string') throw new Error(`no id in ${text}`)
  return id
}

export function codeOf({ text }: Reply): string {
  return JSON.parse(text).code
}

/** Longer than the server's own limits, so that the server is first to give up. */
const answerTimeoutMs = 40_000
