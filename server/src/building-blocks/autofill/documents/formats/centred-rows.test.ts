// Cells that browsers set in the middle of their row: which lines are one text, and which are not.
import { expect, test } from 'vitest'
import { textOf } from './document-text.ts'
import { layOutLines, type PlacedText } from './text-layout.ts'

const at = (text: string, x: number, y: number, height = 10): PlacedText => ({
  text,
  x,
  y,
  width: text.length * 5,
  height,
})
const linesOf = (pieces: PlacedText[]) =>
  layOutLines(pieces)
    .filter((line) => line.length > 0)
    .map(textOf)

test('a value of two lines stands beside the label between them', () => {
  const pieces = [at('LEE ARTISAN', 300, 100), at('Company name', 50, 106), at('BAKERY LTD', 300, 112)]
  expect(linesOf(pieces)).toEqual(['Company name  LEE ARTISAN BAKERY LTD'])
})

test('a label of two lines stands before the value between them', () => {
  const pieces = [at('Business', 50, 100), at('79214 0653 RC0001', 300, 106), at('number', 50, 112)]
  expect(linesOf(pieces)).toEqual(['Business number  79214 0653 RC0001'])
})

test('lines that end at the same place are one text, too', () => {
  const pieces = [at('LEE ARTISAN', 345, 100), at('Name', 50, 106), at('BAKERY LTD', 350, 112)]
  expect(linesOf(pieces)).toEqual(['Name  LEE ARTISAN BAKERY LTD'])
})

test('two lines beside three are one row', () => {
  const pieces = [
    at('Parts of the', 300, 100),
    at('Rent paid', 50, 106),
    at('house that are', 300, 112),
    at('in the year', 50, 118),
    at('let', 300, 124),
  ]
  expect(linesOf(pieces)).toEqual(['Rent paid in the year  Parts of the house that are let'])
})

test('rows of one line stay apart, however close they are', () => {
  const rows = [0, 1, 2, 3].flatMap((row) => [
    at(`Label ${row}`, 50, 100 + 14 * row),
    at(`Value ${row}`, 300, 100 + 14 * row),
  ])
  expect(linesOf(rows)).toEqual([0, 1, 2, 3].map((row) => `Label ${row}  Value ${row}`))
})

test('a longer block beside a label is no cell of its row', () => {
  const block = ['Lee & Co', '14 Mill Road', 'Leeds', 'LS1 4AB', 'England', 'Tel 0113 555 0100'].map((text, line) =>
    at(text, 300, 100 + 12 * line),
  )
  expect(linesOf([...block, at('INVOICE', 50, 130)])).toContain('INVOICE')
  expect(linesOf([...block, at('INVOICE', 50, 130)])).toContain('14 Mill Road')
})

test('a caption in smaller letters is no part of what stands below it', () => {
  const pieces = [at('COMPANY NAME', 300, 100, 7), at('We build things', 50, 106), at('Lee Bakery Ltd', 300, 112)]
  expect(linesOf(pieces)).toHaveLength(3)
})

test('what stands as near above or below is taken for a line of the same text, and nothing is joined', () => {
  const pieces = [
    at('Street 1', 300, 88),
    at('Street 2', 300, 100),
    at('Note', 50, 106),
    at('Town', 300, 112),
    at('Land', 300, 124),
    at('Planet', 300, 136),
  ]
  expect(linesOf(pieces)).toContain('Note')
})

test('rows of two tables side by side, half a line apart, stay rows', () => {
  const pieces = [
    ...['Turnover', 'Profit', 'Employees'].flatMap((text, row) => [
      at(text, 50, 100 + 13 * row),
      at(`${row}00`, 200, 100 + 13 * row),
    ]),
    ...['Phone', 'Number'].flatMap((text, row) => [
      at(text, 320, 106.5 + 13 * row),
      at(`555 ${row}`, 420, 106.5 + 13 * row),
    ]),
  ]
  expect(linesOf(pieces)).toContain('Turnover  000')
  expect(linesOf(pieces)).toContain('Phone  555 0')
})

test('lines that each end in an amount are rows', () => {
  const pieces = [at('Opening 6,204.11', 50, 100), at('Sort code 20-11-22', 300, 106), at('Closing 3,412.88', 50, 112)]
  expect(linesOf(pieces)).toHaveLength(3)
})
