import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const refusal = (bytes: Buffer) => {
  try {
    parseStrictJson(bytes)
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.code : error
  }
}

describe('strict JSON', () => {
  test('any JSON value comes out as JSON.parse gives it', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }),
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent)
          fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'))
          expect(parse(text)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  test.each([
    ['half a document', '{"a":'],
    ['nothing', ''],
    ['a key twice', '{"a":1,"a":2}'],
    ['a key twice, deep inside', '{"x":[{"a":{"b":1,"c":2,"b":3}}]}'],
    ['a key twice, spelled differently', '{"a":1,"\\u0061":2}'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__ in disguise', '{"__pr\\u006fto__":1}'],
    ['NUL in a value', '{"a":"x\\u0000y"}'],
    ['NUL in a key', '{"x\\u0000y":1}'],
    ['unpaired surrogate', '{"a":"\\ud800"}'],
    ['a byte order mark', '\ufeff{}'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['more values than any operation takes', `[${'0,'.repeat(25_000)}0]`],
    ['a hundred thousand open brackets', '['.repeat(100_000)],
  ])('refuses %s', (_, text) => {
    expect(refusal(Buffer.from(text))).toBe('malformed_json')
  })

  test('refuses bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toBe('malformed_json')
  })

  test('takes the same key in different objects, brackets in texts, whole surrogate pairs and 32 levels', () => {
    expect(parse('[{"a":1},{"a":1}]')).toEqual([{ a: 1 }, { a: 1 }])
    expect(parse('{"a":"[[[[{{{{\\"","b":"a:"}')).toEqual({ a: '[[[[{{{{"', b: 'a:' })
    expect(parse('"\\ud83d\\ude00"')).toBe('😀')
    expect(parse(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeInstanceOf(Array)
  })
})
