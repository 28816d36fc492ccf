import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachmentOf } from './content-disposition.ts'

test.each([
  ['report.pdf', 'attachment; filename="report.pdf"'],
  ['../a\\b.pdf', 'attachment; filename=".._a_b.pdf"'],
  ['a\r\nSet-Cookie: x', 'attachment; filename="a__Set-Cookie: x.pdf"'],
  ["it's (1).pdf", 'attachment; filename="it\'s (1).pdf"'],
  ['50%.pdf', `attachment; filename="50_.pdf"; filename*=UTF-8''50%25.pdf`],
  ['naïve ("1")*.pdf', `attachment; filename="na_ve (_1_)*.pdf"; filename*=UTF-8''na%C3%AFve%20%28%221%22%29%2A.pdf`],
  ['😀\ud83d.pdf', `attachment; filename="__.pdf"; filename*=UTF-8''%F0%9F%98%80_.pdf`],
])('%j becomes a header that carries its name and nothing else', (filename, header) => {
  expect(attachmentOf(filename, 'application/pdf')).toBe(header)
})

test.each([
  ['statement.html', 'application/pdf', 'statement.html.pdf'],
  ['statement.PDF', 'application/pdf', 'statement.PDF'],
  ['statement', 'application/pdf', 'statement.pdf'],
  ['statement.pdf.', 'application/pdf', 'statement.pdf..pdf'],
  ['statement.pdf ', 'application/pdf', 'statement.pdf .pdf'],
  ['pdf', 'application/pdf', 'pdf.pdf'],
  ['evil\u202efdp.exe', 'application/pdf', 'evil_fdp.exe.pdf'],
  ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
  ['photo.svg', 'image/png', 'photo.svg.png'],
  ['report v1.2', 'text/plain', 'report v1.2.txt'],
  ['page.htm', 'text/csv', 'page.htm.csv'],
  ['page.html', 'unknown/type', 'page.html.bin'],
])('%j of the type %s is saved as %j', (filename, type, saved) => {
  expect(attachmentOf(filename, type)).toBe(`attachment; filename="${saved}"`)
})

test('no name can break the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (filename) => {
      expect(attachmentOf(filename, 'text/csv')).toMatch(
        /^attachment; filename="[ !#$&-.0-[\]-~]*\.(csv|tsv|txt)"(; filename\*=UTF-8''([A-Za-z0-9!._~-]|%[0-9A-F]{2})*)?$/i,
      )
    }),
  )
})
