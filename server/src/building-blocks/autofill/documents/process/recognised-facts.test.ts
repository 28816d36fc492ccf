import { describe, expect, test } from 'vitest'
import { confidences } from '../../confidence.ts'
import type { Cell } from '../formats/document-text.ts'
import { doubtRecognised } from './recognised-facts.ts'

const cell = (text: string, sureness?: number): Cell => ({
  text,
  left: 0,
  right: 10,
  ...(sureness !== undefined && { sureness }),
})
const subject = { legal_name: 'Harbor Lane Bakery LLC', trading_name: 'Moin & Söhne', country: 'US' }
const confidenceOf = (
  cells: Cell[],
  fact = 'business.annual_revenue',
  { confidence = confidences.sure as number, text = '1' } = {},
) =>
  doubtRecognised(
    [{ fact, text, confidence, page: 2, line: 2, words: '' }],
    {
      pages: [
        { number: 1, lines: [] },
        { number: 2, lines: [[cell('other', 0.1)], cells] },
      ],
    },
    subject,
  )[0]?.confidence

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

describe('an e-mail address or a website', () => {
  const confidence = (text: string, sureness?: number, fact = 'business.email') =>
    confidenceOf([cell(text, sureness)], fact, { text })

  test.each([
    ['info@harborlane.example', 'business.email'],
    ['info@harbor-bakery.example', 'business.email'],
    ['www.moinsoehne.example', 'business.website'],
    ['https://harborlanebakery.example/', 'business.website'],
    ['office@harborlane.co.uk', 'business.email'],
  ])('%s is believed where the domain is made of words of the name, in their order', (text, fact) => {
    expect(confidence(text, 0.97, fact)).toBe(confidences.sure)
    expect(confidence(text, 0.8, fact)).toBe(0.8)
  })

  test.each([
    'info@example.com',
    'info@harborIane.example',
    'info@harbor1ane.example',
    'info@lane.example',
    'info@bakery.example',
    'inf0@harborlane.example',
    'ann.Iee@harborlane.example',
    'info@harborlane.corn',
    `info@${'harborlane'.repeat(1_000)}.example`,
    'info@laneharbor.example',
    'info@harborlane',
    'harborlane@example.com',
    '@.',
    '',
  ])('%s is only suggested, however surely it was recognised', (text) => {
    expect(confidence(text, 0.97)).toBe(0.8)
    expect(confidence(text)).toBe(confidences.sure)
  })
})

test('what was in doubt before is not made surer', () => {
  expect(confidenceOf([cell('Revenue', 0.96)], 'business.annual_revenue', { confidence: 0.15 })).toBe(0.15)
  expect(confidenceOf([cell('Revenue', 0.1)], 'business.annual_revenue', { confidence: 0.15 })).toBe(0.15)
})

describe('an address', () => {
  const sure = (text: string, lines: Cell[][]) =>
    doubtRecognised(
      [{ fact: 'business.registered_address', text, confidence: confidences.sure, page: 1, line: 1, words: '' }],
      { pages: [{ number: 1, lines }] },
      subject,
    )[0]?.confidence === confidences.sure

  test('counts where every part of it was recognised surely, over lines and boxes', () => {
    const lines = [[cell('14 Mill Road', 0.97)], [cell('Greeneville', 0.95), cell('State:', 0.4), cell('TN', 0.92)]]
    const below = [...lines, [cell('37745', 0.93)]]
    expect(sure('14 Mill Road, Greeneville, 37745', below)).toBe(true)
    expect(sure('14 Mill Road, Greeneville, 37745', [...lines, [cell('37745', 0.8)]])).toBe(false)
  })

  test('is only suggested without its postcode, with a capital inside a word or the edge of a box', () => {
    expect(sure('14 Mill Road, Leeds', [[cell('14 Mill Road, Leeds', 0.97)]])).toBe(false)
    expect(sure('KrahnstraBe 5, 99084 Erfurt', [[cell('KrahnstraBe 5, 99084 Erfurt', 0.97)]])).toBe(false)
    expect(sure('[4 Mill Road, Leeds LS1 4AB', [[cell('[4 Mill Road, Leeds LS1 4AB', 0.97)]])).toBe(false)
    expect(sure('4 McAdam Road, Leeds LS1 4AB', [[cell('4 McAdam Road, Leeds LS1 4AB', 0.97)]])).toBe(true)
  })
})

test('a value in boxes of its own is as sure as its least sure box', () => {
  const phone = (last: number) =>
    doubtRecognised(
      [{ fact: 'business.phone', text: '(423) 555-0183', confidence: confidences.sure, page: 1, line: 1, words: '' }],
      { pages: [{ number: 1, lines: [[cell('Phone', 0.5), cell('(423)', 0.95), cell('555-0183', last)]] }] },
      subject,
    )[0]?.confidence
  expect(phone(0.95)).toBe(confidences.sure)
  expect(phone(0.85)).toBe(0.8)
})
