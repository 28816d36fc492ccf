// The readers of single formats, on what files in the wild do.
import { describe, expect, test } from 'vitest'
import { docx } from '../../../../../test/documents/business-office-files.ts'
import { bankStatementPdf } from '../../../../../test/documents/business-pdfs.ts'
import { writePdf } from '../../../../../test/documents/pdf-writer.ts'
import { xfaForm } from '../../../../../test/documents/xfa-form.ts'
import { writeZip } from '../../../../../test/documents/zip-writer.ts'
import { readCsv } from './csv-text.ts'
import { type DocumentText, textLimits, textOf } from './document-text.ts'
import { DocumentTooLarge } from './document-unreadable.ts'
import { readDocx } from './docx-text.ts'
import { createOcr } from './ocr.ts'
import { readPdf as readPdfWith } from './pdf-text.ts'
import { readPlainText } from './plain-text.ts'
import { readDocument } from './read-document.ts'
import { kindOfFormat, numberText } from './spreadsheet-values.ts'
import { openZip } from './zip-archive.ts'

const noOcr = createOcr({ program: undefined, time_ms: 0 })
const readPdf = (bytes: Buffer) => readPdfWith(bytes, createOcr({ program: undefined, time_ms: 0 }))
const linesIn = ({ pages }: DocumentText) => pages.flatMap(({ lines }) => lines.map(textOf))
const cellsIn = ({ pages }: DocumentText) =>
  pages.flatMap(({ lines }) => lines.map((cells) => cells.map(({ text }) => text)))

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
    expect(cellsIn(readCsv(bytes))).toEqual(rows)
  })

  test('an open quote, an empty file and lone separators are read as far as they go', () => {
    expect(cellsIn(readCsv(Buffer.from('a,"b')))).toEqual([['a', 'b']])
    expect(cellsIn(readCsv(Buffer.from('')))).toEqual([])
    expect(cellsIn(readCsv(Buffer.from(',\n,\na,')))).toEqual([[], [], ['a']])
  })

  test('cells of one column overlap, whatever stands before them', () => {
    const [first, second] = readCsv(Buffer.from('a,b,c\n,,x')).pages[0]?.lines ?? []
    expect([second?.[0]?.left, second?.[0]?.right]).toEqual([first?.[2]?.left, first?.[2]?.right])
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
    expect(linesIn(text)).toEqual(['A & B £  right', 'below', 'one, inner  two', ''])
  })

  const paragraph = (text: string) => `<w:p><w:r><w:t>${text.replaceAll('|', '</w:t><w:br/><w:t>')}</w:t></w:r></w:p>`
  const rowOf = (...cells: string[][]) =>
    `<w:tbl><w:tr>${cells.map((texts) => `<w:tc>${texts.map(paragraph).join('')}</w:tc>`).join('')}</w:tr></w:tbl>`

  test('a table that sets the columns of a page is read one column after the other, a row of values as one line', async () => {
    const left = [
      'Business',
      'Lee Bakery Ltd',
      '12 High Street',
      'Leeds',
      'LS1 4AB',
      'Phone 0113 496 0000',
      'Bakery',
      'Shop',
    ]
    const columns = await readDocx(docx(rowOf(left, ['Owner', 'Ann Lee'])))
    expect(linesIn(columns)).toEqual([...left, '', 'Owner', 'Ann Lee', '', ''])
    const values = await readDocx(docx(rowOf(['Registered office'], ['12 High Street|Leeds|LS1 4AB'])))
    expect(linesIn(values)).toEqual(['Registered office  12 High Street, Leeds, LS1 4AB', ''])
  })

  test('blocks beside each other in a table of one row are read one after the other; in a table of several they are rows', async () => {
    const [sender, receiver] = [
      ['Lee Bakery Ltd', '12 High Street', 'Leeds LS1 4AB'],
      ['Bill to', 'Best Homes Ltd'],
    ]
    expect(linesIn(await readDocx(docx(rowOf(sender, receiver))))).toEqual([...sender, '', ...receiver, '', ''])
    const two = rowOf(sender, receiver).replace('</w:tbl>', `${rowOf(['a'], ['b']).replace('<w:tbl>', '')}`)
    expect(linesIn(await readDocx(docx(two)))).toEqual([
      'Lee Bakery Ltd, 12 High Street, Leeds LS1 4AB  Bill to, Best Homes Ltd',
      'a  b',
      '',
    ])
  })

  test('a caption and what is filled in below it, in one cell, stay apart', async () => {
    const text = await readDocx(docx(rowOf(['Legal name|Lee Bakery Ltd'], ['Date of birth|1 May 1980'])))
    expect(linesIn(text)).toEqual(['Legal name, Lee Bakery Ltd  Date of birth, 1 May 1980', ''])
  })

  test('letterheads in headers and footers are read, above and below the text', async () => {
    const part = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
    const text = await readDocx(
      docx(part('body'), { 'word/header1.xml': part('Acme Ltd'), 'word/footer2.xml': part('Company no. 1') }),
    )
    expect(linesIn(text)).toEqual(['Acme Ltd', 'body', 'Company no. 1'])
  })

  test('a document of Word before 2007 is unsupported, an encrypted one is said to be so', async () => {
    const head = Buffer.from('d0cf11e0a1b11ae1', 'hex')
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    expect(await readDocument(head, type, noOcr)).toMatchObject({ error: 'unsupported' })
    const encrypted = Buffer.concat([head, Buffer.alloc(500), Buffer.from('EncryptedPackage', 'utf16le')])
    expect(await readDocument(encrypted, type, noOcr)).toMatchObject({ error: 'encrypted' })
  })
})

describe('numbers of a workbook', () => {
  test.each([
    ['43555', 'dd/mm/yyyy', '2019-03-31'],
    ['43555', 'mmm yyyy', '2019-03'],
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
    expect(page?.lines.map((line) => line.map(({ text }) => text))).toEqual(cells)
  })

  test('a page that lies on its side is read upright', async () => {
    const texts = [
      { x: 60, y: 100, text: 'Turnover' },
      { x: 260, y: 100, text: '1,000' },
      { x: 60, y: 114, text: 'Net profit' },
    ]
    expect(linesIn(await readPdf(writePdf([texts], { rotation: 90 })))).toEqual(['Turnover  1,000', 'Net profit'])
  })

  test('what was filled into a form stands where its field is, with what the form calls it', async () => {
    const texts = [{ x: 60, y: 100, text: 'Legal name' }]
    const fields = [
      { name: 'f1', tooltip: 'Legal name of business', value: 'Acme Ltd', x: 200, y: 92, width: 200, height: 14 },
    ]
    const filled = await readPdf(writePdf([texts], { fields }))
    expect(linesIn(filled)).toEqual(['Legal name  Acme Ltd'])
    expect(filled.pages[0]?.lines[0]?.[1]?.field).toBe('Legal name of business')
    expect(filled).not.toHaveProperty('problems')
  })

  test('an empty form and a document without text are said to be so', async () => {
    const fields = [{ name: 'f1', tooltip: 'Legal name', value: '', x: 200, y: 92, width: 200, height: 14 }]
    const empty = await readPdf(writePdf([[{ x: 60, y: 100, text: 'Legal name' }]], { fields }))
    expect(empty.problems).toMatchObject([{ code: 'empty_form' }])
    expect((await readPdf(writePdf([[]]))).problems).toMatchObject([{ code: 'no_text' }])
  })

  test('a dynamic XFA form is read with what was written into it, from top to bottom', async () => {
    const form = xfaForm([
      ['Legal name of business', 'Harbour Kitchens Ltd'],
      ['Turnover 2025', '£1,240,500'],
      ['Website', ''],
    ])
    const text = await readPdf(form)
    expect(linesIn(text)).toEqual([
      'Grant application',
      'Legal name of business  Harbour Kitchens Ltd',
      'Turnover 2025  £1,240,500',
      'Website',
    ])
    expect([text.pages[0]?.lines[1]?.[1]?.field, text.problems]).toEqual(['Legal name of business', undefined])
  })

  test('an XFA form that is empty or cannot be read is said to be so', async () => {
    expect((await readPdf(xfaForm([['Legal name', '']]))).problems).toMatchObject([{ code: 'empty_form' }])
    expect((await readPdf(xfaForm([['Legal name', 'Acme']], true))).problems).toMatchObject([{ code: 'unread_form' }])
  })

  test('at most 200 pages are read', async () => {
    const pages = Array.from({ length: 201 }, () => [{ x: 60, y: 60, text: 'x' }])
    const text = await readPdf(writePdf(pages))
    expect([text.pages.length, text.is_truncated]).toEqual([200, true])
    expect(await readPdf(bankStatementPdf())).not.toHaveProperty('is_truncated')
  })
})

describe('plain text', () => {
  test('columns are kept by spaces or tabs, and a form feed begins a page', () => {
    const text = readPlainText(Buffer.from('Turnover    1,000\nTax\t12\fEnd'))
    expect(cellsIn(text)).toEqual([['Turnover', '1,000'], ['Tax', '12'], ['End']])
    expect(text.pages).toHaveLength(2)
  })

  test('an empty file is said to be empty', () => {
    expect(readPlainText(Buffer.from(' \n')).problems).toMatchObject([{ code: 'no_text' }])
  })
})
