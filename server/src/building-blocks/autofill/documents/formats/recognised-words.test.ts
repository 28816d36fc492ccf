import { expect, test } from 'vitest'
import { placeWords } from './recognised-words.ts'

/** A line of Tesseract's table: word, left, width, confidence. */
const tableOf = (...words: [string, number, number, number][]) =>
  words
    .map(([text, left, width, sureness], index) =>
      [5, 1, 1, 1, 1, index + 1, left, 100, width, 20, sureness, text].join('\t'),
    )
    .join('\n')
const read = (...words: [string, number, number, number][]) =>
  placeWords(tableOf(...words), 1).map(({ text, sureness }) => [text, sureness])

test('a number that was read in two is one, and as sure as its least sure part', () => {
  expect(read(['138,', 100, 40, 96], ['420', 146, 30, 90])).toEqual([['138,420', 0.9]])
  expect(read(['£2,406,', 100, 60, 96], ['000', 166, 30, 96])).toEqual([['£2,406,000', 0.96]])
  expect(read(['54', 100, 20, 96], ['-2271906', 124, 80, 96])).toEqual([['54-2271906', 0.96]])
})

test('numbers of two columns, years and lists stay apart', () => {
  expect(read(['138,', 100, 40, 96], ['420', 300, 30, 90])).toHaveLength(2)
  expect(read(['2025,', 100, 40, 96], ['300', 146, 30, 90])).toHaveLength(2)
  expect(read(['12,', 100, 30, 96], ['14', 136, 20, 90])).toHaveLength(2)
  expect(read(['4,', 100, 20, 96], ['118', 124, 30, 90], ['Main', 160, 40, 96])).toHaveLength(3)
})

test('the edge of a box before a word is taken off, and the word is less sure', () => {
  expect(read(['|5120', 100, 50, 96])).toEqual([['5120', 0.85]])
  expect(read(['_23', 100, 30, 70])).toEqual([['23', 0.7]])
})
