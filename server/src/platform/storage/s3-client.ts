// Requests to one bucket: addressed, signed, bounded in time and tried at most twice.
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { reasonOf } from '../values/reason.ts'
import { StoreUnavailable } from './file-store.ts'
import { type Credentials, presign, signHeaders, type UnsignedRequest } from './sigv4.ts'

export interface S3Settings extends Credentials {
  /** Scheme, host and port. */
  endpoint: string
  region: string
  bucket: string
  /** The bucket is in the path rather than in the name of the host. */
  path_style: boolean
  clock?: Pick<Clock, 'now'>
  /** Until an answer begins. Between two pieces of it four times as long, as it may be our reader who is slow. */
  timeout_ms?: number
}

export interface S3Client {
  presign(
    method: 'PUT' | 'GET',
    key: string,
    parts: Partial<Pick<UnsignedRequest, 'query' | 'headers'>>,
    expiresInSeconds: number,
  ): string
  /** Any answer but a 5xx; the key '' means the bucket. Read its body or its problem. */
  send(
    method: 'GET' | 'HEAD' | 'DELETE',
    key: string,
    headers: Record<string, string>,
    query?: Record<string, string>,
  ): Promise<S3Answer>
  /** Any answer. Sent once: a stream cannot be sent again. Throws what has broken the stream or ended the signal. */
  put(key: string, headers: Record<string, string>, body: S3Body): Promise<S3Answer>
  close(): void
}

interface S3Body {
  bytes: Readable
  /** Part of the signature: a store that checks it refuses other bytes. */
  sha256: string
  signal: AbortSignal
}

interface S3Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
  /** Uses up the body. */
  problem(): Promise<{ code: string | undefined; sentence: string }>
}

export function createS3Client(settings: S3Settings): S3Client {
  const { region, bucket, path_style, clock = { now: () => Date.now() }, timeout_ms = 15_000 } = settings
  const endpoint = new URL(settings.endpoint)
  const origin = path_style ? endpoint.origin : `${endpoint.protocol}//${bucket}.${endpoint.host}`
  const isSecure = endpoint.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: 64 }
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const addressOf = (key: string) => ({ origin, path: path_style ? `/${bucket}/${key}`.replace(/\/$/, '') : `/${key}` })
  const signing = () => ({ credentials: settings, region, at: clock.now() })

  async function sendOnce(
    method: string,
    key: string,
    parts: Pick<UnsignedRequest, 'query' | 'headers'>,
    body?: S3Body,
  ): Promise<S3Answer> {
    const what = `${method} ${key || bucket} at ${endpoint.host}`
    const unsigned = { method, ...addressOf(key), ...parts }
    const { url, headers } = signHeaders(unsigned, signing(), body?.sha256)
    return new Promise((resolve, reject) => {
      const send = isSecure ? httpsRequest : httpRequest
      const request = send(url, { method, headers, agent, timeout: timeout_ms, ...(body && { signal: body.signal }) })
      const tooLate = () => request.destroy(new Error(`no response for ${timeout_ms} ms`))
      // The timeout of the socket sees silence only; this one also a server that never gets to the point.
      let deadline: NodeJS.Timeout | undefined
      const awaitAnswer = () => {
        deadline = setTimeout(tooLate, timeout_ms)
      }
      request
        .on('timeout', tooLate)
        // Before the pipeline hears of it, so a stream that is broken by now has broken the request, and not the reverse.
        .on('error', (cause) => reject(body?.bytes.errored || body?.signal.aborted ? cause : unreachable(what, cause)))
        .on('response', (response) => resolve(answerOf(response, what, timeout_ms)))
        .on('response', () => {
          clearTimeout(deadline)
          request.setTimeout(4 * timeout_ms)
        })
        .on('close', () => clearTimeout(deadline))
      if (body) pipeline(body.bytes, request.once('finish', awaitAnswer), (error) => error && reject(error))
      else {
        awaitAnswer()
        request.end()
      }
    })
  }

  return {
    presign(method, key, { query = {}, headers = {} }, expiresInSeconds) {
      return presign({ method, ...addressOf(key), query, headers }, { ...signing(), expiresInSeconds })
    },
    async send(method, key, headers, query = {}) {
      // All of these requests may be repeated, so one lost connection or one bad moment of the store is not told.
      const first = await sendOnce(method, key, { headers, query }).catch(() => undefined)
      if (first && first.status < 500) return first
      first?.body.resume()
      await wait(retryAfterMs)
      const second = await sendOnce(method, key, { headers, query })
      if (second.status >= 500) throw new StoreUnavailable((await second.problem()).sentence)
      return second
    },
    put: (key, headers, body) => sendOnce('PUT', key, { headers, query: {} }, body),
    close: () => agent.destroy(),
  }
}

const retryAfterMs = 200
const maximumProblemBytes = 16 * 1024

function answerOf(response: IncomingMessage, what: string, problemMs: number): S3Answer {
  const status = response.statusCode ?? 0
  return {
    status,
    headers: response.headers,
    body: response,
    async problem() {
      // One that cannot be read to its end is still told by its status.
      const { text } = await readUpTo(response, { bytes: maximumProblemBytes, ms: problemMs })
      const code = codeOf(text)
      const message = /<Message>([^<]{1,500})<\/Message>/.exec(text)?.[1]
      const said = [status, code, message && `(${message})`].filter(Boolean).join(' ')
      return { code, sentence: `The file store returned ${said} for ${what}. ${adviceOn(status, code)}` }
    },
  }
}

export function codeOf(body: string): string | undefined {
  return /<Code>([^<]{1,100})<\/Code>/.exec(body)?.[1]
}

/** What to do about an answer. Its code knows more than its status: five causes look like wrong credentials. */
export function adviceOn(status: number, code: string | undefined): string {
  return adviceByCode[code ?? ''] ?? adviceByStatus[status] ?? 'Try again later.'
}

const adviceByCode: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed:
    'The clock of this machine and the clock of the store differ by more than 15 minutes. Correct the wrong one.',
  SignatureDoesNotMatch: 'Check the secret key; a proxy before the store must pass the Host header on unchanged.',
  InvalidAccessKeyId: 'Check PORTICO_S3_ACCESS_KEY_ID.',
  AuthorizationHeaderMalformed: 'Check the region in PORTICO_FILES_URL.',
  QuotaExceeded: 'The bucket is full. Free space, or raise its quota.',
}

const adviceByStatus: Readonly<Record<number, string>> = {
  301: 'The bucket is in a different region. Correct the region in PORTICO_FILES_URL.',
  400: 'Check region and path_style in PORTICO_FILES_URL, and the credentials.',
  403: 'Check the credentials and their permissions: they must be able to get, put, delete and list objects in the bucket.',
  404: 'Check the bucket name in PORTICO_FILES_URL.',
}

function unreachable(what: string, cause: Error): StoreUnavailable {
  const code = 'code' in cause ? String(cause.code) : ''
  const advice = code === 'EPROTO' || code.startsWith('ERR_SSL_') ? ' Does the endpoint speak TLS?' : ''
  return new StoreUnavailable(`The file store cannot be reached (${what}): ${reasonOf(cause)}.${advice}`, { cause })
}

/** A body as text, up to limits of its size and time; with the failure that has ended it before. */
export async function readUpTo(
  body: Readable,
  most: { bytes: number; ms: number },
): Promise<{ text: string; isCut: boolean; failure: unknown }> {
  const tooLate = setTimeout(() => body.destroy(new Error(`no whole response after ${most.ms} ms`)), most.ms)
  const chunks: Buffer[] = []
  let size = 0
  let failure: unknown
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most.bytes) break
    }
  } catch (error) {
    failure = error
  } finally {
    clearTimeout(tooLate)
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut: size > most.bytes, failure }
}
