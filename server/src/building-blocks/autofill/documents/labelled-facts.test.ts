import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf, steepestGrowth } from '../../../../test/growth.ts'
import { type DocumentText, tablesOf } from './document-text.ts'
import { findFacts } from './labelled-facts.ts'

function textOf(...lines: string[]): DocumentText {
  return { pages: [{ number: 1, lines, tables: tablesOf(lines) }] }
}
function tableOf(...table: string[][]): DocumentText {
  return { pages: [{ number: 1, lines: table.map((row) => row.filter(Boolean).join('  ')), tables: [table] }] }
}
const found = (text: DocumentText) =>
  findFacts(text).map(({ fact, text: value, confidence }) => [fact, value, confidence])

describe('labelled facts', () => {
  test.each([
    ['EIN: 12-3456789', 'business.tax_id', '12-3456789', 0.9],
    ['Employer Identification Number (EIN):  12-3456789', 'business.tax_id', '12-3456789', 0.9],
    ['VAT number  GB 123 4567 89', 'business.tax_id', 'GB 123 4567 89', 0.9],
    ['UTR: 12345 67890', 'business.tax_id', '12345 67890', 0.9],
    ['COMPANY NO. 01234567', 'business.registration_number', '01234567', 0.6],
    ['Company registration no.: SC123456', 'business.registration_number', 'SC123456', 0.9],
    ['Legal name: Acme Ltd Company number: 01234567', 'business.legal_name', 'Acme Ltd', 0.9],
    ['Acme Ltd trading as Best Bread', 'business.trading_name', 'Best Bread', 0.6],
    ['Website: https://acme.example/shop', 'business.website', 'https://acme.example/shop', 0.9],
    ['Tel: 020 7946 0018', 'business.phone', '020 7946 0018', 0.9],
    ['Incorporated on 31 March 2019', 'business.founded_on', '31 March 2019', 0.6],
    ['Date of incorporation: March 31, 2019', 'business.founded_on', 'March 31, 2019', 0.9],
    ['Number of employees: 1,204', 'business.employee_count', '1,204', 0.9],
    ['Net profit  (£1,200.50)', 'business.annual_profit', '(£1,200.50)', 0.9],
    ['Closing balance on 31 March 2025  £12,345.67', 'business.bank_balance', '£12,345.67', 0.6],
    ['Annual revenue: $ 1,250,000.50', 'business.annual_revenue', '$ 1,250,000.50', 0.9],
  ])('%s', (line, fact, text, confidence) => {
    expect(found(textOf(line))).toContainEqual([fact, text, confidence])
  })

  test.each([
    'Net income tax  1,200',
    'Net profit margin  12',
    'Monthly turnover of 5,000',
    'Opening balance  $12.00',
    'EIN: XX-XXX1234',
    'Turnover  12%',
    'Legal name:',
  ])('%s tells nothing', (line) => {
    expect(findFacts(textOf(line))).toEqual([])
  })

  test('a value may stand on the line after its label', () => {
    expect(found(textOf('Legal name', 'Acme Ltd'))).toEqual([['business.legal_name', 'Acme Ltd', 0.85]])
  })

  test('captions above their values belong together by column, but a list of several rows is about others', () => {
    expect(found(textOf('Legal name  EIN', 'Acme Ltd  12-3456789'))).toEqual([
      ['business.legal_name', 'Acme Ltd', 0.85],
      ['business.tax_id', '12-3456789', 0.85],
    ])
    const list = tableOf(['Company name', 'Phone'], ['Acme Ltd', '020 7946 0018'], ['Other Ltd', '020 7946 0019'])
    expect(findFacts(list)).toEqual([])
  })

  test('a label is never the value of another label', () => {
    expect(findFacts(textOf('Legal name', 'Trading name', 'Phone'))).toEqual([])
  })

  test('a number of the form of an EIN is found without a label, with little confidence', () => {
    expect(found(textOf('Payment to 12-3456789, thank you'))).toEqual([['business.tax_id', '12-3456789', 0.4]])
  })

  test('an address ends at its postcode or at the next label', () => {
    const lines = ['Registered address: 1 High Street', 'London', 'EC1A 1BB', 'United Kingdom', 'Ann Lee']
    expect(findFacts(textOf(...lines))[0]?.text).toBe('1 High Street, London, EC1A 1BB, United Kingdom')
    expect(findFacts(textOf('Registered address:', '1 High Street', 'Phone: 020 7946 0018'))).toContainEqual(
      expect.objectContaining({ fact: 'business.registered_address', text: '1 High Street' }),
    )
  })

  test('of several closing balances the last is the surest', () => {
    const lines = ['Closing balance: $1.00', 'Closing balance: $3.00', 'Closing balance: $2.00']
    expect(found(textOf(...lines)).map(([, text]) => text)).toEqual(['$2.00', '$1.00', '$3.00'])
  })

  test('years across are ordered by year, also when the older one stands first', () => {
    expect(found(textOf('  2023  2024', 'Turnover  10,000  20,000'))).toEqual([
      ['business.annual_revenue', '20,000', 0.9],
      ['business.annual_revenue', '10,000', 0.6],
    ])
  })

  test('years down the side of a table are ordered by year', () => {
    const text = tableOf(['Year', 'Turnover', 'Net profit'], ['2023', '10,000', '1,000'], ['2024', '20,000', '(500)'])
    expect(found(text)).toEqual([
      ['business.annual_revenue', '20,000', 0.9],
      ['business.annual_profit', '(500)', 0.9],
      ['business.annual_revenue', '10,000', 0.6],
      ['business.annual_profit', '1,000', 0.6],
    ])
  })

  test.each(['Figures in thousands', 'All figures in $000', "£'000", '€000s'])('%s gives the scale 1000', (heading) => {
    expect(findFacts(textOf(heading, 'Turnover: 1,250'))[0]).toMatchObject({ text: '1,250', scale: 1000 })
  })

  test.each(['$1,000', '$2.000', 'Invoice 000'])('%s gives no scale', (heading) => {
    expect(findFacts(textOf(heading, 'Turnover: 1,250'))[0]).not.toHaveProperty('scale')
  })

  test('owners are found in a table with first and last names, and companies are left out', () => {
    const text = tableOf(
      ['First name', 'Surname', 'Ownership %', 'DOB'],
      ['Ann', 'Lee', '60 %', '1981-02-14'],
      ['Total', '', '100%', ''],
    )
    expect(findFacts(text).map(({ fact, text: value, row }) => [fact, value, row])).toEqual([
      ['owner.first_name', 'Ann', 1],
      ['owner.last_name', 'Lee', 1],
      ['owner.ownership_percent', '60 %', 1],
      ['owner.birth_date', '1981-02-14', 1],
    ])
    expect(findFacts(tableOf(['Shareholder', 'Share'], ['Lee Holdings Ltd', '100%']))).toEqual([])
  })

  test('owners are found in lines', () => {
    expect(found(textOf('Ann Lee, Director, 60%'))).toEqual([
      ['owner.first_name', 'Ann', 0.6],
      ['owner.last_name', 'Lee', 0.6],
      ['owner.ownership_percent', '60%', 0.6],
      ['owner.role', 'Director', 0.6],
    ])
  })

  test('for any text: no error, and every fact is a piece of the document with a confidence between 0 and 1', () => {
    const words = fc.constantFrom(
      'Turnover',
      'EIN',
      'legal name',
      ':',
      '  ',
      '2024',
      '(1,200)',
      '£000',
      '60%',
      ',',
      'Ann Lee',
      '@',
      'address',
      '\t',
    )
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        for (const { text, confidence } of findFacts(textOf(...lines))) {
          expect(text.trim()).toBe(text)
          expect(text).not.toBe('')
          expect(confidence).toBeGreaterThan(0)
          expect(confidence).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test.each<[string, (size: number) => string[]]>([
    ['one endless line of digits', (size) => ['1'.repeat(100 * size)]],
    ['one endless line of labels', (size) => ['closing balance: '.repeat(6 * size)]],
    ['labels without values', (size) => Array.from({ length: size }, () => 'Registered address:  Legal name:')],
    [
      'lines of figures',
      (size) => Array.from({ length: size }, (_, at) => `Turnover  ${at},000  (${at},5${'0'.repeat(60)})`),
    ],
    ['lines of commas', (size) => Array.from({ length: size }, () => `Ann Lee${', 5%'.repeat(25)}`)],
  ])('%s: twice as much takes twice as long, not four times', (_name, linesOf) => {
    const [single, double] = [textOf(...linesOf(10_000)), textOf(...linesOf(20_000))]
    expect(growthOf(findFacts, single, double)).toBeLessThan(steepestGrowth)
  })
})
