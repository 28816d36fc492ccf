import { expect, test } from 'vitest'
import { confidences } from '../../confidence.ts'
import type { Cell } from '../formats/document-text.ts'
import { doubtRecognised } from './recognised-facts.ts'

const cell = (text: string, sureness?: number): Cell => ({
  text,
  left: 0,
  right: 10,
  ...(sureness !== undefined && { sureness }),
})
const confidenceOf = (cells: Cell[], fact = 'business.annual_revenue', confidence: number = confidences.sure) =>
  doubtRecognised([{ fact, text: '1', confidence, page: 2, line: 2, words: '' }], {
    pages: [
      { number: 1, lines: [] },
      { number: 2, lines: [[cell('other', 0.1)], cells] },
    ],
  })[0]?.confidence

test.each([
  ['text is believed as it was', [cell('Revenue'), cell('[1]')], confidences.sure],
  ['words that were all recognised surely are believed', [cell('Revenue', 0.96), cell('1,000', 0.9)], confidences.sure],
  ['an unsure value is doubted', [cell('Revenue', 0.96), cell('1,000', 0.84)], 0.8],
  ['an unsure label is doubted', [cell('Revenue', 0.5), cell('1,000', 0.96)], 0.8],
  ['one unsure word among text is doubted', [cell('Revenue'), cell('1,000', 0.5)], 0.8],
  ['the edge of a box in the line is doubted', [cell('Revenue', 0.96), cell('[1,000', 0.96)], 0.8],
])('%s', (_name, cells, confidence) => {
  expect(confidenceOf(cells)).toBe(confidence)
})

test('what is spelled is only suggested, however surely it was recognised', () => {
  expect(confidenceOf([cell('info@example.com', 0.97)], 'business.email')).toBe(0.8)
  expect(confidenceOf([cell('info@example.com')], 'business.email')).toBe(confidences.sure)
})

test('what was in doubt before is not made surer', () => {
  expect(confidenceOf([cell('Revenue', 0.96)], 'business.annual_revenue', 0.15)).toBe(0.15)
  expect(confidenceOf([cell('Revenue', 0.1)], 'business.annual_revenue', 0.15)).toBe(0.15)
})
