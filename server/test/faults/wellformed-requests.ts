// Requests whose outline is sound, for faults that hide inside, and the texts that fit into their parts.
import type { RawRequest } from './raw-exchange.ts'
import type { SeededRandom } from './seeded-random.ts'

/** True things to spoil. */
export interface Truth {
  key: string
  business: Record<string, unknown>
  business_id: string
  etag: string
  cursor: string
}

interface Parts {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
}

/** A request whose outline is sound. */
export function kept(fault: string, { key }: Truth, { method = 'GET', path, headers = {}, body }: Parts): RawRequest {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const all: Record<string, string> = {
    host: 'x',
    authorization: `Bearer ${key}`,
    ...(bytes && { 'content-type': 'application/json' }),
    ...headers,
    ...(bytes && { 'content-length': String(bytes.length) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return {
    fault: `${fault}: ${method} ${path.slice(0, 200)} ${JSON.stringify(headers)} ${bytes?.toString('latin1', 0, 300) ?? ''}`,
    framing: 'kept',
    isHead: method === 'HEAD',
    bytes: bytes ? Buffer.concat([head, bytes]) : head,
  }
}

export function write(fault: string, random: SeededRandom, truth: Truth, body: Buffer): RawRequest {
  return kept(fault, truth, {
    method: 'POST',
    path: '/v1/businesses/',
    headers: { 'idempotency-key': newKey(random) },
    body,
  })
}

export function alone(fault: string, text: string): RawRequest {
  return { fault: `${fault}: ${text.slice(0, 300)}`, framing: 'alone', bytes: Buffer.from(text, 'latin1') }
}

export function post(random: SeededRandom, { key }: Truth): string {
  return `POST /v1/businesses/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nidempotency-key: ${newKey(random)}\r\ncontent-type: application/json\r\n`
}

/** The true ETag, so that the fault is looked at and not the precondition; now and then a stale one. */
export function precondition(random: SeededRandom, { etag }: Truth): Record<string, string> {
  return { 'if-match': random.below(4) === 0 ? '"stale"' : etag, 'idempotency-key': newKey(random) }
}

function newKey(random: SeededRandom): string {
  return random.bytes(16).toString('hex')
}

/** What a header can carry at all; all else is brokenHeaders' business. */
export function headerText(text: string): string {
  const isSendable = (c: string) => c === '\t' || (c >= ' ' && c !== '\x7f')
  return [...Buffer.from(text).toString('latin1')].map((c) => (isSendable(c) ? c : '?')).join('')
}

/** What a request line can carry at all; all else is brokenRequestLine's business. */
export function pathText(text: string, replacement: string): string {
  return [...text].map((c) => (c > ' ' && c < '\x7f' && c !== '#' ? c : replacement)).join('')
}

export function encode(random: SeededRandom, text: string): string {
  return random.below(4) === 0 ? text : encodeURIComponent(text)
}
