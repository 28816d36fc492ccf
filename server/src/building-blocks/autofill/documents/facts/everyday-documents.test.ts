// What everyday documents say beside a figure, a name or a heading, and what it changes.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn, ownerFilled, ownName } from '../../../../../test/documents/facts-in-text.ts'
import type { DocumentPage } from '../formats/document-text.ts'
import { findFacts } from './find-facts.ts'

const filled = (lines: string, country = 'GB') => filledIn(`${ownName}${lines}\n`, country)

describe('what brackets add to a figure', () => {
  test.each([
    ['Number of employees: 6 (plus about 140 volunteers)', 'employee_count', '6'],
    ['Number of employees: 9 (planned for June 2028: 14)', 'employee_count', '9'],
    ['Número de empleados: 18 (media de 2024: 21)', 'employee_count', '18'],
    ['Total revenue 2025: £842,000 (forecast 2026: £1.1m)', 'annual_revenue', 'GBP 842000.00'],
  ])('%s', (line, fact, value) => {
    expect(filled(line)).toEqual([[fact, value]])
  })

  test.each(['Number of employees: 6 (or 8)', 'Turnover 2025: £842,000 (or £910,000)'])(
    '%s is for a person',
    (line) => {
      expect(filled(line)).toEqual([])
    },
  )
})

describe('words before an amount are its sign', () => {
  test.each([
    ['Net result 2025: loss of £22,300', 'GBP -22300.00', 'GB'],
    ['Résultat net 2025 : perte de 22 300 €', 'EUR -22300.00', 'FR'],
    ['Jahresergebnis 2025: Verlust von 22.300 €', 'EUR -22300.00', 'DE'],
    ['Resultado del ejercicio 2025: pérdida de 22.300 €', 'EUR -22300.00', 'ES'],
    ['Net result 2025: £22,300', 'GBP 22300.00', 'GB'],
  ])('%s', (line, value, country) => {
    expect(filled(line, country)).toEqual([['annual_profit', value]])
  })
})

describe('years and amounts', () => {
  test('`last full year (1 May 2025 to …)` is no first year of a plan', () => {
    expect(filled('Turnover, last full year (1 May 2025 to 30 April 2026): £2,941,300')).toEqual([
      ['annual_revenue', 'GBP 2941300.00'],
    ])
  })

  test('amounts in thousands that look like years head no columns', () => {
    const table = (costs: string) =>
      `Accounts in thousands of euros\n                2025    2024    Budget 2026\nTurnover        3412    3655    3500\nPurchases      ${costs}\nNet profit      87     176     68`
    const profit = [
      ['annual_revenue', 'EUR 3412000.00'],
      ['annual_profit', 'EUR 87000.00'],
    ]
    expect(filled(table('-1988   -1971   -1950'), 'IE')).toEqual(profit)
    expect(filled(table(' 1988    1971    1950'), 'IE')).toEqual(profit)
  })

  test('months of a later year beside full years leave these as they are', () => {
    const head = 'Financial summary (USD)\n                2024        2025        Jan–Sep 2026'
    expect(filled(`${head}\nTotal revenue   1,812,440   1,967,305   1,602,118`, 'US')).toEqual([
      ['annual_revenue', 'USD 1967305.00'],
    ])
  })

  test('a heading with two years says nothing of one column below it', () => {
    const head = 'FOR THE YEARS ENDED DECEMBER 31,   2025 AND 2024\n                     2025         2024'
    expect(filled(`${head}\nRevenue              2,647,310    2,388,902`, 'US')).toEqual([
      ['annual_revenue', '2647310.00'],
    ])
  })

  test('two figures of one year, one with where it was taken from, are for a person', () => {
    expect(filled('Revenue 2025: £1,410,000\nRevenue 2025 (per tax return): £1,140,000')).toEqual([])
  })

  test('a scale in the title of one sheet is doubted on another that has none', () => {
    const page = (number: number, lines: string[]): DocumentPage => ({
      number,
      lines: lines.map((line) =>
        [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
          text,
          left: index,
          right: index + text.length,
        })),
      ),
    })
    const found = (title: string, country = 'CL') =>
      findFacts(
        {
          pages: [
            page(1, ['HARBOR LANE BAKERY SpA', title, '']),
            page(2, [
              'HARBOR LANE BAKERY SpA',
              '                       2025       2024',
              'Ingresos ordinarios    1482306    1530118',
            ]),
          ],
        },
        { legal_name: 'Harbor Lane Bakery', trading_name: null, country },
        '2026-11-16',
      ).facts.filter(({ fact, confidence }) => fact === 'business.annual_revenue' && confidence >= 0.85)
    const title = 'ESTADOS FINANCIEROS AL 31 DE DICIEMBRE DE 2025 Y 2024'
    expect(found(`${title} (cifras en miles de pesos – M$)`).map(({ text }) => text)).toEqual(['1482306000.00'])
    expect(found(`${title} presentados en miles de pesos y aprobados por la junta`)).toEqual([])
  })
})

describe('lines of returns as text', () => {
  const form = (lines: string) => filledIn(`Form 1120-S (2025)   Name: Harbor Lane Bakery Inc.\n${lines}\n`)

  test.each(['188,402', '(18,204)'])('the number of a line stands again before its amount: %s', (amount) => {
    const value = amount.startsWith('(') ? '-18204.00' : '188402.00'
    expect(
      form(`22 Ordinary business income (loss). Subtract line 21 from line 6 ........ 22  ${amount}`),
    ).toContainEqual(['annual_profit', value])
    expect(form(`22 Ordinary business income (loss). Subtract line 21 from line 6 22 ${amount}`)).toContainEqual([
      'annual_profit',
      value,
    ])
  })

  test('or before a blank, which is no figure', () => {
    expect(form('30 Number of employees at end of 2025 ........ 30 ________')).toEqual([
      ['legal_form', 'S corporation'],
    ])
  })
})

describe('whose details stand at a place', () => {
  test("the landlord's address is no heading of the registered office below it", () => {
    const office = ['registered_address', '12 Calder Yard, Halifax HX1 2QN']
    const lines =
      "Landlord's address: 90 Moor Lane, London EC2Y 9AT\nRegistered office: 12 Calder Yard, Halifax HX1 2QN"
    expect(filled(lines)).toEqual([office])
    expect(
      filled(lines.replace("Landlord's address: 90 Moor Lane, London EC2Y 9AT", 'Landlord: Best Homes Ltd')),
    ).toEqual([])
  })

  test('a company of another kind with the same name is another one', () => {
    const text = 'Legal name: Pelham & Rowe Limited\nCompany number: 10338816\nTelephone: 0161 496 0182\n'
    expect(filledIn(text, 'GB', 'Pelham & Rowe LLP')).toEqual([])
    expect(filledIn(text, 'GB', 'Pelham & Rowe Ltd')).toContainEqual(['registration_number', '10338816'])
    expect(filledIn(text, 'GB', 'Pelham & Rowe')).toContainEqual(['registration_number', '10338816'])
  })

  test('the section of a preparer goes on over the end of a page', () => {
    const lines = (texts: string[]) =>
      texts.map((text) =>
        text
          .split('  ')
          .flatMap((part, at) =>
            part === '' ? [] : [{ text: part, left: at * 200, right: at * 200 + part.length * 5 }],
          ),
      )
    const found = (heading: string) =>
      findFacts(
        {
          pages: [
            { number: 1, lines: lines([`Legal name  Harbor Lane Bakery LLC`, '', heading, 'Name  Finch & Doyle']) },
            { number: 2, lines: lines(['EIN  16-1440872', 'Phone  (585) 555-0162']) },
          ],
        },
        { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' },
        '2026-11-16',
      ).facts.filter(({ fact, confidence }) => fact === 'business.phone' && confidence >= 0.85)
    expect(found('Paid preparer')).toEqual([])
    expect(found('Business details')).toHaveLength(1)
  })

  test('who has prepared accounts stands in the middle of the cover, with their phone below', () => {
    const centred = (text: string) => [{ text, left: 300 - text.length * 2.5, right: 300 + text.length * 2.5 }]
    const cover = (heading: string) => [
      centred('Harbor Lane Bakery GmbH'),
      [],
      centred(heading),
      centred('Oswald & Tremmel'),
      centred('Tel. 0871 96530-0 und anderes mehr'),
      [
        { text: 'Jahresabschluss', left: 10, right: 80 },
        { text: '2025', left: 560, right: 590 },
      ],
    ]
    const phones = (heading: string) =>
      findFacts(
        { pages: [{ number: 1, lines: cover(heading) }] },
        { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'DE' },
        '2026-11-16',
      ).facts.filter(({ fact, confidence }) => fact === 'business.phone' && confidence >= 0.85)
    expect(phones('erstellt von')).toEqual([])
  })

  test('the role of an owner has no day of birth in it', () => {
    expect(filled('Owner: Sven Haldor Lindqvist, born 3 May 1974, Managing Director, 65%', 'SE')).toEqual([
      ...ownerFilled('Sven Haldor', 'Lindqvist', '65'),
      ['role', 'Managing Director'],
    ])
  })
})

describe('e-mails as programs print them', () => {
  const mail = (head: string) =>
    `Outlook\n\nRE: figures\n${head}\n\nHi Callum,\n\nKind regards\n\nHarbor Lane Bakery Ltd\nCompany number: 07719342\n\nFrom: Callum Reid\nSent: 13 November 2026\nTo: Ann Lee\n\nCallum Reid, Broadgate Funding LLP, company number: 05551234\n`
  const number = [['registration_number', '07719342']]

  test.each([
    'From Ann Lee <ann@harborlanebakery.example>\nTo   Callum Reid <callum@broadgate.example>',
    'Ann Lee <ann@harborlanebakery.example>   13 November 2026\nTo: Callum Reid <callum@broadgate.example>',
  ])('%s', (head) => {
    expect(filledIn(mail(head), 'GB')).toEqual(number)
  })

  test('from somebody else nothing is filled', () => {
    expect(
      filledIn(mail('From Bob Ray <bob@rayadvisers.example>\nTo   Callum Reid <callum@broadgate.example>'), 'GB'),
    ).toEqual([])
  })
})

test('those who are listed below a heading of employees count together', () => {
  const list = (total: string) =>
    filledIn(
      `Harbor Lane Bakery GmbH\nJahresabschluss 2025\nArbeitnehmer im Jahresdurchschnitt (§ 285 Nr. 7 HGB)\nGruppe                       2025   2024\nGewerbliche Arbeitnehmer     25     24\nAngestellte                  9      9\nGesamt (ohne Auszubildende)  ${total}\n`,
      'DE',
    ).filter(([fact]) => fact === 'employee_count')
  expect(list('34     33')).toEqual([['employee_count', '34']])
  expect(list('40     33').map(([, count]) => count)).not.toContain('40')
})

test('a rival reading is offered with its place', () => {
  const facts = factsIn(`${ownName}Revenue 2025: £1,410,000\nRevenue 2025 (per tax return): £1,140,000\n`, 'GB')
  expect(facts.filter(({ fact }) => fact === 'business.annual_revenue').map(({ line }) => line)).toEqual([2, 3])
})
