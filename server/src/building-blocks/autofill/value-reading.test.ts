import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf, steepestGrowth } from '../../../test/growth.ts'
import { valueProblem } from '../contracts/answer-values.ts'
import { modelOf } from '../contracts/contract-model.ts'
import { type Question, type QuestionType, questionTypes } from '../contracts/contract-schema.ts'
import { type ReadingHints, readAs } from './value-reading.ts'

const today = '2026-11-15'
const legalForms = [
  { value: 'sole_proprietor', label: 'Sole proprietor' },
  { value: 'partnership', label: 'Partnership' },
  { value: 'llp', label: 'Limited liability partnership' },
  { value: 'llc', label: 'Limited liability company (LLC)' },
  { value: 'corporation', label: 'Corporation' },
  { value: 's_corp', label: 'S corporation' },
  { value: 'limited_company', label: 'Limited company' },
  { value: 'nonprofit', label: 'Nonprofit' },
]
const payments = [
  { value: 'cash', label: 'Cash' },
  { value: 'cards', label: 'Debit, credit & charge cards' },
  { value: 'transfer', label: 'Bank transfer' },
]

function contractWith(type: QuestionType, more: Partial<Question> = {}) {
  const question: Question = { key: 'q', section: 'one', type, label: 'Q', ...more }
  return { question, model: modelOf({ sections: [{ key: 'one', title: 'One' }], questions: [question] }) }
}

function read(type: QuestionType, found: unknown, hints: Partial<ReadingHints> = {}, more: Partial<Question> = {}) {
  const { question, model } = contractWith(type, more)
  return readAs(model, question, found, { country: 'US', ...hints }, today)
}

describe('texts', () => {
  test.each<[QuestionType, unknown, unknown]>([
    ['text', '  Lee \n Bakery\u00a0 LLC ', 'Lee Bakery LLC'],
    ['text', 'Ba\u00adkery\u0000', 'Bakery'],
    ['text', 42, '42'],
    ['text', ' \u200b ', undefined],
    ['text', null, undefined],
    ['text', ['a'], undefined],
    ['text', 'x'.repeat(1001), undefined],
    ['identifier', ' 12-3456789 ', '12-3456789'],
    ['identifier', 123456789, '123456789'],
    ['long_text', ' We  bake.\r\n\r\n\r\n\r\nWe\tsell. ', 'We bake.\n\nWe sell.'],
    ['long_text', 'x'.repeat(20_000), 'x'.repeat(20_000)],
  ])('%s %j is %j', (type, found, value) => {
    expect(read(type, found)).toBe(value)
  })

  test('a text that breaks the rules of its question is no answer', () => {
    expect(read('identifier', 'AB 123', {}, { validation: { pattern: '^[0-9]+$' } })).toBeUndefined()
    expect(read('integer', '12 employees', {}, { validation: { max: 10 } })).toBeUndefined()
    expect(read('date', '31 March 2019', {}, { validation: { min_date: '2020-01-01' } })).toBeUndefined()
  })
})

describe('truths, mails and links', () => {
  test.each<[QuestionType, unknown, unknown]>([
    ['boolean', true, true],
    ['boolean', 'Yes', true],
    ['boolean', ' N ', false],
    ['boolean', 'FALSE', false],
    ['boolean', 'maybe', undefined],
    ['boolean', 1, undefined],
    ['email', 'Ann Lee <ann@example.com>', 'ann@example.com'],
    ['email', 'mailto:ann@example.com', 'ann@example.com'],
    ['email', 'ann@example.com, bob@example.com', undefined],
    ['email', 'ann at example.com', undefined],
    ['url', 'bakery.example.com', 'https://bakery.example.com'],
    ['url', 'HTTP://bakery.example.com/shop', 'http://bakery.example.com/shop'],
    ['url', 'bäckerei.example.com', 'https://bäckerei.example.com'],
    ['url', 'https://example.com?a=b', 'https://example.com?a=b'],
    ['url', 'ann@example.com', undefined],
    ['url', '31.03.2019', undefined],
    ['url', 'javascript:alert(1)', undefined],
  ])('%s %j is %j', (type, found, value) => {
    expect(read(type, found)).toBe(value)
  })
})

describe('numbers, money, days and places are read by the country of the business', () => {
  test.each<[QuestionType, unknown, string | null, unknown]>([
    ['integer', '1,250', 'US', 1250],
    ['integer', '1.250', 'DE', 1250],
    ['integer', '12 employees', 'US', 12],
    ['integer', '12.5', 'US', undefined],
    ['decimal', '1,5', 'DE', 1.5],
    ['percent', '60 %', 'US', 60],
    ['percent', '0.6', 'US', 0.6],
    ['percent', '140 %', 'US', undefined],
    ['money', '$1,250,000.50', 'US', { amount: '1250000.50', currency: 'USD' }],
    ['integer', 1.125, 'DE', undefined],
    ['money', 1.125, 'DE', undefined],
    ['money', 1250.5, 'DE', { amount: '1250.50', currency: 'EUR' }],
    ['phone', 4155550100, 'US', '+14155550100'],
    ['money', 1250.5, 'GB', { amount: '1250.50', currency: 'GBP' }],
    ['money', { amount: '5', currency: 'USD' }, 'GB', { amount: '5', currency: 'USD' }],
    ['money', '1,250', null, undefined],
    ['date', '03/04/2019', 'US', '2019-03-04'],
    ['date', '03/04/2019', 'GB', '2019-04-03'],
    ['year_month', 'March 2019', 'GB', '2019-03'],
    ['phone', '(415) 555-0100', 'US', '+14155550100'],
    ['country', 'Germany', 'US', 'DE'],
    ['country', 'gb', 'US', 'GB'],
    ['region', 'California', 'US', 'US-CA'],
    ['region', 'ca', 'US', 'US-CA'],
    ['region', 'us-ca', null, 'US-CA'],
    ['region', 'CA', null, undefined],
    ['industry', { system: 'naics_2022', code: '311811' }, 'US', { system: 'naics_2022', code: '311811' }],
    ['industry', 'Bakeries', 'US', undefined],
  ])('%s %j in %s is %j', (type, found, country, value) => {
    expect(read(type, found, { country })).toEqual(value)
  })

  test('amounts in thousands are multiplied, other numbers are not', () => {
    expect(read('money', '1,250', { scale: 1000 })).toEqual({ amount: '1250000.00', currency: 'USD' })
    expect(read('integer', '12', { scale: 1000 })).toBe(12)
  })
})

describe('addresses', () => {
  const harbour = { line1: '1 Harbour Street', city: 'San Francisco', country: 'US' }

  test.each([
    [
      'what is not of an address is dropped',
      { kind: 'registered', ...harbour, line2: null },
      { ...harbour, line2: null },
    ],
    ['places become codes', { ...harbour, region: 'California', country: 'USA' }, { ...harbour, region: 'US-CA' }],
    ['the country may be known', { line1: '1 Harbour Street', city: 'San Francisco' }, harbour],
    ['half of one is none', { line1: '1 Harbour Street' }, undefined],
    [
      'lines of a text are parts',
      '1 Harbour Street\nSan Francisco, CA 94105',
      { ...harbour, region: 'US-CA', postal_code: '94105' },
    ],
  ])('%s', (_name, found, value) => {
    expect(read('address', found)).toEqual(value)
  })
})

describe('choices', () => {
  test.each([
    ['llc', 'llc'],
    ['LLC', 'llc'],
    ['L.L.C.', 'llc'],
    ['limited liability company', 'llc'],
    ['Limited Liability Company (LLC)', 'llc'],
    ['Inc.', 'corporation'],
    ['Incorporated', 'corporation'],
    ['C Corporation', 'corporation'],
    ['S-Corporation', 's_corp'],
    ['Ltd', 'limited_company'],
    ['Private limited company', 'limited_company'],
    ['sole trader', 'sole_proprietor'],
    ['Sole Proprietorship', 'sole_proprietor'],
    ['LLP', 'llp'],
    ['not-for-profit', 'nonprofit'],
    [{ other: 'LLC' }, 'llc'],
    ['empire', undefined],
    ['', undefined],
    ['★', undefined],
  ])('the legal form %j is %s', (found, value) => {
    expect(read('single_choice', found, {}, { options: legalForms })).toBe(value)
  })

  test('a text that means two options is none of them', () => {
    const options = ['general', 'limited'].map((value) => ({ value, label: `Partnership (${value})` }))
    expect(read('single_choice', 'Partnership', {}, { options })).toBeUndefined()
    expect(read('single_choice', 'partnership, limited', {}, { options })).toBe('limited')
  })

  test('where other answers are allowed, an unknown text is one', () => {
    const more = { options: payments, allow_other: true }
    expect(read('single_choice', 'Magic  beans', {}, more)).toEqual({ other: 'Magic beans' })
    expect(read('single_choice', 'gift_card', {}, more)).toEqual({ other: 'gift card' })
    expect(read('single_choice', 'other', {}, more)).toBeUndefined()
  })

  test.each([
    [
      ['cash', 'Bank transfer'],
      ['cash', 'transfer'],
    ],
    ['cash, bank transfer', ['cash', 'transfer']],
    ['Debit, credit and charge cards', ['cards']],
    ['Debit, credit & charge cards; cash; CASH', ['cards', 'cash']],
    ['cash, magic beans', undefined],
    [[], undefined],
    [['cash', null], undefined],
    [7, undefined],
  ])('of several, %j is %j', (found, value) => {
    expect(read('multi_choice', found, {}, { options: payments })).toEqual(value)
  })

  test('options may come from a set', () => {
    const { question } = contractWith('single_choice', { option_set: 'forms' })
    const sections = [{ key: 'one', title: 'One' }]
    const model = modelOf({ sections, questions: [question], option_sets: { forms: legalForms } })
    expect(readAs(model, question, 'Inc', { country: null }, today)).toBe('corporation')
  })
})

describe('whatever is found', () => {
  const fragments = fc.constantFrom(
    ...[
      '$',
      '€',
      'USD',
      '(',
      ')',
      '-',
      '.',
      ',',
      ' ',
      "'",
      '\n',
      '%',
      'k',
      'million',
      '1',
      '12',
      '345',
      '0',
      '2019',
      '03',
    ],
    ...[
      '/',
      'March',
      '31',
      '+44',
      'San Francisco',
      'CA',
      '94105',
      'London',
      'SW1A 2AA',
      'Germany',
      '10115 Berlin',
      'LLC',
    ],
    ...[
      'Inc',
      'cash',
      ';',
      'a@b.example',
      'www.',
      'example.com',
      'https://',
      'yes',
      '\ud800',
      '\u0000',
      '—',
      'x5',
      '"',
    ],
  )
  const found = fc.oneof(
    fc.array(fragments, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.array(fragments, { maxLength: 8 }).map((parts) => parts.join(' ')),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
    fc.array(fc.anything({ withBigInt: true })),
    fc.record({ other: fc.anything() }),
    fc.record({ line1: fc.string(), city: fc.string(), region: fragments, country: fragments, kind: fc.anything() }),
  )
  const hints = fc.record({
    country: fc.constantFrom(null, 'US', 'GB', 'CA', 'AU', 'DE', 'FR', 'CH', 'JP', 'XX', ''),
    scale: fc.constantFrom(1, 1000, 1_000_000, 0, -1, 0.5, Number.NaN),
  })
  const rules = fc.constantFrom<Partial<Question>>(
    { options: payments },
    { options: legalForms, allow_other: true },
    { options: [], validation: { max_length: 5, min: 10, max: 1000, max_date: 'today', min_items: 2 } },
  )

  test.each(questionTypes)('a reading of %s always fits its question', (type) => {
    fc.assert(
      fc.property(found, hints, rules, (value, hint, more) => {
        const { question, model } = contractWith(type, more)
        const answer = readAs(model, question, value, hint, today)
        if (answer !== undefined) expect(valueProblem(model, question, answer, today)).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })

  test.each<QuestionType>(['file', 'group', 'display', 'declaration'])('%s is never read', (type) => {
    for (const value of [true, 'yes', {}, [], 'file.pdf']) expect(read(type, value)).toBeUndefined()
  })

  test.each(questionTypes.filter((type) => type !== 'text' && type !== 'long_text'))('a long text is no %s', (type) => {
    const more = { options: payments, allow_other: true }
    expect(read(type, `yes${' '.repeat(498)}`, {}, more)).toBeUndefined()
  })

  test('hostile texts: four times as long takes about four times the time, not sixteen', () => {
    const seeds = [
      '1',
      '1,',
      '1.',
      ' ',
      '. ',
      '(',
      '-',
      'a.',
      'a@',
      '1 ',
      '\n',
      ',',
      'a, ',
      'CA ',
      '+',
      "'1",
      'x1',
      '\u00ad',
    ]
    const more = { options: legalForms, allow_other: true }
    for (const type of questionTypes) {
      const readAll = (texts: readonly string[]) => {
        for (const text of texts) read(type, text, {}, more)
      }
      const textsOf = (length: number) =>
        seeds.map((seed) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length))
      expect(growthOf(readAll, textsOf(50_000), textsOf(200_000)), type).toBeLessThan(steepestGrowth)
    }
  })
})
