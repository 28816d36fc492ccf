// What stands beside a figure or over it and changes whose it is, of when, or how large: none of it may be filled as the
// figure of the year.
import { describe, expect, test } from 'vitest'
import { filledIn, ownName } from '../../../../../test/documents/facts-in-text.ts'

const filled = (lines: string, country = 'GB') => filledIn(`${ownName}${lines}\n`, country)
const titled = (lines: string, country = 'GB') => filledIn(`Harbor Lane Bakery LLC\n${lines}\n`, country)

describe('a part of a year in the row of the years', () => {
  test.each([
    ['Three months ended 31 March   2025      2024\nRevenue                       210,000   198,000', 'GB'],
    ['Q1                            2025      2024\nRevenue                       210,000   198,000', 'GB'],
    ['1. Halbjahr                   2025      2024\nUmsatzerlöse                  410.000   398.000', 'DE'],
    ['Premier semestre              2025      2024\nRésultat net                  41 000    39 800', 'FR'],
    ['De enero a junio              2025      2024\nResultado del ejercicio       31.200    28.800', 'ES'],
  ])('%s', (table, country) => {
    expect(titled(table, country)).toEqual([])
  })

  test('`Month | 2025 | 2024` has the months below it, and the year in their total', () => {
    expect(titled('Month     2025      2024\nTurnover  842,000   810,000')).toEqual([['annual_revenue', '842000.00']])
  })
})

describe('a part of a year below a title of the year', () => {
  test.each([
    ['Exercice 2025\n                     (6 mois)\nChiffre d’affaires   410 000', 'FR'],
    ['Annual accounts 2025\n             (3 months to 31/3/26)\nTurnover     210,000', 'GB'],
    ['Annual accounts 2025\n             March 2025\nTurnover     70,000', 'GB'],
  ])('%s', (table, country) => {
    expect(titled(table, country)).toEqual([])
  })
})

describe('headings of columns', () => {
  test.each([
    '                 2025      Veränderung in Prozent\nUmsatzerlöse     842.000   4,2',
    'Geschäftsjahr    2025      2018\nUmsatzerlöse     842.000   410.000',
    '                 31.12.2025   (31.12.2024)\nUmsatzerlöse     842.000      810.000',
  ])('%s', (table) => {
    expect(titled(table, 'DE')).toEqual([['annual_revenue', '842000.00']])
  })

  test('amounts in thousands that follow each other as years do are amounts', () => {
    const table =
      'Annual report 2025 (in thousands of euros)\n             2025   2024\nTurnover     2012   1988\nPurchases    1990   1987\nNet profit   22     18'
    expect(titled(table, 'IE')).toContainEqual(['annual_profit', 'EUR 22000.00'])
  })
})

describe('thousands', () => {
  test.each([
    "Loan schedule (£'000)\nOven  120\n\nTurnover 2025   842,310",
    'Market size by region 2025 (in thousands)\nAbout us\nTurnover 2025   842,310',
  ])('in the title of something else are no thousands of the turnover: %s', (text) => {
    expect(titled(text)).toEqual([])
  })

  test.each([
    'All amounts in thousands of euros (unaudited)',
    'Amounts in thousands (rounded, 12 months)',
    'Annual accounts 2025 (in thousands of euros)',
  ])('in a note hold for all: %s', (note) => {
    const figure = titled(`${note}\n             2025    2024\nTurnover     1,842   1,810`, 'IE')
    expect(figure.map(([, value]) => value?.replace('EUR ', ''))).toEqual(['1842000.00'])
  })
})

describe('numbers of lines and amounts with spaces', () => {
  test.each([
    ["1. Chiffre d'affaires 2025 : 1 188 402", 'annual_revenue', '1188402.00', 'FR'],
    ['2. Turnover 2025: 2 345 678', 'annual_revenue', '2345678.00', 'ZA'],
    ['3. Number of employees: 3', 'employee_count', '3', 'GB'],
    ['7. Number of employees ........ 7', 'employee_count', '7', 'GB'],
  ])('%s', (line, fact, value, country) => {
    expect(filled(line, country)).toEqual([[fact, value]])
  })

  test('a line of a return that is too long to be told is not cut', () => {
    const line = `22 Ordinary business income (loss). Subtract line 21 from line 6 ${'.'.repeat(230)} 22 188,402`
    const head = 'Form 1120-S (2025)   Name: Harbor Lane Bakery Inc.\n'
    expect(filledIn(`${head}${line}\n`).filter(([fact]) => fact === 'annual_profit')).toEqual([])
  })
})

describe('tables of staff', () => {
  const table = (heading: string, rows: [string, string, string][], head = '') =>
    titled(
      `Annual accounts 2025\n${heading}\n${head.padEnd(26)}2025   2024\n${rows.map(([kind, one, other]) => `${kind.padEnd(26)}${one.padEnd(7)}${other}`).join('\n')}`,
    ).filter(([fact]) => fact === 'employee_count')
  const bakers: [string, string, string][] = [
    ['Bakers', '12', '11'],
    ['Drivers', '4', '3'],
    ['Total', '16', '14'],
  ]

  test('below a heading of numbers of people are read', () => {
    expect(table('Average number of employees', bakers)).toEqual([['employee_count', '16']])
  })

  test.each([
    ['Employees', bakers, ''],
    ['Average number of employees', bakers, 'Hours worked'],
    ['Number of employees (thousands of pounds)', bakers, ''],
    ['Employees of our franchisees\nNumber of employees', bakers, ''],
    [
      'Number of employees',
      [
        ['Q1', '12', '11'],
        ['Q2', '4', '3'],
        ['Total', '16', '14'],
      ],
      '',
    ],
  ] satisfies [string, [string, string, string][], string][])(
    '%s: %s, %s come to no number of its own people, and no row of them does',
    (heading, rows, head) => {
      expect(table(heading, rows, head)).toEqual([])
    },
  )

  test.each(['Volunteers', 'Calder Foods Ltd'])('%s are none of its employees, and its staff is', (others) => {
    const rows: [string, string, string][] = [
      ['Staff', '12', '11'],
      [others, '4', '3'],
      ['Total', '16', '14'],
    ]
    expect(table('Number of employees', rows)).toEqual([['employee_count', '12']])
  })
})

describe('remarks in brackets', () => {
  test.each([
    'Revenue 2025: £842,000 (restated 2025: £810,000)',
    'Net profit 2025: £88,000 (after tax 2025: £66,000)',
    'Turnover 2024: £842,000 (year ended 31 December 2025: £910,000)',
    'Turnover 2025: £842,000 (plus VAT-free exports of £120,000)',
    'Revenue 2025 (from all four companies): £4,100,000',
    'Turnover 2025 (per shop): £84,000',
    'Number of employees (per shop): 4',
    'Number of employees: 14 (at 31 October 2026: 11)',
    'Number of employees: 3 (plus 2 freelance and 4 part-time)',
    'Number of employees: 12 (planned; currently: 7)',
  ])('%s is for a person', (line) => {
    expect(filled(line)).toEqual([])
  })

  test.each([
    ['Umsatz 2025 (laut Jahresabschluss): 842.000 €', 'annual_revenue', 'EUR 842000.00', 'DE'],
    ['Net profit 2025 (as per the annual accounts): £88,000', 'annual_profit', 'GBP 88000.00', 'GB'],
    ['Mitarbeiter: 6 (zzgl. 140 Ehrenamtliche)', 'employee_count', '6', 'DE'],
  ])('%s', (line, fact, value, country) => {
    expect(filled(line, country)).toEqual([[fact, value]])
  })
})

describe('plans and returns', () => {
  test.each([
    'Year 1 (October 2025 – September 2026)\nTurnover: £300,000',
    'Turnover, Year 1 (Oct 2025 to Sep 2026): £300,000',
    'Turnover Year 1 January 2025 to December 2025: £300,000',
    'Revenue for the year 2026 may exceed £900,000',
  ])('%s is planned', (lines) => {
    expect(filled(lines)).toEqual([])
  })

  test.each([
    'Form 1120-S (2025) - PROJECTION, not filed',
    'Form 941 (2025) Quarter 2: April, May, June',
    'Form 1040-ES (2025) Estimated Tax Worksheet',
  ])('%s says nothing of a full year', (title) => {
    const text = `${title}\nName: Harbor Lane Bakery LLC\nTotal revenue: 700,000\nNet income: 90,000\n`
    expect(filledIn(text).filter(([fact]) => fact?.startsWith('annual'))).toEqual([])
  })
})

describe('words of a loss', () => {
  test.each([
    ['Net result 2025: deficit £22,300', 'GBP -22300.00', 'GB'],
    ['Net result 2025: a small loss of £22,300', 'GBP -22300.00', 'GB'],
    ['Net result 2025: net loss of £22,300', 'GBP -22300.00', 'GB'],
    ['Jahresergebnis 2025: Verlust EUR 22.300', 'EUR -22300.00', 'DE'],
    ['Jahresergebnis 2025: Jahresfehlbetrag von 22.300 €', 'EUR -22300.00', 'DE'],
    ['Résultat net 2025 : perte 22 300 €', 'EUR -22300.00', 'FR'],
    ['Resultado del ejercicio 2025: pérdidas por importe de 22.300 €', 'EUR -22300.00', 'ES'],
  ])('%s', (line, value, country) => {
    expect(filled(line, country)).toEqual([['annual_profit', value]])
  })

  test('one figure of several behind the name of the year keeps its own label', () => {
    expect(filled('Result 2025: turnover £842,000, net profit £22,300')).toEqual([
      ['annual_revenue', 'GBP 842000.00'],
      ['annual_profit', 'GBP 22300.00'],
    ])
    expect(filled('Turnover 2025: net profit £22,300')).toEqual([['annual_profit', 'GBP 22300.00']])
  })
})

describe('whose details', () => {
  test.each([
    ["Guarantor's address: 90 Moor Lane, London EC2Y 9AT\nCompany number: 08812345", 'GB'],
    ["Landlord's address: 90 Moor Lane, London EC2Y 9AT\nRegistered office: 90 Moor Lane, London EC2Y 9AT", 'GB'],
    ["Preparer's address: 5 King Street, Albany NY 12207\nPhone: (518) 555-0144\nEIN: 16-1440872", 'US'],
  ])('%s', (lines, country) => {
    expect(filled(lines, country)).toEqual([])
  })

  test.each([
    ['SARL Boulangerie du Port', 'SCI Boulangerie du Port'],
    ['Lucena Pan S.L.', 'Lucena Pan S.A.'],
    ['Lang Bäckerei GmbH', 'Lang Bäckerei GmbH & Co. KG'],
    ['Calder Bread plc', 'Calder Bread Ltd'],
  ])('%s is not %s', (name, other) => {
    const text = `Company name: ${other}\nTelephone: 020 7946 0182\n`
    expect(filledIn(text, 'GB', name)).toEqual([])
    expect(filledIn(text, 'GB', other)).toContainEqual(['phone', '020 7946 0182'])
  })

  test('a company that was another kind before is the same', () => {
    const text = 'Legal name: Calder Bread Limited, converted to Calder Bread LLP\nTelephone: 020 7946 0182\n'
    expect(filledIn(text, 'GB', 'Calder Bread LLP')).toContainEqual(['phone', '020 7946 0182'])
  })

  test.each([
    'From Callum Reid <callum@broadgate.example>\nTo Ann Lee <ann@harborlanebakery.example>\nSubject Offer',
    'Gmail\nAnn Lee <ann@harborlanebakery.example>\nSubject: Offer\nFrom: Callum Reid <callum@broadgate.example>',
  ])('what somebody else writes in an e-mail is for a person: %s', (head) => {
    const text = `${head}\n\nHarbor Lane Bakery Ltd\n\nCompany number: 05551234\nTelephone: 020 7946 0000\n`
    expect(filledIn(text, 'GB')).toEqual([])
  })

  test.each([
    'Personal financial statement\nName: Ann Lee, owner of Harbor Lane Bakery LLC\nEmployer phone: (518) 555-0190',
    'Harbor Lane Bakery LLC\nFleet list\nVehicle: Ford Transit\nCurrent owner: Rosa Calder 100%',
  ])('%s', (text) => {
    expect(filledIn(`${text}\n`)).toEqual([])
  })
})

describe('what is right beside what misleads', () => {
  test.each([
    ['Turnover (per annum): £842,000', 'annual_revenue', 'GBP 842000.00', 'GB'],
    ['Revenue 2025 (from contracts with customers): £842,000', 'annual_revenue', 'GBP 842000.00', 'GB'],
    ['Turnover 2025: £842,000 (Dec 2024: £810,000)', 'annual_revenue', 'GBP 842000.00', 'GB'],
    ['Turnover for the year 1 January 2025 to 31 December 2025: £842,000', 'annual_revenue', 'GBP 842000.00', 'GB'],
    ['Company number (per Companies House): 07719342', 'registration_number', '07719342', 'GB'],
    ['Net profit 2025: (loss) £22,300', 'annual_profit', 'GBP -22300.00', 'GB'],
  ])('%s', (line, fact, value, country) => {
    expect(filled(line, country)).toEqual([[fact, value]])
  })

  test('a quarter beside the years leaves these as they are', () => {
    const table = '              Q4 2025    2025    2024\nTurnover      210,000    842,000  810,000'
    expect(titled(table)).toEqual([['annual_revenue', '842000.00']])
  })

  test('a row of years ends what the row of a quarter said', () => {
    const quarter = 'Q1            2025      2024\nTurnover      210,000   198,000'
    const year = 'Full year     2025      2024\nTurnover      842,000   810,000'
    expect(titled(`${quarter}\n\n${year}`)).toEqual([['annual_revenue', '842000.00']])
  })

  test('a note on all figures holds for those below a title with the same thousands', () => {
    expect(titled("All amounts in thousands of pounds\nFixed assets (£'000)\nTurnover 2025   842,310")).toEqual([
      ['annual_revenue', 'GBP 842310000.00'],
    ])
  })

  test('a word in front of a name that is a legal form elsewhere is a part of the name', () => {
    const text = 'Company name: SAS Catering Services Ltd\nTelephone: 020 7946 0182\n'
    expect(filledIn(text, 'GB', 'SAS Catering Services')).toEqual([['phone', '020 7946 0182']])
  })

  test('a row of a table of staff is not all of them', () => {
    const table =
      'Mitarbeiter\n                  2025   2024\nAngestellte       12     11\nArbeiter          4      3\nGesamt            16     14'
    expect(titled(`Jahresabschluss 2025\n${table}`, 'DE')).toEqual([])
  })

  test('what a quarter is below its own label beside the years is of the quarter', () => {
    const table = 'Year to date (January to October)      2025        2024\nTotal revenue   1,602,118   1,502,000'
    expect(titled(table, 'US')).toEqual([])
  })
})
