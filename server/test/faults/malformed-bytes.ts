// Requests that are broken as bytes: request lines, headers, framing.
import type { RawRequest } from './raw-exchange.ts'
import type { SeededRandom } from './seeded-random.ts'
import { alone, post, type Truth } from './wellformed-requests.ts'

export function randomBytes(random: SeededRandom): RawRequest {
  return { fault: 'random bytes', framing: 'truncated', bytes: random.bytes(1 + random.below(600)) }
}

export function brokenRequestLine(random: SeededRandom, { key }: Truth): RawRequest {
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

export function brokenHeaders(random: SeededRandom, { key }: Truth): RawRequest {
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

export function brokenFraming(random: SeededRandom, truth: Truth): RawRequest {
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

export function truncated(random: SeededRandom, truth: Truth): RawRequest {
  const body = JSON.stringify(truth.business)
  const whole = Buffer.from(`${post(random, truth)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return { fault: 'truncated', framing: 'truncated', bytes: whole.subarray(0, 1 + random.below(whole.length - 1)) }
}

export function hugeHeaders(random: SeededRandom, { key }: Truth): RawRequest {
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
