import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDate, readMonth } from './date-texts.ts'

describe('days', () => {
  test.each<[string, string | null, string | undefined]>([
    ['2019-03-31', null, '2019-03-31'],
    ['2019-03-31T10:00:00.000Z', null, '2019-03-31'],
    ['2019-03-31 10:00', null, '2019-03-31'],
    ['31 March 2019', null, '2019-03-31'],
    ['31st of March, 2019', null, '2019-03-31'],
    ['March 31, 2019', null, '2019-03-31'],
    ['Mar 31 2019', null, '2019-03-31'],
    ['Sept. 3, 2019', null, '2019-09-03'],
    ['Sunday, 31 March 2019', null, '2019-03-31'],
    ['31-Mar-2019', null, '2019-03-31'],
    ['31/03/2019', 'US', '2019-03-31'],
    ['03/31/2019', 'GB', '2019-03-31'],
    ['31.03.2019', null, '2019-03-31'],
    ['3/4/2019', 'US', '2019-03-04'],
    ['3/4/2019', 'GB', '2019-04-03'],
    ['03.04.2019', 'DE', '2019-04-03'],
    ['03/04/2019', null, undefined],
    ['04/04/2019', null, '2019-04-04'],
    ['31/03/19', 'GB', undefined],
    ['31 March 19', 'GB', undefined],
    ['30 February 2019', 'GB', undefined],
    ['31/31/2019', 'GB', undefined],
    ['31/03-2019', 'GB', undefined],
    ['March 2019', 'GB', undefined],
    ['2019', 'GB', undefined],
    ['', 'GB', undefined],
  ])('%j in %s is %s', (text, country, date) => {
    expect(readDate(text, country)).toBe(date)
  })

  test('any day is read the way its country writes it', () => {
    const days = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(days, (day) => {
        const iso = day.toISOString().slice(0, 10)
        const [year, month, date] = iso.split('-')
        expect(readDate(`${month}/${date}/${year}`, 'US')).toBe(iso)
        expect(readDate(`${date}/${month}/${year}`, 'GB')).toBe(iso)
        expect(readDate(`${date}.${month}.${year}`, 'DE')).toBe(iso)
      }),
    )
  })
})

describe('months', () => {
  test.each<[string, string | null, string | undefined]>([
    ['2019-03', null, '2019-03'],
    ['March 2019', null, '2019-03'],
    ['Mar. 2019', null, '2019-03'],
    ['03/2019', null, '2019-03'],
    ['3/2019', null, '2019-03'],
    ['31 March 2019', null, '2019-03'],
    ['03/04/2019', 'US', '2019-03'],
    ['13/2019', null, undefined],
    ['03/19', null, undefined],
    ['Spring 2019', null, undefined],
    ['2019', null, undefined],
  ])('%j in %s is %s', (text, country, month) => {
    expect(readMonth(text, country)).toBe(month)
  })
})
