// Scans through the readers of PDF and pictures, read by the real Tesseract.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  picturePdf,
  pngOfSize,
  scanFile,
  scannedLines,
  scannedPdf,
  smallScan,
} from '../../../../../test/documents/scanned-pages.ts'
import { describeWithTesseract, pretendedTesseract, rememberingTesseract } from '../../../../../test/tesseract.ts'
import { type DocumentText, textOf } from './document-text.ts'
import { createOcr } from './ocr.ts'
import { readDocument } from './read-document.ts'
import { examineTesseract } from './tesseract.ts'

const pdf = 'application/pdf'
const ocrWith = (program: string | undefined, time_ms = 120_000) => createOcr({ program, time_ms })
const tesseract = rememberingTesseract()
const read = async (bytes: Buffer, type = pdf, ocr = ocrWith(tesseract)): Promise<DocumentText> => {
  const text = await readDocument(bytes, type, ocr)
  if (!('pages' in text)) throw new Error(text.message)
  return text
}
const linesOf = ({ pages }: DocumentText) => pages.map(({ lines }) => lines.map(textOf))
const corpus = (name: string) =>
  readFileSync(new URL(`../../../../../bench/autofill-corpus/tuning/${name}`, import.meta.url))

describeWithTesseract('scans', () => {
  test.each([
    ['a grey picture by Ghostscript', scanFile('profit-and-loss-flate.pdf'), pdf],
    ['a picture packed as JBIG2', scanFile('profit-and-loss-jbig2.pdf'), pdf],
    ['a PNG', scanFile('profit-and-loss.png'), 'image/png'],
    ['a picture in two tones', scannedPdf(), pdf],
    ['a mask of letters over a background', scannedPdf({ is_mask: true }), pdf],
    [
      'a page that lies on its side',
      scannedPdf({ size: [792, 612], rotation: 90, places: ['0 612 -792 0 792 0'] }),
      pdf,
    ],
  ])('%s is read as lines and columns with their places', async (_name, bytes, type) => {
    const text = await read(bytes, type)
    expect(linesOf(text)).toEqual([scannedLines])
    expect(text.problems).toMatchObject([{ code: 'read_by_ocr' }])
    const amounts = text.pages[0]?.lines.flatMap(([, amount]) => (amount ? [amount] : [])) ?? []
    expect(new Set(amounts.map(({ right }) => Math.round(right / 4))).size).toBe(1)
    for (const { sureness } of amounts) expect(sureness).toBeGreaterThan(0.8)
  })

  test.each([
    ['fax-certificate-incorporation-moorland.pdf', pdf, 'Company number 03882117'],
    ['scan-guv-schreinerei.pdf', pdf, 'Umsatzerlöse  914.330,00'],
    ['scan-extracto-ferreteria.jpg', 'image/jpeg', 'Titular: FERRETERIA LOS ALAMOS SL'],
  ])('a turned and dusty page is straightened: %s', async (name, type, line) => {
    expect(linesOf(await read(corpus(name), type)).flat()).toContain(line)
  })

  test('two pictures on one page are one page', async () => {
    const both = scannedPdf({ size: [612, 1584], places: ['612 0 0 792 0 792', '612 0 0 792 0 0'] })
    const [lines = []] = linesOf(await read(both))
    expect(lines.filter((line) => line === 'Tax  £20,900')).toHaveLength(2)
  })

  test('of a document with text and scans, only the scans are read by OCR, and named', async () => {
    const text = await read(corpus('text-page-then-scanned-page.pdf'))
    expect(text.problems).toEqual([
      { code: 'read_by_ocr', message: 'Page 2 is a scan and was read by OCR, which makes mistakes. Check the values.' },
    ])
    const [first, second] = text.pages.map(({ lines }) => lines.flat())
    expect(first?.every(({ sureness }) => sureness === undefined)).toBe(true)
    expect(second?.every(({ sureness }) => sureness !== undefined)).toBe(true)
  })

  test('a scan with a stamp in text is read, a page of text with a logo is left alone', async () => {
    const stamped = await read(scannedPdf({ text: 'Scanned with a phone' }))
    expect(linesOf(stamped).flat()).toEqual(expect.arrayContaining(['Tax  £20,900', 'Scanned with a phone']))
    const logo = await read(scannedPdf({ text: 'Yours sincerely', places: ['100 0 0 50 400 700'] }))
    expect([linesOf(logo), logo.problems]).toEqual([[['Yours sincerely']], undefined])
  })

  test('no more than 20 pages are read by OCR, and the rest is named', async () => {
    const { pages, problems } = await read(smallScan(23), pdf, ocrWith(pretendedTesseract(oneWord)))
    expect(pages.filter(({ lines }) => lines.length > 0)).toHaveLength(20)
    expect(problems?.[1]).toMatchObject({
      code: 'no_text',
      message: expect.stringMatching(/^Pages 21, 22, 23 were not/),
    })
  })
})

const oneWord = String.raw`cat >/dev/null; printf '5\t1\t1\t1\t1\t1\t10\t10\t90\t30\t96\tword\n'`

describe('pictures without the help of Tesseract', () => {
  test('a scan where there is no OCR is named, with what to do', async () => {
    const { problems } = await read(scannedPdf(), pdf, ocrWith(undefined))
    expect(problems).toEqual([
      {
        code: 'no_text',
        message:
          'The document has no text and may be a scan; this server has no OCR. Upload a PDF with text, or enter the answers by hand.',
      },
    ])
    const picture = await read(scanFile('profit-and-loss.png'), 'image/png', ocrWith(undefined))
    expect(picture.problems).toEqual(problems)
  })

  test('a picture of 100,000 by 100,000 pixels is not unpacked', async () => {
    const ocr = ocrWith(pretendedTesseract(oneWord))
    expect((await read(picturePdf(100_000, 100_000), pdf, ocr)).problems).toMatchObject([{ code: 'no_text' }])
    for (const size of [100_000, 2 ** 32 - 1])
      expect(await readDocument(pngOfSize(size, size), 'image/png', ocr)).toMatchObject({ error: 'too_large' })
  })

  test.each([
    ['no picture', Buffer.from('hello'), 'image/png'],
    ['a PNG without pixels', pngOfSize(0, 10), 'image/png'],
    ['a JPEG that is cut off', corpus('scan-extracto-ferreteria.jpg').subarray(0, 20), 'image/jpeg'],
    ['a JPEG whose segments have no length', Buffer.from(`ffd8${'ffe00000'.repeat(100)}`, 'hex'), 'image/jpeg'],
  ])('%s is refused as damaged', async (_name, bytes, type) => {
    expect(await readDocument(bytes, type, ocrWith(undefined))).toMatchObject({ error: 'malformed' })
  })

  test.each([
    ['crashes', 'exit 3', 'OCR failed on the document'],
    ['writes without end', 'exec yes', 'OCR failed on the document'],
    ['says nothing', 'cat >/dev/null', 'OCR found none'],
    ['says something else', "echo '<html>5\t\t\t</html>'", 'OCR found none'],
    [
      'says that words are nowhere',
      String.raw`printf '5\t1\t1\t1\t1\t1\tx\t-1\t1e999\tNaN\t96\tword\n'`,
      'OCR found none',
    ],
  ])('an OCR program that %s costs only the text of the scan', async (_name, script, message) => {
    const { pages, problems } = await read(smallScan(), pdf, ocrWith(pretendedTesseract(script)))
    expect(pages.map(({ lines }) => lines)).toEqual([[]])
    expect(problems).toMatchObject([{ code: 'no_text', message: expect.stringContaining(message) }])
  })

  test('an OCR program that hangs is ended after its time, and the pages are named', async () => {
    const hanging = ocrWith(pretendedTesseract('exec sleep 600'), 1_000)
    expect((await read(smallScan(2), pdf, hanging)).problems).toMatchObject([
      { code: 'no_text', message: expect.stringMatching(/^The document was not read: OCR stops after 20 pages/) },
    ])
  })

  test.each([
    ['is another program', '/bin/cat'],
    ['does not exist', '/no/such/program'],
  ])('a program that %s is not used as OCR', async (_name, program) => {
    expect(await examineTesseract(program)).toBeUndefined()
    expect((await read(scannedPdf(), pdf, ocrWith(program))).problems).toMatchObject([
      { message: expect.stringContaining('this server has no OCR') },
    ])
  })
})
