// Requests with a wrong body.
import { fieldNames, nearlyRightField, oddTexts, oddValue } from './odd-values.ts'
import type { RawRequest } from './raw-exchange.ts'
import type { SeededRandom } from './seeded-random.ts'
import { headerText, kept, precondition, type Truth, write } from './wellformed-requests.ts'

export function oddContentType(random: SeededRandom, truth: Truth): RawRequest {
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

export function brokenJson(random: SeededRandom, truth: Truth): RawRequest {
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

export function invalidText(random: SeededRandom, truth: Truth): RawRequest {
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

export function deepJson(random: SeededRandom, truth: Truth): RawRequest {
  const depth = 30 + random.below(random.pick([8, 20_000]))
  const [open, close] = random.pick<[string, string]>([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ])
  const isClosed = random.below(3) > 0
  return write('depth', random, truth, Buffer.from(open.repeat(depth) + (isClosed ? `1${close.repeat(depth)}` : '')))
}

export function oddInput(random: SeededRandom, truth: Truth): RawRequest {
  const body: Record<string, unknown> = { ...truth.business }
  for (let i = 0; i <= random.below(4); i++) body[random.pick(fieldNames)] = oddValue(random)
  return write('value', random, truth, Buffer.from(JSON.stringify(body)))
}

export function nearlyRightInput(random: SeededRandom, truth: Truth): RawRequest {
  const [name, value] = nearlyRightField(random)
  return write('field', random, truth, Buffer.from(JSON.stringify({ ...truth.business, [name]: value })))
}

export function oddChange(random: SeededRandom, truth: Truth): RawRequest {
  const [name, value] = random.below(3) === 0 ? [random.pick(fieldNames), oddValue(random)] : nearlyRightField(random)
  const headers = precondition(random, truth)
  const body = JSON.stringify({ [name]: value })
  return kept('change', truth, { method: 'PATCH', path: `/v1/businesses/${truth.business_id}/`, headers, body })
}

export function oddCommand(random: SeededRandom, truth: Truth): RawRequest {
  const body = random.pick(['{}', 'null', '[]', '{"force":true}', '{"__proto__":1}', '""', '{', '\0', undefined])
  const path = `/v1/businesses/${truth.business_id}/${random.pick(['archive/', 'restore/', 'delete/', 'archive//', 'archive'])}`
  return kept('command', truth, { method: 'POST', path, headers: precondition(random, truth), body })
}
