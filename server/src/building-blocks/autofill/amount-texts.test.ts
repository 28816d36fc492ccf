import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromMinorUnits } from '../../platform/values/money.ts'
import { readAmount, readPercent, readQuantity, toInteger, toNumber } from './amount-texts.ts'

const written = (money: { amount: string; currency: string } | undefined) =>
  money && `${money.amount} ${money.currency}`

describe('amounts of money', () => {
  test.each<[string, string | null, string | undefined]>([
    ['$1,250,000.50', 'US', '1250000.50 USD'],
    ['$1,250', 'CA', '1250.00 CAD'],
    ['$1,250', 'GB', '1250.00 USD'],
    ['US$ 1,250', 'CA', '1250.00 USD'],
    ['C$1,250', 'US', '1250.00 CAD'],
    ['$1,250 AUD', 'US', '1250.00 AUD'],
    ['£5', 'US', '5.00 GBP'],
    ['EUR 1.234.567,89', 'US', '1234567.89 EUR'],
    ['1.234.567,89 €', 'DE', '1234567.89 EUR'],
    ['1 234 567,89', 'FR', '1234567.89 EUR'],
    ['1\u202f234\u00a0567,89 EUR', 'FR', '1234567.89 EUR'],
    ['1,234,567.89', 'GB', '1234567.89 GBP'],
    ["CHF 1'234.50", 'CH', '1234.50 CHF'],
    ['1’250', 'CH', '1250.00 CHF'],
    ['1.250,- €', 'DE', '1250.00 EUR'],
    ['€ 1.250', 'DE', '1250.00 EUR'],
    ['€1,250', 'DE', '1250.00 EUR'],
    ['12,50', 'DE', '12.50 EUR'],
    ['12,50', 'US', '12.50 USD'],
    ['.50', 'US', '0.50 USD'],
    ['(1,250)', 'US', '-1250.00 USD'],
    ['($1,250.00)', 'US', '-1250.00 USD'],
    ['-$1,250', 'US', '-1250.00 USD'],
    ['$ −1,250', 'US', '-1250.00 USD'],
    ['1,250-', 'US', '-1250.00 USD'],
    ['(0.00)', 'US', '0.00 USD'],
    ['2.5m', 'GB', '2500000.00 GBP'],
    ['£2.5 million', 'US', '2500000.00 GBP'],
    ['1,250m', 'DE', '1250000.00 EUR'],
    ['250k', 'US', '250000.00 USD'],
    ['$1.2bn USD', 'US', '1200000000.00 USD'],
    ['JPY 1,250', 'US', '1250 JPY'],
    ['1.250 KWD', 'US', '1.250 KWD'],
    ['12.340', 'US', '12.34 USD'],
    ['90071992547409.91', 'US', '90071992547409.91 USD'],
    ['90071992547409.92', 'US', undefined],
    ['12.345', 'US', undefined],
    ['JPY 12.5', 'US', undefined],
    ['1,250', 'XX', undefined],
    ['1,250', null, undefined],
    ['$5 per hour', 'US', undefined],
    ['$5-$10', 'US', undefined],
    ['$5 €', 'US', undefined],
    ['1,25,000', 'US', undefined],
    ['1,250.00.1', 'US', undefined],
    ['1250,500', 'US', undefined],
    ['(5', 'US', undefined],
    ['-(5)', 'US', undefined],
    ['5 all', 'US', undefined],
    ['5e3', 'US', undefined],
    ['-', 'US', undefined],
    ['', 'US', undefined],
  ])('%j in %s is %s', (text, country, amount) => {
    expect(written(readAmount(text, country))).toBe(amount)
  })

  test('thousands are multiplied once: not where the text says so itself', () => {
    expect(written(readAmount('1,250.5', 'US', 1000))).toBe('1250500.00 USD')
    expect(written(readAmount('2.5m', 'US', 1000))).toBe('2500000.00 USD')
    expect(readAmount('5', 'US', Number.NaN)).toBeUndefined()
  })

  test('any amount is read to the last digit, however it is grouped', () => {
    const styles = [
      { country: 'US', gap: ',', point: '.' },
      { country: 'DE', gap: '.', point: ',' },
      { country: 'FR', gap: '\u202f', point: ',' },
      { country: 'CH', gap: "'", point: '.' },
    ]
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.constantFrom('USD', 'EUR', 'GBP', 'CHF'),
        fc.constantFrom(...styles),
        (units, currency, { country, gap, point }) => {
          const money = fromMinorUnits(units, currency)
          const [whole = '', fraction = ''] = money.amount.split('.')
          const grouped = whole.replace(/(?<=[0-9])(?=([0-9]{3})+$)/g, gap)
          expect(readAmount(`${currency} ${grouped}${point}${fraction}`, country)).toEqual(money)
        },
      ),
    )
  })
})

describe('numbers', () => {
  test.each<[string, string | null, number | undefined]>([
    ['1,250', 'US', 1250],
    ['1.250', 'DE', 1250],
    ['1,250', 'DE', 1250],
    ['1.250', 'US', undefined],
    ['12 employees', null, 12],
    ['12 full-time employees', null, 12],
    ['-12', null, -12],
    ['3 million', null, 3_000_000],
    ['12.0', null, 12],
    ['12m', null, undefined],
    ['5-10 employees', null, undefined],
    ['about 12', null, undefined],
    ['31/03/2019', null, undefined],
    ['12 March 2019', null, undefined],
    ['12 %', null, undefined],
  ])('the whole number %j in %s is %s', (text, country, value) => {
    const number = readQuantity(text, country, true)
    expect(number && toInteger(number)).toBe(value)
  })

  test.each<[string, string | null, number | undefined]>([
    ['1,250', 'US', 1250],
    ['1,250', 'DE', 1.25],
    ['12.5 years', 'US', 12.5],
    ['0,125', 'DE', 0.125],
    ['-0.1', 'US', -0.1],
  ])('the number %j in %s is %s', (text, country, value) => {
    const number = readQuantity(text, country, false)
    expect(number && toNumber(number)).toBe(value)
  })

  test.each([
    ['60 %', 60],
    ['60%', 60],
    ['33.3 percent', 33.3],
    ['12.5 per cent', 12.5],
    ['(5 %)', -5],
    ['0.6', 0.6],
    ['60 people', undefined],
    ['10-20%', undefined],
  ])('the percentage %j is %s', (text, value) => {
    const number = readPercent(text, 'US')
    expect(number && toNumber(number)).toBe(value)
  })
})
