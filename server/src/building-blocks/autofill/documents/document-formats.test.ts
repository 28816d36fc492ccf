// The readers of single formats, on what files in the wild do.
import { describe, expect, test } from 'vitest'
import { docx } from '../../../../test/documents/business-office-files.ts'
import { bankStatementPdf } from '../../../../test/documents/business-pdfs.ts'
import { writePdf } from '../../../../test/documents/pdf-writer.ts'
import { writeZip } from '../../../../test/documents/zip-writer.ts'
import { readCsv } from './csv-text.ts'
import { textLimits } from './document-text.ts'
import { DocumentTooLarge } from './document-unreadable.ts'
import { readDocx } from './docx-text.ts'
import { readPdf } from './pdf-text.ts'
import { readDocument } from './read-document.ts'
import { kindOfFormat, numberText } from './spreadsheet-values.ts'
import { openZip } from './zip-archive.ts'

describe('CSV', () => {
  const rows = [
    ['Name', 'Café "Ltd"'],
    ['Address', '1 High Street, London'],
  ]
  const text = 'Name;"Café ""Ltd"""\r\nAddress;"1 High Street\r\nLondon"\r\n'
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['Latin-1', Buffer.from(text, 'latin1')],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('in %s is read', (_name, bytes) => {
    expect(readCsv(bytes).pages[0]?.tables).toEqual([rows])
  })

  test('an open quote, an empty file and lone separators are read as far as they go', () => {
    expect(readCsv(Buffer.from('a,"b')).pages[0]?.tables).toEqual([[['a', 'b']]])
    expect(readCsv(Buffer.from('')).pages[0]?.tables).toEqual([])
    expect(readCsv(Buffer.from(',\n,\na,')).pages[0]?.tables).toEqual([[['a', '']]])
  })

  test('what goes beyond the limits is left out, and said so', () => {
    const many = readCsv(Buffer.from('a,b\n'.repeat(textLimits.lines + 1)))
    expect([many.is_truncated, many.pages[0]?.lines.length]).toEqual([true, textLimits.lines])
    const fits = readCsv(Buffer.from('a,b\n'.repeat(textLimits.lines)))
    expect(fits).not.toHaveProperty('is_truncated')
    const long = readCsv(Buffer.from(`${'x'.repeat(1_500_000)}\n${'y'.repeat(1_500_000)}\n`))
    expect([long.is_truncated, long.pages[0]?.lines.length]).toEqual([true, 1])
  })
})

describe('zip', () => {
  const small = { name: 'a.txt', body: 'hello' }

  test('an entry is read by its name', async () => {
    const zip = openZip(writeZip([small, { name: 'b.txt', body: 'x'.repeat(5000) }]))
    expect(String(await zip.read('a.txt'))).toBe('hello')
    expect((await zip.read('b.txt'))?.length).toBe(5000)
    expect(await zip.read('c.txt')).toBeUndefined()
  })

  test.each([
    ['protected', writeZip([{ ...small, is_encrypted: true }]), 'encrypted'],
    ['with one name twice', writeZip([small, small]), 'malformed'],
    [
      'with too many entries',
      writeZip(Array.from({ length: 5001 }, (_, at) => ({ name: `${at}`, body: '' }))),
      'too_large',
    ],
    ['that claims to unpack to 3 GB', writeZip([{ ...small, claimed_size: 3e9 }]), 'too_large'],
    ['that is cut off', writeZip([small]).subarray(0, -5), 'malformed'],
    ['whose directory is overwritten', writeZip([small]).fill(0, 40, 60), 'malformed'],
  ])('a file %s is refused', (_name, bytes, code) => {
    expect(() => openZip(bytes)).toThrow(expect.objectContaining({ code }))
  })

  test('an entry that unpacks to more than it claims or than its size allows is refused', async () => {
    const lying = openZip(writeZip([{ name: 'a', body: 'x'.repeat(100), claimed_size: 10 }]))
    await expect(lying.read('a')).rejects.toMatchObject({ code: 'malformed' })
    const bomb = openZip(writeZip([{ name: 'a', body: Buffer.alloc(30_000_000), claimed_size: 10 }]))
    await expect(bomb.read('a')).rejects.toThrow(DocumentTooLarge)
  })
})

describe('DOCX', () => {
  test('paragraphs, breaks, tabs, entities and tables inside tables keep their order', async () => {
    const p = (inner: string) => `<w:p><w:r>${inner}</w:r></w:p>`
    const nested = `<w:tbl><w:tr><w:tc>${p('<w:t>inner</w:t>')}</w:tc></w:tr></w:tbl>`
    const text = await readDocx(
      docx(
        `${p('<w:t>A &amp; B &#163;</w:t><w:tab/><w:t>right</w:t><w:br/><w:t>below</w:t>')}<!-- <w:t>no</w:t> -->` +
          `<w:tbl><w:tr><w:tc>${p('<w:t>one</w:t>')}${nested}</w:tc><w:tc>${p('<w:t>two</w:t>')}</w:tc></w:tr></w:tbl>`,
      ),
    )
    expect(text.pages[0]?.lines).toEqual(['A & B £  right', 'below', 'one, inner  two'])
    expect(text.pages[0]?.tables).toEqual([[['one, inner', 'two']]])
  })

  test('a document of Word before 2007 is unsupported, an encrypted one is said to be so', async () => {
    const head = Buffer.from('d0cf11e0a1b11ae1', 'hex')
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    expect(await readDocument(head, type)).toMatchObject({ error: 'unsupported' })
    const encrypted = Buffer.concat([head, Buffer.alloc(500), Buffer.from('EncryptedPackage', 'utf16le')])
    expect(await readDocument(encrypted, type)).toMatchObject({ error: 'encrypted' })
  })
})

describe('numbers of a workbook', () => {
  test.each([
    ['43555', 'dd/mm/yyyy', '2019-03-31'],
    ['43555.5', 'yyyy-mm-dd hh:mm', '2019-03-31 12:00'],
    ['1', 'd mmm yyyy', '1900-01-01'],
    ['0.6', '0%', '60%'],
    ['0.125', '0.0%', '12.5%'],
    ['1250000.5', '[$£-809]#,##0.00', '1250000.5'],
    ['12', '0 "days"', '12'],
    ['0.30000000000000004', 'General', '0.3'],
    ['9e99', 'yyyy', '9e+99'],
    ['n/a', '0', 'n/a'],
  ])('%s in the format %s is %s', (raw, format, text) => {
    expect(numberText(raw, kindOfFormat(format), false)).toBe(text)
  })
})

describe('PDF', () => {
  test('pieces in any order become lines, and wide gaps become columns and tables', async () => {
    const cells = [
      ['Name', 'Share'],
      ['Ann', '60%'],
      ['Jan', '40%'],
    ]
    const texts = cells.flatMap((row, line) => row.map((text, at) => ({ x: 60 + at * 200, y: 100 + line * 14, text })))
    const [page] = (await readPdf(writePdf([texts.reverse()]))).pages
    expect(page?.lines).toEqual(['Name  Share', 'Ann  60%', 'Jan  40%'])
    expect(page?.tables).toEqual([cells])
  })

  test('a page that lies on its side is read upright', async () => {
    const texts = [
      { x: 60, y: 100, text: 'Turnover' },
      { x: 260, y: 100, text: '1,000' },
      { x: 60, y: 114, text: 'Net profit' },
    ]
    expect((await readPdf(writePdf([texts], { rotation: 90 }))).pages[0]?.lines).toEqual([
      'Turnover  1,000',
      'Net profit',
    ])
  })

  test('at most 200 pages are read', async () => {
    const pages = Array.from({ length: 201 }, () => [{ x: 60, y: 60, text: 'x' }])
    const text = await readPdf(writePdf(pages))
    expect([text.pages.length, text.is_truncated]).toEqual([200, true])
    expect(await readPdf(bankStatementPdf())).not.toHaveProperty('is_truncated')
  })
})
