import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachmentOf } from './content-disposition.ts'

test.each([
  ['report.pdf', 'attachment; filename="report.pdf"'],
  ['../a\\b.pdf', 'attachment; filename=".._a_b.pdf"'],
  ['a\r\nSet-Cookie: x', 'attachment; filename="a__Set-Cookie: x"'],
  ["it's (1).pdf", 'attachment; filename="it\'s (1).pdf"'],
  ['50%.pdf', `attachment; filename="50_.pdf"; filename*=UTF-8''50%25.pdf`],
  ['naïve ("1")*.pdf', `attachment; filename="na_ve (_1_)*.pdf"; filename*=UTF-8''na%C3%AFve%20%28%221%22%29%2A.pdf`],
  ['😀\ud83d.png', `attachment; filename="__.png"; filename*=UTF-8''%F0%9F%98%80_.png`],
  ['evil\u202efdp.exe', 'attachment; filename="evil_fdp.exe"'],
])('%j becomes a header that carries its name and nothing else', (filename, header) => {
  expect(attachmentOf(filename)).toBe(header)
})

test('no name can break the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (filename) => {
      expect(attachmentOf(filename)).toMatch(
        /^attachment; filename="[ !#$&-.0-[\]-~]*"(; filename\*=UTF-8''([A-Za-z0-9!._~-]|%[0-9A-F]{2})*)?$/,
      )
    }),
  )
})
