// Whatever meets a request must take time that grows evenly with it: one header of the allowed size must never hold
// everybody up. Each parser and each pattern is timed on hostile text and on four times as much of it.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { growthOf, steepestGrowth } from '../test/growth.ts'
import { operations } from './app.ts'
import { recordTag } from './areas/webhooks/endpoints/records.ts'
import { valueSchemas } from './building-blocks/contracts/answer-values.ts'
import { compilePattern } from './building-blocks/contracts/safe-patterns.ts'
import { readRange } from './building-blocks/file-transfers/byte-ranges.ts'
import { openCredential } from './building-blocks/file-transfers/credentials.ts'
import { environmentOfKey } from './building-blocks/portals/key-text.ts'
import { createClientAddresses } from './platform/http/client-address.ts'
import { openCursor } from './platform/http/cursors.ts'
import { parseIdempotencyKey } from './platform/http/idempotency.ts'
import { acceptsJson, errorType, isJsonType } from './platform/http/negotiation.ts'
import { createQueryReader } from './platform/http/query-parameters.ts'
import { redactSecrets } from './platform/logging.ts'
import { isKnown, parseIfMatch } from './platform/protocol/etag.ts'
import { parseStrictJson } from './platform/protocol/strict-json.ts'
import { checkAgainst } from './platform/protocol/validation.ts'
import { attachmentOf } from './platform/storage/content-disposition.ts'
import { parseIpRange } from './platform/values/ip-addresses.ts'
import { companyNameKey, numberKey, sortKey, wordsOf } from './platform/values/text-keys.ts'
import { createVault } from './platform/vault.ts'

type Run = (text: string) => unknown

const vault = createVault(randomBytes(32))
const wanted = { file_id: 'fil_x', method: 'GET', now: 0 } as const
/** As it is read from a proxy that is trusted. */
const clientAddress = createClientAddresses([parseIpRange('10.0.0.0/8')])
const forwardedFor = (text: string) =>
  // safe because nothing else of a request is looked at
  clientAddress({
    socket: { remoteAddress: '10.0.0.1' },
    headers: { 'x-forwarded-for': text },
  } as unknown as IncomingMessage)
const readQuery = createQueryReader(Type.Object({ search: Type.Optional(Type.String({ maxLength: 200 })) }))

describe('headers, queries and paths', () => {
  test.each<[string, Run, readonly string[]]>([
    ['If-Match', parseIfMatch, ['"a"', 'W/"a",', 'x', '"']],
    ['If-Match of a webhook', (text) => parseIfMatch(text).map(({ tag }) => recordTag(tag)), ['"a.', '"']],
    ['If-None-Match', (text) => isKnown(text, '"a"'), ['"b"', 'W/', '*']],
    ['Idempotency-Key', parseIdempotencyKey, ['aaaaaaaaaaaaaaaa', '"']],
    ['Accept, for the answer', acceptsJson, ['application/json', 'text/html;q=0.1', 'application/problem+json;']],
    ['Accept, for an error', errorType, ['application/json;q=', 'application/problem+json']],
    ['Content-Type', isJsonType, ['application/json', 'application/json;', 'application/json; charset=utf-8']],
    ['Range', (text) => readRange(text, 1000), ['bytes=', 'bytes=1', 'bytes=1-2']],
    [
      'Authorization of a transfer',
      (text) => openCredential(vault, text, wanted),
      ['Bearer ', 'Bearer ptt_a', 'bearer'],
    ],
    ['an API key', environmentOfKey, ['ptk_stg_', 'ptk_']],
    ['a query', readQuery, ['search=', 'a=1&', 'search=a&search=', '%41']],
    ['X-Forwarded-For', forwardedFor, ['10.0.0.1,', ',', '[', '1.2.3.4:', '::', ' ']],
    ['a cursor', (text) => openCursor(vault, 'scope', text, 0), ['']],
    ['secrets in a log line', redactSecrets, ['ptk_stg_', 'postgres://a:', 'postgres://', 'whsec_', 'ptk%5F']],
    ['the name of a download', (text) => attachmentOf(text, 'application/pdf'), ['a']],
  ])('%s', (_, run, beginnings) => {
    expect(superlinear(run, beginnings, headerCharacters)).toBeUndefined()
  })
})

describe('bodies', () => {
  test.each<[string, Run, readonly string[]]>([
    ['JSON', (text) => parseStrictJson(Buffer.from(text)), ['{"a":', '[', '{"a":"', '"', '{', '[[1],']],
  ])('%s', (_, run, beginnings) => {
    expect(superlinear(run, beginnings, bodyCharacters)).toBeUndefined()
  })

  test.each([
    ['^(a+)+$', 'a'],
    ['^(a|a|[0-9 ]*)*x?(b{1,4})*$', 'b'],
  ])('the pattern %s of a contract', (pattern, beginning) => {
    const { test } = compilePattern(pattern)
    expect(superlinear(test, [beginning], answerCharacters)).toBeUndefined()
  })

  test.each<[string, Run]>([
    ['names to sort by', sortKey],
    ['words to search by', wordsOf],
    ['numbers of registers', numberKey],
    ['names of companies', companyNameKey],
  ])('%s, which schemas keep short: putting accents in order takes the square of their number', (_, run) => {
    expect(superlinear(run, ['a'], keyCharacters)).toBeUndefined()
  })

  const patterns = new Set<string>()
  const formats = new Set<string>()
  for (const { body, query, params } of operations) {
    for (const schema of [body, query]) collect(schema)
    for (const { pattern } of Object.values(params)) patterns.add(pattern)
  }
  for (const schema of Object.values(valueSchemas)) collect(schema)

  function collect(schema: unknown): void {
    if (schema === null || typeof schema !== 'object') return
    if ('pattern' in schema && typeof schema.pattern === 'string') patterns.add(schema.pattern)
    if ('format' in schema && typeof schema.format === 'string') formats.add(schema.format)
    if ('patternProperties' in schema) for (const key of Object.keys(schema.patternProperties ?? {})) patterns.add(key)
    for (const inner of Object.values(schema)) collect(inner)
  }

  test('there are patterns and formats to try', () => {
    expect(patterns.size).toBeGreaterThan(10)
    expect([...formats]).toEqual(expect.arrayContaining(['idn-email', 'date-time', 'web-address', 'phone']))
  })
  test.each([...patterns])('the pattern %s of a schema', (pattern) => {
    expect(
      superlinear(checkOf(Type.String({ pattern })), [...examples, pattern.slice(1, 5)], bodyCharacters),
    ).toBeUndefined()
  })
  test.each([...formats, 'uri'])('the format %s', (format) => {
    expect(superlinear(checkOf(Type.String({ format })), examples, bodyCharacters)).toBeUndefined()
  })
})

function checkOf(schema: TSchema): Run {
  const check = checkAgainst(schema)
  return (text) => check(text)
}

const headerCharacters = 8 * 1024
const answerCharacters = 2000
const bodyCharacters = 16 * 1024
/** The most any field has that a key is made of. */
const keyCharacters = 200
/** Beginnings that get a text past the first steps of a check. */
const examples = [
  '',
  'a',
  '1',
  'a@a',
  'a@a.',
  'https://a',
  'https://a/',
  'https://a:1',
  '+1',
  '-1.',
  '2026-01-01T00:00:00.',
  'application/',
  'biz_0',
]
/** What is repeated: single characters that patterns have a taste for, and pairs of which one half may be tried twice. */
const pumps = [
  ' ',
  '\t',
  'a',
  '0',
  '-',
  '.',
  ',',
  ', ',
  ';',
  '/',
  '@',
  '"',
  '\\',
  '%',
  '%20',
  '&',
  '=',
  '[',
  '{',
  ':',
  '*',
  '_',
  'a.',
  'a-',
  '","',
  'W/',
  '""',
  'é',
  '漢',
  '😀',
  '\u0316\u0300',
  'ß',
  '\u00a0',
  'ptk_',
  'postgres://',
  ';q=0,',
]
const endings = ['', 'x', ' x', '\u0001', '"']

/** The first input of which four times as much costs more than it may: to look for more would take as long as the attack. */
function superlinear(run: Run, beginnings: readonly string[], size: number): string | undefined {
  for (const beginning of beginnings) {
    for (const pump of pumps) {
      for (const ending of endings) {
        const make = (length: number) => beginning + pump.repeat(Math.ceil(length / pump.length)) + ending
        const growth = growthOf((text) => attempt(run, text), make(size / 2), make(2 * size))
        if (growth > steepestGrowth) return `${JSON.stringify([beginning, pump, ending])}: ${growth.toFixed(1)} times`
      }
    }
  }
  return undefined
}

function attempt(run: Run, text: string): void {
  try {
    run(text)
  } catch (error) {
    // A refusal is an answer too; a stack that overflows is none.
    if (error instanceof RangeError) throw error
  }
}
