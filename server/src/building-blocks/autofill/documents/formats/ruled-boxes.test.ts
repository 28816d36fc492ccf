// Pages that draw boxes, as forms do: what stands in a box belongs to its caption, whatever the line across the page says.
import { expect, test } from 'vitest'
import { type PdfOptions, type PdfText, writePdf } from '../../../../../test/documents/pdf-writer.ts'
import type { Cell } from './document-text.ts'
import { createOcr } from './ocr.ts'
import { readPdf } from './pdf-text.ts'

const noOcr = createOcr({ program: undefined, time_ms: 0 })
/** A page with fewer letters may be a picture, and its boxes are not looked at. */
const smallPrint: PdfText[] = Array.from({ length: 6 }, (_, index) => ({
  ...{ x: 36, y: 600 + 12 * index, size: 8 },
  text: 'Under penalties of perjury, I declare that this form is true and complete.',
}))

async function cellsOf(texts: readonly PdfText[], options: PdfOptions): Promise<Cell[][]> {
  const { pages } = await readPdf(writePdf([[...texts, ...smallPrint]], options), noOcr)
  return pages
    .flatMap(({ lines }) => lines)
    .filter((line) => !line.some(({ text }) => text.startsWith('Under penalties')))
}

const fieldsIn = (lines: Cell[][]) =>
  lines.flat().flatMap(({ text, field }) => (field === undefined ? [] : [[field, text]]))
const caption = (x: number, y: number, text: string): PdfText => ({ x, y, text, size: 7 })
const filled = (x: number, y: number, text: string): PdfText => ({ x, y, text, size: 10, is_bold: true })
const row = (y: number, ...sides: number[]) =>
  sides.slice(1).map((right, at) => ({ x: sides[at] ?? 0, y, width: right - (sides[at] ?? 0), height: 26 }))

test('what is filled into a box has the caption of the box, and the next box is another cell', async () => {
  const lines = await cellsOf(
    [
      ...[caption(40, 108, 'A Principal activity'), caption(122, 108, 'Name of partnership')],
      ...[caption(402, 108, 'D Employer'), caption(402, 116, 'identification number')],
      ...[filled(40, 122, 'MILLING'), filled(122, 122, 'LEE BAKERY PARTNERS'), filled(402, 124, '54-6093318')],
    ],
    { boxes: row(100, 36, 120, 400, 570) },
  )
  expect(fieldsIn(lines)).toEqual([
    ['A Principal activity', 'MILLING'],
    ['Name of partnership', 'LEE BAKERY PARTNERS'],
    ['D Employer identification number', '54-6093318'],
  ])
  expect(lines[0]?.map(({ text }) => text)).toEqual(['A Principal activity', 'Name of partnership', 'D Employer'])
})

test('fields of a form without a name are named by what is printed above them in their box', async () => {
  const field = { name: 'f1_02[0]', tooltip: '', value: 'LEE BAKERY INC', x: 124, y: 112, width: 200, height: 12 }
  const beside = { ...field, value: '1,200', x: 230, y: 152 }
  const lines = await cellsOf([caption(122, 108, 'Legal name'), caption(122, 162, 'Gross receipts')], {
    boxes: [...row(100, 36, 120, 400), ...row(150, 36, 120, 400)],
    fields: [field, beside],
  })
  expect(fieldsIn(lines)).toEqual([['Legal name', 'LEE BAKERY INC']])
})

test.each([
  ['a heading larger than what stands below it', [filled(40, 112, 'Current account'), caption(40, 122, '1 to 31 May')]],
  [
    'columns without a rule between them',
    [caption(40, 108, 'Money out'), caption(200, 108, 'Balance'), filled(40, 122, '12.00')],
  ],
  ['an amount above another one', [caption(40, 108, 'Closing balance $31,907.44'), filled(40, 122, 'Deposits 5')]],
  ['a label of its own', [caption(40, 108, 'Staff (average of the year)'), filled(40, 122, 'Permanent: 11 Others: 2')]],
])('%s is no caption', async (_, texts) => {
  expect(fieldsIn(await cellsOf(texts, { boxes: row(100, 36, 400) }))).toEqual([])
})

test('squares are boxes to tick, and what stands in one ticks it; squares side by side hold letters', async () => {
  const square = (x: number, y: number) => ({ x, y, width: 9, height: 9 })
  const lines = await cellsOf(
    [
      ...[filled(41, 108, 'X'), caption(54, 108, 'Partnership'), caption(154, 108, 'Corporation')],
      ...[filled(42, 208, '4'), filled(51, 208, '7')],
    ],
    { boxes: [square(40, 100), square(140, 100), square(40, 200), square(49, 200)] },
  )
  const texts = lines.map((cells) => cells.map(({ text }) => text).join(' '))
  expect(texts.filter((text) => text !== '')).toEqual(['☒ Partnership ☐ Corporation', '4 7'])
})

test('dots that lead to a value are left out, a point within an amount is not', async () => {
  const dots = [180, 200, 220, 240].map((x) => caption(x, 108, '.'))
  const lines = await cellsOf(
    [caption(40, 108, 'Rents'), ...dots, caption(300, 108, '132,000'), caption(328, 108, '.'), caption(331, 108, '50')],
    {
      boxes: row(100, 36, 400),
    },
  )
  expect(lines[0]?.map(({ text }) => text)).toEqual(['Rents', '132,000 . 50'])
})

test('a drawing of thousands of lines is read as text alone', async () => {
  const boxes = Array.from({ length: 4_000 }, (_, index) => ({
    x: 36,
    y: 100 + (index % 300),
    width: 20 + index / 10,
    height: 12,
  }))
  const lines = await cellsOf([caption(40, 108, 'Legal name'), filled(40, 122, 'LEE BAKERY INC')], { boxes })
  expect(fieldsIn(lines)).toEqual([])
  expect(lines.flat().map(({ text }) => text)).toEqual(['Legal name', 'LEE BAKERY INC'])
})
