// Figures that a heading, a column or another figure speaks against: suggested, never filled.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'GB' }

function sureOf(text: string, fact: string): string | undefined {
  const { facts } = findFacts(readPlainText(Buffer.from(text)), subject, '2026-11-16')
  return facts.find((one) => one.fact === `business.${fact}` && one.confidence >= 0.85)?.text
}
const own = 'Harbor Lane Bakery Ltd\n'

describe('the newest year', () => {
  test('under a heading that names a later year, an older figure is not taken', () => {
    const text = `${own}Profit and loss, year ended 30 June 2026\n           Mar 2026   Apr 2026   May 2026   Jun 2026   FY25\nTurnover   187,900    166,400    191,300    219,100    1,840,220\n`
    expect(sureOf(text, 'annual_revenue')).toBeUndefined()
  })

  test('beside a later year that may not be over, an earlier one is not taken', () => {
    const table = (newest: string) =>
      `${own}Income statement\n           2025 actual  ${newest}\nTurnover   6,180,000    7,420,000\n`
    expect(sureOf(table('2026 actual'), 'annual_revenue')).toBeUndefined()
    expect(sureOf(table('2026 budget'), 'annual_revenue')).toBe('6180000.00')
  })

  test('years that end on the same day, above columns that are only called by their years', () => {
    const text = `${own}Income statement\nYears ended June 30\n           2026         2025\nTurnover   7,420,000    6,180,000\n`
    expect(sureOf(text, 'annual_revenue')).toBe('7420000.00')
  })

  test('the heading of the notes in a line of its own is no heading of the figures', () => {
    const text =
      `${own}Profit and loss account for the year ended 31 March 2026\n` +
      `                      2026         2025\n              Notes\n                      £            £\nTurnover              1,683,420    1,552,907\n`
    expect(sureOf(text, 'annual_revenue')).toBe('GBP 1683420.00')
  })

  test('`Actual` between a budget and last year is the year of the heading', () => {
    const text = `${own}Year ended 30 June 2026\n           Budget     Actual     Last year\nTurnover   2,480,000  2,418,000  2,313,000\n`
    expect(sureOf(text, 'annual_revenue')).toBe('2418000.00')
  })
})

describe('the scale', () => {
  const report = `${own}Profit and loss account for the year ended 31 December 2025\n`

  test('a column in thousands says nothing of the column beside it', () => {
    const text = `${own}Gewinn- und Verlustrechnung 2025\n              2025          2024\n              EUR           TEUR\nUmsatzerlöse  1.874.320,55  1.790\n`
    expect(sureOf(text, 'annual_revenue')).toBe('EUR 1874320.55')
  })

  test('thousands in words that give no scale leave the figures in doubt', () => {
    expect(sureOf(`${report}Summary, thousand units\nTurnover   6,180\n`, 'annual_revenue')).toBeUndefined()
    expect(sureOf(`${report}Summary (R thousand)\nTurnover   6,180\n`, 'annual_revenue')).toBe('6180000.00')
  })
})

describe('what cannot be', () => {
  const report = `${own}Profit and loss account for the year ended 31 December 2025\n`

  test('a profit larger than the turnover', () => {
    const text = `${report}Turnover   98,600\nProfit for the financial year   1,105,000\n`
    expect([sureOf(text, 'annual_revenue'), sureOf(text, 'annual_profit')]).toEqual([undefined, undefined])
  })

  test('a turnover of a few hundred', () => {
    expect(sureOf(`${report}Turnover   612\n`, 'annual_revenue')).toBeUndefined()
  })
})

describe('whose figures', () => {
  const report = 'Profit and loss account for the year ended 31 December 2025\n'

  test('below the name of another company they are not the client’s', () => {
    const own_ = `${own}${report}Turnover   2,418,000\n`
    expect(sureOf(own_, 'annual_revenue')).toBe('2418000.00')
    const both = `${own}Accounts of the companies\n\nStonebridge Masonry Ltd\n${report}Turnover   6,286,800\n`
    expect(sureOf(both, 'annual_revenue')).toBeUndefined()
  })

  test('consolidated figures are those of a group', () => {
    const text = `${own}Consolidated profit and loss account for the year ended 31 December 2025\nTurnover   6,286,800\nSubsidiaries   Stonebridge Masonry Ltd\nShare of the parent company   1\n`
    expect(sureOf(text, 'annual_revenue')).toBeUndefined()
  })
})

describe('headings', () => {
  test('a period that is said twice is one', () => {
    const text =
      `${own}Profit and Loss\nJanuary - December 2025\n              Jan - Dec 2025   Jan - Dec 2024\n` +
      `Turnover      1,618,961.75     1,498,324.39\n`
    expect(sureOf(text, 'annual_revenue')).toBe('1618961.75')
  })

  test.each([
    ['a forecast', 'Forecast 2025    2024', 'FY 2025          FY 2024', '1498324.39'],
    ['a quarter', 'Q1 2025          Q1 2024', '2025             2024', undefined],
    ['nine months', '9 months 2025    Year 2024', '2025             2024', '1498324.39'],
  ])('over a year, %s is not that year', (_, upper, lower, expected) => {
    const text = `${own}Profit and Loss\n              ${upper}\n              ${lower}\nTurnover      1,618,961.75     1,498,324.39\n`
    expect([expected, undefined]).toContain(sureOf(text, 'annual_revenue'))
  })

  test.each([
    ['Amounts in £ thousands; share capital of 100 k£', 'Turnover 2025   3,846', 'GBP 3846000.00'],
    ['Figures in k€ (smallest unit 1 k€)', 'Turnover 2025   3,846', 'EUR 3846000.00'],
  ])('a scale holds beside an amount: %s', (heading, line, expected) => {
    expect(sureOf(`${own}${heading}\n${line}\n`, 'annual_revenue')).toBe(expected)
  })

  test('figures that only rise are no numbers of boxes', () => {
    const rows = [110, 220, 330, 440, 550, 660].map(
      (figure, at) => `Cost ${at}                 ${figure}     ${900 - at}`,
    )
    const text = `${own}Profit and loss account\n                       2025    2024\n${rows.join('\n')}\nProfit for the year    770     858\n`
    expect(sureOf(text, 'annual_profit')).not.toBe('858.00')
  })

  test('the date of a form is no heading of the figures below it', () => {
    const text =
      `${own}Income statement for the year ended 31 December 2025\nDate incorporated\n15/03/2011\n\n` +
      `Turnover            1,846,290\n`
    expect(sureOf(text, 'annual_revenue')).toBe('1846290.00')
  })

  test('one amount in thousands does not make thousands of the others', () => {
    const text = `${own}Turnover 2025: 384,600\nNeeded: 45 k€ for a roaster\n`
    expect(sureOf(text, 'annual_revenue')).toBe('EUR 384600.00')
  })

  test('a year with a colon begins another figure', () => {
    const text = `${own}Gross annual sales 2025:   3,462,000   2024:   3,118,500\n`
    expect(sureOf(text, 'annual_revenue')).toBe('3462000.00')
    const later = `${own}Turnover 2024:   3,118,500   2025:   3,462,000\n`
    expect(sureOf(later, 'annual_revenue')).toBeUndefined()
  })
})
