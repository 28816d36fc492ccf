// PDFs that say themselves what belongs together: rows, cells and paragraphs are those of the document, as far as the page
// that a person looks at shows the same.
import { expect, test } from 'vitest'
import {
  assembleTagged,
  marked,
  part,
  type TaggedNode,
  type TaggedOptions,
  writeTaggedPdf,
} from '../../../../../test/documents/tagged-pdf.ts'
import { growthOf, steepestGrowth } from '../../../../../test/growth.ts'
import { type DocumentPage, textOf } from './document-text.ts'
import { createOcr } from './ocr.ts'
import { readPdf } from './pdf-text.ts'
import { layOutTagged } from './tagged-layout.ts'

const noOcr = createOcr({ program: undefined, time_ms: 0 })
/** A page with fewer letters may be a picture, and its tags are not looked at. */
const smallPrint = 'Under penalties of perjury, I declare that this form is true and complete.'
const below = [part('P', marked(36, 700, smallPrint, smallPrint, smallPrint, smallPrint))]

const linesIn = (pages: readonly DocumentPage[] | undefined) =>
  pages?.flatMap(({ lines }) => lines.map(textOf)).filter((line) => line !== '' && line !== smallPrint)

async function readTagged(tree: readonly TaggedNode[], options?: TaggedOptions) {
  const { pages, as_tagged } = await readPdf(writeTaggedPdf([...tree, ...below], options), noOcr)
  return { drawn: linesIn(pages), tagged: linesIn(as_tagged) }
}

const p = (x: number, y: number, ...lines: string[]) => part('P', marked(x, y, ...lines))
const large = (x: number, y: number, text: string) => part('P', { texts: [{ x, y, text, size: 18 }] })
const td = (x: number, y: number, ...lines: string[]) => part('TD', marked(x, y, ...lines))
const th = (x: number, y: number, ...lines: string[]) => part('TH', marked(x, y, ...lines))
const table = (...rows: TaggedNode[][]) => part('Table', ...rows.map((cells) => part('TR', ...cells)))
const address = [p(200, 100, '12 High Street'), p(200, 114, 'Leeds'), p(200, 128, 'LS1 4AB')]

test('a cell of several lines is one, in the row and the column that the table says', async () => {
  const { drawn, tagged } = await readTagged([
    table(
      [th(40, 100, 'Legal', 'name'), th(200, 100, 'Registered', 'address')],
      [td(40, 130, 'Lee Bakery', 'Ltd'), td(200, 130, '12 High Street', 'Leeds', 'LS1 4AB')],
    ),
  ])
  expect(drawn?.[0]).toBe('Legal  Registered')
  expect(tagged).toEqual(['Legal name  Registered address', 'Lee Bakery Ltd  12 High Street, Leeds, LS1 4AB'])
})

test('tags are read on the first forty pages, for one costs what all the tags of a document do', async () => {
  const texts = (page: number, x: number, y: number, ...lines: string[]): TaggedNode => ({
    page,
    texts: lines.map((text, index) => ({ x, y: y + 12 * index, text })),
  })
  const pageOf = (page: number) => [
    part(
      'Table',
      part('TR', part('TD', texts(page, 40, 100, 'Legal', 'name')), part('TD', texts(page, 200, 100, 'Lee'))),
    ),
    part('P', texts(page, 36, 700, smallPrint, smallPrint, smallPrint, smallPrint)),
  ]
  const tree = Array.from({ length: 41 }, (_, page) => pageOf(page)).flat()
  const { as_tagged } = await readPdf(writeTaggedPdf(tree), noOcr)
  expect(linesIn(as_tagged?.slice(39))).toEqual(['Legal name  Lee', 'Legal  Lee', 'name'])
})

test.each([
  ['a table that only sets them side by side', table([td(40, 100, 'Registered address'), part('TD', ...address)])],
  [
    'boxes without a meaning',
    part('NonStruct', part('NonStruct', marked(40, 100, 'Registered address')), part('NonStruct', ...address)),
  ],
  [
    'a paragraph of several lines',
    part('Div', p(40, 100, 'Registered address'), p(200, 100, '12 High Street', 'Leeds', 'LS1 4AB')),
  ],
])('a label has the whole address beside it in %s', async (_, tree) => {
  const { tagged } = await readTagged([tree])
  expect(tagged).toEqual(['Registered address  12 High Street, Leeds, LS1 4AB'])
})

test('two cards side by side are read one after the other', async () => {
  const { drawn, tagged } = await readTagged([
    part('Div', p(40, 100, 'Business'), p(40, 114, 'Lee Bakery Ltd')),
    part('Div', p(300, 100, 'Owner'), p(300, 114, 'Ann Lee')),
  ])
  expect(drawn).toEqual(['Business  Owner', 'Lee Bakery Ltd  Ann Lee'])
  expect(tagged).toEqual(['Business', 'Lee Bakery Ltd', 'Owner', 'Ann Lee'])
})

test('a large figure over its caption is the value of that caption', async () => {
  const { tagged } = await readTagged([
    part('Div', large(40, 100, '64'), p(40, 114, 'Employees')),
    part('Div', large(200, 100, '3'), p(200, 114, 'Branches')),
  ])
  expect(tagged).toEqual(['Employees  64', 'Branches  3'])
})

test('head and foot that no part of the tree has are kept; other text without a part says that the tree is not whole', async () => {
  const title = [p(40, 100, 'Legal name: Lee Bakery Ltd')]
  const at = (y: number, text: string) => ({ x: 40, y, text })
  const whole = await readTagged(title, { loose: [at(40, 'Form 12'), at(770, 'Page 1')] })
  expect(whole.tagged).toEqual(['Form 12', 'Legal name: Lee Bakery Ltd', 'Page 1'])
  const partial = await readTagged(title, { loose: [at(400, 'Trading name: Lee')] })
  expect(partial).toEqual({ drawn: ['Legal name: Lee Bakery Ltd', 'Trading name: Lee'], tagged: undefined })
})

test('a table over several pages is read on each of them', async () => {
  const row = (page: number, y: number, ...texts: string[]) =>
    texts.map((text, column) => part('TD', { page, texts: [{ x: 40 + 200 * column, y, text }] }))
  const texts = [0, 1].map((page) =>
    part('P', { page, texts: [1, 2, 3, 4].map((y) => ({ x: 36, y: 700 + 12 * y, text: smallPrint })) }),
  )
  const rows = [row(0, 640, 'Rent', '1,200'), row(1, 40, 'Wages', '3,400')]
  const { as_tagged } = await readPdf(writeTaggedPdf([table(...rows), ...texts]), noOcr)
  expect(as_tagged?.map((page) => linesIn([page]))).toEqual([['Rent  1,200'], ['Wages  3,400']])
})

const steps = (...texts: string[]) =>
  texts.map((text, mark) => `/P << /MCID ${mark} >> BDC BT /F1 8 Tf 36 ${700 - 20 * mark} Td (${text}) Tj ET EMC`)
const mark = (number: number) => `<< /Type /MCR /Pg @page0@ /MCID ${number} >>`
const element = (parent: string, ...kids: string[]) =>
  `<< /Type /StructElem /S /Div /P ${parent} /K [${kids.join(' ')}] >>`

test.each([
  [
    'that contains itself',
    [element('@element1@', '@element1@', mark(0)), element('@element0@', '@element0@', mark(1))],
  ],
  ['whose parts are missing', [element('@root@', '@element7@', mark(0), mark(1))]],
  ['that is no tree', ['(element)']],
  ['that has a part of the text', [element('@root@', mark(1))]],
])('a page with a tree %s is read as it is drawn', async (_, elements) => {
  const drawn = [
    steps('Legal name: Lee Bakery Ltd', smallPrint, smallPrint, smallPrint, 'Trading name: Lee').join('\n'),
  ]
  const parents = [elements.map((_, index) => `@element${index}@`).join(' ')]
  const text = await readPdf(assembleTagged({ drawn, elements, kids: '@element0@', parents }), noOcr)
  expect(linesIn(text.pages)).toEqual(['Legal name: Lee Bakery Ltd', 'Trading name: Lee'])
  expect(linesIn(text.as_tagged) ?? linesIn(text.pages)).toEqual(linesIn(text.pages))
})

test('a mark that two parts have is text of the first', async () => {
  const drawn = [steps('Trading name: Lee', smallPrint, smallPrint, smallPrint).join('\n')]
  const elements = [
    element('@root@', '@element1@', '@element2@'),
    element('@element0@', mark(0), mark(1)),
    element('@element0@', mark(0), mark(2), mark(3)),
  ]
  const parents = ['@element1@ @element1@ @element2@ @element2@']
  const { as_tagged } = await readPdf(assembleTagged({ drawn, elements, kids: '@element0@', parents }), noOcr)
  expect(linesIn(as_tagged)).toEqual(['Trading name: Lee'])
})

const amount = '$9,000,000'
test.each([
  ['cells of one row that stand far apart', [table([td(40, 100, 'Revenue'), td(300, 400, amount)]), p(300, 100, '$5')]],
  ['cells of one row that stand in two', [table([td(40, 100, 'Revenue'), td(300, 116, amount)]), p(300, 100, '$5')]],
  ['cells with another one between them', [table([td(40, 100, 'Revenue'), td(300, 100, amount)]), p(200, 100, '$5')]],
  ['a label and a value with another between them', [p(40, 100, 'Revenue'), p(300, 100, amount), p(200, 100, '$5')]],
  [
    'the lines of a text in two places',
    [part('P', marked(40, 100, 'Revenue'), marked(40, 400, amount)), p(300, 100, '$5')],
  ],
])('%s are not joined, whatever tags say', async (_, tree) => {
  expect((await readTagged(tree)).tagged).toEqual(['Revenue', amount, '$5'])
})

test('a label is not cut off where its text goes on', async () => {
  const { tagged } = await readTagged([p(40, 100, 'Revenue'), p(82, 100, 'of our supplier'), p(300, 100, amount)])
  expect(tagged).toEqual([`Revenue of our supplier  ${amount}`])
})

test('a page on which other text stands between what its tags put below each other is read as it is drawn', async () => {
  const { tagged } = await readTagged([p(40, 100, 'Revenue'), p(40, 400, amount), p(40, 300, 'Remarks')])
  expect(tagged).toBeUndefined()
})

test('text that the page does not show is in neither reading', async () => {
  const shown = [td(40, 100, 'Revenue'), td(300, 100, '$5'), td(700, 100, amount)]
  expect(await readTagged([table(shown)])).toEqual({ drawn: ['Revenue  $5'], tagged: ['Revenue  $5'] })
})

test('a document of hundreds of pages has tags on the first, and is read to its end', async () => {
  const texts = [1, 2, 3, 4].map((line) => ({ x: 36, y: 100 + 12 * line, text: smallPrint }))
  const pages = Array.from({ length: 60 }, (_, page) =>
    part(
      'Div',
      part('P', {
        page,
        texts: [
          { x: 40, y: 40, text: 'Legal' },
          { x: 40, y: 52, text: 'name' },
        ],
      }),
      part('P', { page, texts }),
    ),
  )
  const { as_tagged } = await readPdf(writeTaggedPdf(pages), noOcr)
  const lines = as_tagged?.map((page) => linesIn([page])?.join()) ?? []
  expect([lines.length, lines[0], lines[59]]).toEqual([60, 'Legal name', 'Legal,name'])
})

test('what a page of tags costs grows evenly with its parts', () => {
  const cell = (x: number, y: number) => ({
    role: 'TD',
    parts: [{ pieces: [{ text: 'Rent 5', x, y, width: 30, height: 10 }] }],
  })
  const rows = (count: number) => ({
    role: 'Table',
    parts: Array.from({ length: count }, (_, at) => ({
      role: 'TR',
      parts: [40, 140, 240].map((x) => cell(x, 14 * at)),
    })),
  })
  expect(growthOf(layOutTagged, rows(500), rows(2_000))).toBeLessThan(steepestGrowth)
})
