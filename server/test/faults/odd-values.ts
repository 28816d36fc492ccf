// Names and values that are wrong, nearly wrong, or right and rare.
import type { SeededRandom } from './seeded-random.ts'

/** Lists of short words read best as one line. */
const words = (text: string): readonly string[] => text.split(' ')

export const oddTexts: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '%', '%%', '\\', '\n\r\t', '\u202e', '\ufeff', '\u{1f600}\u{10ffff}', '{{7*7}}'],
  ...["' or 1=1 --", '"; drop table businesses; --', '<script>', '../../etc/passwd'],
  ...['e\u0301'.repeat(50), 'ﬀ'.repeat(100), 'x'.repeat(3000), '\u0130\u0131\u00df\u1e9e'.repeat(25)],
  ...['__proto__', 'constructor', 'toString'],
]

const oddDates = words(
  '0000-01-01 0001-01-01 9999-12-31 -000001-01-01 2026-02-30 2024-02-29 2023-02-29 10000-01-01 1-1-1',
)

const oddTimes: readonly string[] = [
  ...words('0000-01-01T00:00:00Z 9999-12-31T23:59:59.999Z 2016-12-31T23:59:60Z 2026-02-30T00:00:00Z'),
  ...words('-271821-04-20T00:00:00Z +275760-09-13T00:00:00Z 2026-01-01T00:00:00+23:59 2026-01-01t00:00:00z'),
  ...words('2026-01-01T24:00:00Z infinity now 2026-01-01 0001-01-01T00:00:00BC 2026-01-01T00:00:00+0100'),
  ...words('0001-01-01T00:00:00+14:00 9999-12-31T23:59:59-14:00 2026-01-01T00:00:00.123456789123Z'),
  '2026-01-01 00:00:00Z',
]

export const parameterNames: readonly string[] = [
  ...words('page_size order cursor state search country lead_source_id external_reference kind is_active'),
  ...words('created_after created_before type resource_id sequence_after unknown'),
]

/** As they stand in an address: encoded, or not, or wrongly. */
export const oddParameters: readonly string[] = [
  ...words('-1 0 1.5 1e2 0x10 99999999999999999999 9007199254740992 NaN true null TRUE %2B1 %201'),
  ...words('created_at -created_at --created_at legal_name; id active ACTIVE US us biz_0 sequence'),
  ...words('% %0 %zz %00 %c3%28 %ed%a0%80 %f0%9f%98%80 a%00b + ++'),
  ...['a'.repeat(4000), '%25'.repeat(500)],
]

/** Collections, their parameters and values that come close to what they take. */
export const nearlyRightParameters: readonly (readonly [string, string, readonly string[]])[] = [
  ['businesses/', 'created_after', oddTimes],
  ['businesses/', 'created_before', oddTimes],
  ['events/', 'created_after', oddTimes],
  ['events/', 'created_before', oddTimes],
  ['events/', 'sequence_after', words('0 -0 9007199254740991 9007199254740992 1e15 1.0 -1 0x1')],
  ['events/', 'page_size', words('250 251 0 1.0 1e2 +5')],
  ['events/', 'type', oddTexts],
  ['events/', 'resource_id', oddTexts],
  ['businesses/', 'search', [...oddTexts, '.. --', 'a b c d e f g h', 'ab\0cd', '%_']],
  ['businesses/', 'external_reference', oddTexts],
  ['businesses/', 'order', words('legal_name -legal_name name id --legal_name LEGAL_NAME')],
  ['businesses/', 'country', words('US us USA XX U\u0405')],
  ['lead-sources/', 'is_active', words('true false 1 0 TRUE null')],
  ['lead-sources/', 'kind', words('website WEBSITE other ')],
]

export const oddHeaderValues: readonly string[] = [
  ...words(' * " "" "a a" W/"a" w/"a" "a","b" "a", , "\\"'),
  ...['"a" "b"', `"${'x'.repeat(5000)}"`, 'x'.repeat(255), 'x'.repeat(256), '0123456789 abcdef'],
  ...words('short "0123456789abcdef" 0123456789abcdé'),
  ...['Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', 'Bearer ptk_stg_x', `Bearer ptk_stg_${'0'.repeat(38)}`],
  ...words('text/html application/* application/json;q=0 */*;q=0 application/problem+json a/b;q=x ; gzip'),
  ...words('bytes=0- bytes=-1 -1 0 true req_0'),
]

export const fieldNames: readonly string[] = [
  ...words('legal_name country lead_source_id lead_source_detail trading_name legal_form region registration_number'),
  ...words('industry founded_on employee_count website email phone annual_revenue external_reference addresses'),
  ...words('consents do_not_contact tags metadata tax_id owners id etag state unknown '),
]

/** Any of these may be put anywhere. */
export function oddValue(random: SeededRandom): unknown {
  const text = random.pick(oddTexts)
  return random.pick<unknown>([
    ...[null, true, 0, -1, 1.5, 1e308, -0, 2 ** 53, [], {}, [[]], [null], text, [text], { [text]: text }],
    Array.from({ length: 60 }, (_, i) => `tag ${i}`),
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, text])),
    { a: { b: text } },
  ])
}

/** A field with a value that comes close to what it takes. */
export function nearlyRightField(random: SeededRandom): readonly [string, unknown] {
  const text = random.pick(oddTexts)
  return random.pick<readonly [string, unknown]>([
    ['founded_on', random.pick(oddDates)],
    ['employee_count', random.pick([-0, 1.0, 1e7, 1e7 + 1, 0.1, -1, 2 ** 53])],
    ['annual_revenue', { amount: random.pick(oddAmounts), currency: random.pick(words('USD JPY BHD XXX usd')) }],
    ['consents', [{ kind: 'credit_check', granted: true, granted_at: random.pick(oddTimes) }]],
    ['owners', [{ first_name: text, last_name: 'b', ownership_percent: random.pick([-1, 101, 1e-320, 100 / 3]) }]],
    ['owners', [{ id: `own_${'0'.repeat(26)}`, first_name: 'a', last_name: 'b' }]],
    ['owners', Array.from({ length: 51 }, () => ({ first_name: 'a', last_name: 'b', ownership_percent: 2 }))],
    ['addresses', [{ kind: 'registered', line1: text, city: text, country: 'US' }]],
    ['industry', { system: 'naics_2022', code: random.pick([...words('311811 x 99999999 31-33'), text]) }],
    ['region', random.pick(words('US-CA US-ZZ us-ca GB-ENG US- -'))],
    [
      'website',
      random.pick(words('http:// http://[::1 javascript:alert(1) http://a/%zz http://\u0430.com HTTPS://A/?#')),
    ],
    ['email', random.pick(['a@b', 'a@b.c', `${'a'.repeat(250)}@b.cc`, '"a b"@c.de', `${text}@b.cc`])],
    ['phone', random.pick(words('+1 +14155550100 +00000000 14155550100 +1415555010012345'))],
    ['external_reference', text],
    ['legal_name', text],
    ['trading_name', text],
    ['registration_number', text.slice(0, 50)],
    ['tax_id', random.pick(['12-3456789', '-----', '     ', '12345\n', text])],
    ['tags', [text, text]],
    ['metadata', { a: text, [text]: 'a' }],
    ['lead_source_detail', { campaign: text }],
  ])
}

const oddAmounts: readonly string[] = [
  ...words('1 -1 1e5 0.001 0.01 NaN 00 92233720368547758.07 92233720368547758.08 99999999999999.99 90071992547409.93'),
  ...['', '9'.repeat(40)],
]
