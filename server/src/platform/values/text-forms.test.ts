import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEmail, isWebAddress } from './internet-addresses.ts'
import { filenameForm, lineForm, linesForm, textProblem } from './text-forms.ts'

const fits = (form: string, text: string) => new RegExp(form, 'u').test(text)

describe('texts', () => {
  test.each(['a', ' a ', 'Łódź', 'שָׁלוֹם', 'می\u200cخواهم', 'क्\u200dष', '💶', '👩\u200d👧', '...'])(
    '%j is a line',
    (text) => {
      expect([fits(lineForm, text), fits(linesForm, text)]).toEqual([true, true])
    },
  )

  test.each(['', ' ', '\u200b', '\u00a0\u3000', '\u0000', 'a\u0007', 'a\u009fb', '\u202eabc', 'a\u2066b'])(
    '%j is neither a line nor several',
    (text) => {
      expect([fits(lineForm, text), fits(linesForm, text)]).toEqual([false, false])
    },
  )

  test.each(['a\nb', 'a\tb', 'a\r\n\r\nb', 'a\u2028b', '\n\na'])('%j is several lines, not one', (text) => {
    expect([fits(lineForm, text), fits(linesForm, text)]).toEqual([false, true])
  })

  test.each([
    ['statement.pdf', true],
    ['Bericht März (2).pdf', true],
    ['レポート.pdf', true],
    ['.env', true],
    ['a/b.pdf', false],
    ['a\\b.pdf', false],
    ['…', false],
    ['..', false],
    ['fdp.exe\u202e', false],
    ['a\nb', false],
  ])('%j as the name of a file: %s', (name, isName) => {
    expect(fits(filenameForm, name)).toBe(isName)
  })

  test('the problem names the first character that is refused, or says that nothing can be seen', () => {
    expect(textProblem('a💶\u0007', false)).toContain('character 3 is U+0007')
    expect(textProblem('a\tb\u0007', true)).toContain('character 4 is U+0007')
    expect(textProblem('\u200b', false)).toBe('must not be blank')
  })

  test('the forms mean the same with and without the u flag, as in validators that know no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6 }), (text) => {
        for (const form of [lineForm, linesForm, filenameForm])
          expect([form, text, new RegExp(form).test(text)]).toEqual([form, text, fits(form, text)])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('addresses', () => {
  test.each([
    'ann@example.com',
    "o'brien+x@sub.example.co.uk",
    'josé@example.es',
    'office@münchen.de',
    'पता@उदाहरण.भारत',
  ])('%s is an e-mail address', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  test.each([
    '@example.com',
    'ann@',
    'ann@localhost',
    'a..b@example.com',
    '.a@example.com',
    'a b@example.com',
    'ann@-example.com',
    'ann@exa%6dple.com',
    'ann@1.2.3.4',
    'ann@example.0x1F',
    'ann@example.0x',
    'ann@example..com',
    'ann@xn--a.example',
    `${'é'.repeat(33)}@example.com`,
    `ann@${'a.'.repeat(125)}com`,
  ])('%s is not', (text) => {
    expect(isEmail(text)).toBe(false)
  })

  test('for any plain domain: the answer is that of the conversion to ASCII', () => {
    const domain = fc.array(fc.constantFrom(...'aZ09.-x', 'xn--', '0x', 'com', '.'), { maxLength: 8 })
    fc.assert(
      fc.property(domain, (list) => {
        const text = list.join('')
        // An address with a letter beyond ASCII in a label of its own is always converted.
        expect([text, isEmail(`ann@${text}.com`)]).toEqual([text, isEmail(`ann@é.${text}.com`)])
        if (domainToASCII(`a.${text}`) === '') expect([text, isEmail(`ann@a.${text}`)]).toEqual([text, false])
      }),
      { numRuns: 5000 },
    )
  })

  test.each(['https://münchen.de', 'http://a.example:8080/x?y#z', 'https://example.com/@me', 'HTTPS://EXAMPLE.COM'])(
    '%s is a web address',
    (text) => {
      expect(isWebAddress(text)).toBe(true)
    },
  )

  test.each([
    'https://',
    'ftp://a.example',
    'https://a b',
    'https://me@a.example',
    'https://a\\b',
    'https://a.example/\u202e',
    'münchen.de',
  ])('%j is not', (text) => {
    expect(isWebAddress(text)).toBe(false)
  })
})
