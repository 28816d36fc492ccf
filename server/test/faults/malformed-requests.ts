// Requests that are wrong in every way we could think of, from a seed: request n of a seed is always the same.
import {
  fieldNames,
  nearlyRightField,
  nearlyRightParameters,
  oddHeaderValues,
  oddParameters,
  oddTexts,
  oddValue,
  parameterNames,
} from './odd-values.ts'
import type { RawRequest } from './raw-exchange.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

/** True things to spoil. */
export interface Truth {
  key: string
  business: Record<string, unknown>
  business_id: string
  etag: string
  cursor: string
}

export function malformedRequest(seed: number, n: number, truth: Truth): RawRequest {
  const random = createSeededRandom(seed + n * 7919)
  const make = random.pick(generators)
  return make(random, truth)
}

type Generator = (random: SeededRandom, truth: Truth) => RawRequest

const generators: readonly Generator[] = [
  randomBytes,
  brokenRequestLine,
  brokenHeaders,
  brokenFraming,
  truncated,
  hugeHeaders,
  oddMethod,
  oddQuery,
  nearlyRightQuery,
  nearlyRightQuery,
  oddCursor,
  wrongId,
  oddHeaderValue,
  oddHeaderValue,
  oddContentType,
  brokenJson,
  brokenJson,
  invalidText,
  deepJson,
  oddInput,
  nearlyRightInput,
  nearlyRightInput,
  oddChange,
  oddCommand,
]

function randomBytes(random: SeededRandom): RawRequest {
  return { fault: 'random bytes', framing: 'truncated', bytes: random.bytes(1 + random.below(600)) }
}

function brokenRequestLine(random: SeededRandom, { key }: Truth): RawRequest {
  const line = random.pick([
    'GET',
    'GET /v1/',
    'GET  /v1/ HTTP/1.1',
    'GET /v1/ HTTP/9.9',
    'GET /v1/ HTTP/2.0',
    'GET /v1/ http/1.1',
    'GET /v1/ HTTP/1.1 HTTP/1.1',
    'get /v1/ HTTP/1.1',
    'PRI * HTTP/2.0',
    'GET v1/businesses/ HTTP/1.1',
    'GET http://[::1/v1/ HTTP/1.1',
    'GET http://portal.example.com/v1/ HTTP/1.1',
    'GET //v1//businesses/ HTTP/1.1',
    'GET /v1/\tbusinesses/ HTTP/1.1',
    'GET /v1/businesses/é HTTP/1.1',
    'GET /v1/businesses/\0 HTTP/1.1',
    'GET /v1/#businesses HTTP/1.1',
    'GET * HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'CONNECT portal.example.com:443 HTTP/1.1',
    `GET /${random
      .bytes(20)
      .toString('latin1')
      .replaceAll(/[\r\n]/g, '?')} HTTP/1.1`,
    `GET /v1/${'a'.repeat(8200 + random.below(4000))} HTTP/1.1`,
  ])
  return alone('request line', `${line}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`)
}

function brokenHeaders(random: SeededRandom, { key }: Truth): RawRequest {
  const header = random.pick([
    'no colon here',
    ': no name',
    'x y: space in the name',
    'x\0y: NUL in the name',
    'x: NUL \0 in the value',
    'x: \x01\x02\x7f',
    ' x: folded',
    'x: 1\r\n  folded: 2',
    'x: 1\ny: 2',
    'x: 1\rhost: y',
    'host: second',
    'content-length: 5\r\ncontent-length: 6',
    'content-length: -1',
    'content-length: 1e3',
    'content-length: +0',
    'content-length: 99999999999999999999',
    'content-length: ',
    'transfer-encoding: chunked\r\ncontent-length: 5',
    'transfer-encoding: gzip',
    'transfer-encoding: chunked, chunked',
    'connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__',
    'connection: upgrade\r\nupgrade: websocket',
    'expect: 200-ok',
    'x'.repeat(300),
    `${random
      .bytes(12)
      .toString('latin1')
      .replaceAll(/[\r\n:]/g, '?')}: 1`,
    `x: ${random
      .bytes(40)
      .toString('latin1')
      .replaceAll(/[\r\n]/g, '?')}`,
  ])
  const hasHost = random.below(8) > 0
  const bytes = `GET /v1/ HTTP/1.1\r\n${hasHost ? 'host: x\r\n' : ''}authorization: Bearer ${key}\r\n${header}\r\n\r\n`
  // A header may promise a body that never comes: hanging up is then the end of it.
  return { fault: `header ${header.slice(0, 40)}`, framing: 'truncated', bytes: Buffer.from(bytes, 'latin1') }
}

function brokenFraming(random: SeededRandom, truth: Truth): RawRequest {
  const body = JSON.stringify(truth.business)
  const [headers, content] = random.pick<[string, string]>([
    ['transfer-encoding: chunked', `zz\r\n${body}\r\n0\r\n\r\n`],
    ['transfer-encoding: chunked', `-5\r\n${body}\r\n0\r\n\r\n`],
    ['transfer-encoding: chunked', `ffffffffffffffffff\r\n${body}\r\n0\r\n\r\n`],
    ['transfer-encoding: chunked', `5\r\nabcdefgh\r\n0\r\n\r\n`],
    ['transfer-encoding: chunked', `1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`],
    ['transfer-encoding: chunked\r\ntransfer-encoding: identity', '5\r\nabcde\r\n0\r\n\r\n'],
    ['transfer-encoding: xchunked', '5\r\nabcde\r\n0\r\n\r\n'],
    ['content-length: 2000000', body],
    ['content-length: 1048577', body],
    [`content-length: ${body.length}abc`, body],
    [`content-length: 0${body.length.toString(8)}`, `${body}${body}`],
    ['content-length: 2', `{}${random.bytes(30).toString('latin1')}`],
  ])
  return alone('framing', `${post(random, truth)}${headers}\r\n\r\n${content}`)
}

function truncated(random: SeededRandom, truth: Truth): RawRequest {
  const body = JSON.stringify(truth.business)
  const whole = Buffer.from(`${post(random, truth)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return { fault: 'truncated', framing: 'truncated', bytes: whole.subarray(0, 1 + random.below(whole.length - 1)) }
}

function hugeHeaders(random: SeededRandom, { key }: Truth): RawRequest {
  const more = random.pick([
    () => `x: ${'y'.repeat(16_000 + random.below(4000))}\r\n`,
    () => `${'x'.repeat(17_000)}: y\r\n`,
    () => Array.from({ length: 1000 + random.below(3000) }, (_, i) => `x${i}: 1\r\n`).join(''),
    () => `cookie: ${'a=b; '.repeat(4000)}\r\n`,
    () => `authorization: Bearer ${key.repeat(500)}\r\n`,
    () => `if-match: ${'"a",'.repeat(3000)}"a"\r\n`,
    () => `accept: ${'a/b;q=0.1,'.repeat(1200)}*/*;q=0\r\n`,
  ])()
  return alone('huge headers', `GET /v1/businesses/ HTTP/1.1\r\nhost: x\r\n${more}\r\n`)
}

function oddMethod(random: SeededRandom, truth: Truth): RawRequest {
  const method = random.pick([
    'TRACE',
    'PROPFIND',
    'SEARCH',
    'LOCK',
    'M-SEARCH',
    'PURGE',
    'DELETE',
    'PUT',
    'HEAD',
    'OPTIONS',
  ])
  const path = random.pick(['/', '/v1/', '/v1/businesses/', '/v1/nothing/', '/healthz', '/docs', '/v1/openapi.json'])
  return kept('method', truth, { method, path })
}

function oddQuery(random: SeededRandom, truth: Truth): RawRequest {
  const path = random.pick([
    'businesses/',
    'lead-sources/',
    'events/',
    '',
    'openapi.json',
    `businesses/${truth.business_id}/`,
  ])
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick([...parameterNames, ...oddTexts])
    const value = random.below(2) === 0 ? random.pick(oddParameters) : encode(random, random.pick(oddTexts))
    return random.pick([`${name}=${value}`, name, `=${value}`, `${name}=${value}=${value}`, `${name}[]=${value}`])
  })
  const query = `?${pairs.join(random.pick(['&', '&&', ';', '&?']))}`
  return kept('query', truth, { path: `/v1/${path}${pathText(query, '%20')}` })
}

function nearlyRightQuery(random: SeededRandom, truth: Truth): RawRequest {
  const [path, name, values] = random.pick(nearlyRightParameters)
  return kept('parameter', truth, { path: `/v1/${path}?${name}=${encodeURIComponent(random.pick(values))}` })
}

function oddCursor(random: SeededRandom, truth: Truth): RawRequest {
  const { cursor } = truth
  const at = random.below(cursor.length)
  const spoiled = random.pick([
    cursor.slice(0, at),
    cursor + cursor,
    `${cursor.slice(0, at)}${random.pick(['A', 'z', '_', '%00', '%ff', '.', '='])}${cursor.slice(at + 1)}`,
    [...cursor].reverse().join(''),
    random.bytes(30).toString('base64url'),
    'a'.repeat(5000),
    '',
    cursor,
  ])
  const path = random.pick([
    'businesses/',
    'lead-sources/',
    'events/',
    `businesses/${truth.business_id}/possible-duplicates/`,
  ])
  const more = random.pick(['', '&page_size=2', '&order=legal_name', '&state=active', `&cursor=${cursor}`])
  return kept('cursor', truth, { path: `/v1/${path}?cursor=${spoiled}${more}` })
}

function wrongId(random: SeededRandom, truth: Truth): RawRequest {
  const { business_id: id } = truth
  const wrong = random.pick([
    id.toUpperCase(),
    id.replace('biz', 'own'),
    id.slice(0, -1),
    `${id}0`,
    `${id}%00`,
    `${id}%0a`,
    `%20${id}`,
    `${id.slice(0, 4)}${'0'.repeat(26)}`,
    `${id.slice(0, 4)}${'z'.repeat(26)}`,
    '..',
    '%2e%2e%2f',
    '%2f',
    '%',
    '%zz',
    '%c3%28',
    '%ed%a0%80',
    "1'or'1'='1",
    '__proto__',
    'constructor',
    '0',
    '-1',
    'null',
    'a'.repeat(3000),
    pathText(encode(random, random.pick(oddTexts)), '%20') || '%20',
  ])
  const [method, path] = random.pick<[string, string]>([
    ['GET', `businesses/${wrong}/`],
    ['HEAD', `businesses/${wrong}/`],
    ['GET', `businesses/${wrong}/possible-duplicates/`],
    ['GET', `lead-sources/${wrong}/`],
    ['GET', `events/${wrong}/`],
    ['PATCH', `businesses/${wrong}/`],
    ['POST', `businesses/${wrong}/archive/`],
    ['POST', `businesses/${wrong}/${pathText(encode(random, random.pick(oddTexts)), '')}/`],
  ])
  const body = method === 'PATCH' ? '{"employee_count":1}' : undefined
  return kept('id', truth, { method, path: `/v1/${path}`, headers: { ...precondition(random, truth) }, body })
}

function oddHeaderValue(random: SeededRandom, truth: Truth): RawRequest {
  const name = random.pick([
    'authorization',
    'if-match',
    'if-match',
    'idempotency-key',
    'idempotency-key',
    'if-none-match',
    'accept',
    'range',
    'content-encoding',
    'host',
    'request-id',
    'x-forwarded-for',
    'accept-language',
  ])
  const value = random.pick([
    ...oddHeaderValues,
    headerText(random.pick(oddTexts)),
    headerText(random.bytes(20).toString('latin1')),
  ])
  const [method, path, body] = random.pick<[string, string, string | undefined]>([
    ['GET', `businesses/${truth.business_id}/`, undefined],
    ['PATCH', `businesses/${truth.business_id}/`, '{"employee_count":2}'],
    ['POST', `businesses/${truth.business_id}/archive/`, undefined],
    ['POST', 'businesses/', '{}'],
  ])
  const headers = { ...precondition(random, truth), [name]: value }
  return kept(`header ${name}`, truth, { method, path: `/v1/${path}`, headers, body })
}

function oddContentType(random: SeededRandom, truth: Truth): RawRequest {
  const type = random.pick([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'application/json; charset=utf-16',
    'application/json; charset="',
    'application/json;;;',
    'application/jsonx',
    'APPLICATION/JSON ; CHARSET=UTF-8',
    'application/merge-patch+json',
    '*/*',
    '/',
    '',
    headerText(random.pick(oddTexts)),
  ])
  const method = random.pick(['POST', 'POST', 'GET', 'DELETE'])
  const headers = { 'content-type': type }
  return kept('content type', truth, { method, path: '/v1/businesses/', headers, body: '{"a":1}' })
}

function brokenJson(random: SeededRandom, truth: Truth): RawRequest {
  const text = JSON.stringify(truth.business)
  const at = random.below(text.length)
  const body = random.pick([
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${random.pick([',', '}', '"', '\\', '\0', '\n', '/**/', "'"])}${text.slice(at)}`,
    () => `${text}${random.pick(['x', '{}', ',', '\0', text])}`,
    () => text.replaceAll('"', "'"),
    () => text.replace('}', ',}'),
    () => `\ufeff${text}`,
    () =>
      random.pick([
        '',
        ' ',
        'null',
        'true',
        '0',
        '-',
        '1e',
        '1e999',
        '[]',
        '"a"',
        'NaN',
        'Infinity',
        'undefined',
        '[,]',
      ]),
    () => `{"legal_name":"a","legal_name":"b","country":"US"}`,
    () => `{"legal_name":"a","legal\\u005fname":"b"}`,
    () => `{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}`,
    () => `{"metadata":{"__proto__":"x"}}`,
    () => `{"employee_count":${'9'.repeat(400)}}`,
    () => `{"legal_name":"${'x'.repeat(200_000)}"}`,
    () => `[${'0,'.repeat(100_000)}0]`,
    () => `{${Array.from({ length: 2000 }, (_, i) => `"f${i}":1`).join()}}`,
  ])()
  return write('JSON', random, truth, Buffer.from(body))
}

function invalidText(random: SeededRandom, truth: Truth): RawRequest {
  const wrong = random.pick<Buffer>([
    Buffer.from([0xff]),
    Buffer.from([0xc0, 0x80]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xf5, 0x80, 0x80, 0x80]),
    Buffer.from([0xe2, 0x82]),
    Buffer.from('\\ud800'),
    Buffer.from('\\udc00\\ud800'),
    Buffer.from('\\u0000'),
    Buffer.from('\u0000'),
    Buffer.from('\\u12'),
    random.bytes(1 + random.below(20)),
  ])
  const [before = '', after = ''] = JSON.stringify({ ...truth.business, legal_name: '?' }).split('?')
  const isUtf16 = random.below(10) === 0
  const body = Buffer.concat([Buffer.from(before), wrong, Buffer.from(after)])
  return write('text', random, truth, isUtf16 ? Buffer.from(before + after, 'utf16le') : body)
}

function deepJson(random: SeededRandom, truth: Truth): RawRequest {
  const depth = 30 + random.below(random.pick([8, 20_000]))
  const [open, close] = random.pick<[string, string]>([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ])
  const isClosed = random.below(3) > 0
  return write('depth', random, truth, Buffer.from(open.repeat(depth) + (isClosed ? `1${close.repeat(depth)}` : '')))
}

function oddInput(random: SeededRandom, truth: Truth): RawRequest {
  const body: Record<string, unknown> = { ...truth.business }
  for (let i = 0; i <= random.below(4); i++) body[random.pick(fieldNames)] = oddValue(random)
  return write('value', random, truth, Buffer.from(JSON.stringify(body)))
}

function nearlyRightInput(random: SeededRandom, truth: Truth): RawRequest {
  const [name, value] = nearlyRightField(random)
  return write('field', random, truth, Buffer.from(JSON.stringify({ ...truth.business, [name]: value })))
}

function oddChange(random: SeededRandom, truth: Truth): RawRequest {
  const [name, value] = random.below(3) === 0 ? [random.pick(fieldNames), oddValue(random)] : nearlyRightField(random)
  const headers = precondition(random, truth)
  const body = JSON.stringify({ [name]: value })
  return kept('change', truth, { method: 'PATCH', path: `/v1/businesses/${truth.business_id}/`, headers, body })
}

function oddCommand(random: SeededRandom, truth: Truth): RawRequest {
  const body = random.pick(['{}', 'null', '[]', '{"force":true}', '{"__proto__":1}', '""', '{', '\0', undefined])
  const path = `/v1/businesses/${truth.business_id}/${random.pick(['archive/', 'restore/', 'delete/', 'archive//', 'archive'])}`
  return kept('command', truth, { method: 'POST', path, headers: precondition(random, truth), body })
}

interface Parts {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
}

/** A request whose outline is sound. */
function kept(fault: string, { key }: Truth, { method = 'GET', path, headers = {}, body }: Parts): RawRequest {
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

function write(fault: string, random: SeededRandom, truth: Truth, body: Buffer): RawRequest {
  return kept(fault, truth, {
    method: 'POST',
    path: '/v1/businesses/',
    headers: { 'idempotency-key': newKey(random) },
    body,
  })
}

function alone(fault: string, text: string): RawRequest {
  return { fault: `${fault}: ${text.slice(0, 300)}`, framing: 'alone', bytes: Buffer.from(text, 'latin1') }
}

function post(random: SeededRandom, { key }: Truth): string {
  return `POST /v1/businesses/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nidempotency-key: ${newKey(random)}\r\ncontent-type: application/json\r\n`
}

/** The true ETag, so that the fault is looked at and not the precondition; now and then a stale one. */
function precondition(random: SeededRandom, { etag }: Truth): Record<string, string> {
  return { 'if-match': random.below(4) === 0 ? '"stale"' : etag, 'idempotency-key': newKey(random) }
}

function newKey(random: SeededRandom): string {
  return random.bytes(16).toString('hex')
}

/** What a header can carry at all; all else is brokenHeaders' business. */
function headerText(text: string): string {
  const isSendable = (c: string) => c === '\t' || (c >= ' ' && c !== '\x7f')
  return [...Buffer.from(text).toString('latin1')].map((c) => (isSendable(c) ? c : '?')).join('')
}

/** What a request line can carry at all; all else is brokenRequestLine's business. */
function pathText(text: string, replacement: string): string {
  return [...text].map((c) => (c > ' ' && c < '\x7f' && c !== '#' ? c : replacement)).join('')
}

function encode(random: SeededRandom, text: string): string {
  return random.below(4) === 0 ? text : encodeURIComponent(text)
}
