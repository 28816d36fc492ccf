import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, PatternError } from './safe-patterns.ts'

describe('safe patterns', () => {
  test('for any pattern of the understood part and any text: the answer of JavaScript', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        fc.pre(isSmall(pattern))
        expect([pattern, text, compilePattern(pattern).test(text)]).toEqual([
          pattern,
          text,
          new RegExp(pattern, 'u').test(text),
        ])
      }),
      { numRuns: 3000 },
    )
  })

  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    '%s, which stalls a backtracking engine, ends',
    // With backtracking this would not end in a lifetime.
    (pattern) => expect(compilePattern(pattern).test(`${'a'.repeat(1000)}!`)).toBe(false),
  )

  test.each([
    ['(a', 'at character 1: this group has no closing parenthesis'],
    ['a)', 'at character 2: ) has no opening parenthesis'],
    ['[a-', 'at character 1: this character class has no closing bracket'],
    ['[z-a]', 'at character 3: the first character of a range must not come after the second'],
    ['a{5,2}', 'at character 2: the first number of a count must not be greater than the second'],
    ['a{x}', '{ must begin a count'],
    ['*a', '* has no meaning here'],
    ['(?=a)', 'at character 1: a group that begins with (? must be a (?: group'],
    ['(?<name>a)', 'must be a (?: group'],
    ['(a)\\1', '\\1 is not supported'],
    ['\\bword', '\\b is not supported'],
    ['\\p{L}', '\\p is not supported'],
    ['a\\', 'at character 2: \\ must not be the last character'],
    ['^*', '^ and $ must not be repeated'],
    ['\\ud800', 'half of a surrogate pair'],
    ['(((a{1,9}){1,9}){1,9}){1,9}', 'more than 300 steps'],
    [
      `[${Array.from({ length: 90 }, (_, i) => String.fromCodePoint(0x100 + 2 * i)).join('')}]{50}`,
      'more than 300 steps',
    ],
    [`[^${'\\s'.repeat(80)}]{400}~`, 'more than 300 steps'],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, 'nested at most 20 levels deep'],
  ])('%s is refused with its place: %s', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError)
    expect(() => compilePattern(pattern)).toThrow(message)
  })

  test('nothing repeated often is still nothing, and takes no time', () => {
    expect(compilePattern('^((){9999}){9999}$').test('')).toBe(true)
    expect(compilePattern('^((){9999})*$').test('a')).toBe(false)
  })
})

/** Whether it is within the bound on steps. */
function isSmall(pattern: string): boolean {
  try {
    compilePattern(pattern)
    return true
  } catch (error) {
    if (error instanceof PatternError && error.message.includes('more than 300 steps')) return false
    throw error
  }
}

const alphabet = ['a', 'b', 'c', '0', '_', '-', ' ', 'é', '\n', '💶', '.']
const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((parts) => parts.join(''))
const singles = fc.constantFrom(
  ...[
    'a',
    'b',
    'c',
    '0',
    '-',
    ' ',
    'é',
    '💶',
    '.',
    '\\.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\u0061',
    '\\u{1F4B6}',
  ],
  ...['[abc]', '[^abc]', '[a-c0]', '[\\d_-]', '[^\\w]', '[\\D]', '[]', '[^]', '[é💶]', '[a\\-c]', '[^\\s\\S]'],
)
const anchors = fc.constantFrom('^', '$')
const quantifiers = fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '{1,3}?', '{0}')
const { patterns } = fc.letrec<{ patterns: string; part: string }>((tie) => ({
  patterns: fc
    .array(
      fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((choices) => choices.join('|')),
  part: fc.oneof(
    { depthSize: 'small' },
    singles,
    anchors,
    fc.tuple(singles, quantifiers).map(([one, quantifier]) => one + quantifier),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('patterns'), fc.option(quantifiers, { nil: '' }))
      .map(([open, inner, quantifier]) => `${open}${inner})${quantifier}`),
  ),
}))
