import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareDecimals } from './decimals.ts'
import { atLeast, atMost, notAfter, notBefore } from './range-patterns.ts'

const decimals = (digits: number) =>
  fc
    .tuple(fc.boolean(), fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 0, max: digits }), fc.nat(9999))
    .map(([isNegative, whole, places, rest]) => {
      const fraction = String(rest).padStart(4, '0').slice(0, places)
      return `${isNegative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
    })

test('for any bound and amount of a currency: the pattern says what comparing says', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 2, 3, 4).chain((digits) => fc.tuple(fc.constant(digits), decimals(digits), decimals(digits))),
      ([digits, bound, amount]) => {
        const said = [atLeast(bound, digits), atMost(bound, digits)].map((inside) =>
          new RegExp(`^${inside}$`).test(amount),
        )
        const order = compareDecimals(amount, bound)
        expect([digits, bound, amount, ...said]).toEqual([digits, bound, amount, order >= 0, order <= 0])
      },
    ),
    { numRuns: 5000 },
  )
})

test('for any bound and date: the pattern says what comparing says', () => {
  const dates = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  fc.assert(
    fc.property(dates, dates, (bound, date) => {
      const said = [notBefore(bound), notAfter(bound)].map((inside) => new RegExp(`^${inside}$`).test(date))
      expect([bound, date, ...said]).toEqual([bound, date, date >= bound, date <= bound])
    }),
    { numRuns: 2000 },
  )
})
