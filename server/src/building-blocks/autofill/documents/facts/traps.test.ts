// Traps of one to four lines: what a careless reader would write down, and what a careful one does with it.
import { describe, expect, test } from 'vitest'
import { confidences } from '../../confidence.ts'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'
import type { FoundFact } from './found-fact.ts'

const subject = { legal_name: 'Harbor Lane Bakery, LLC', trading_name: 'Best Bread', country: 'US' }
/** Whose document it is stands above every trap. */
const own = 'Harbor Lane Bakery LLC\n'
const ownYear = `${own}Income statement for the year ended December 31, 2025\n`

function factsIn(text: string, country = 'US'): FoundFact[] {
  return findFacts(readPlainText(Buffer.from(text)), { ...subject, country }, '2026-11-16').facts
}
const sureOf = (text: string, fact: string, country?: string) =>
  factsIn(text, country).find((one) => one.fact === `business.${fact}` && one.confidence >= 0.85)?.text
const offeredOf = (text: string, fact: string, country?: string) =>
  factsIn(text, country)
    .filter((one) => one.fact === `business.${fact}`)
    .map((one) => one.text)

describe('whose fact is it', () => {
  test.each<[string, string]>([
    ['phone', 'Paid preparer use only\nPhone no.  541-555-0177'],
    ['tax_id', "Firm's EIN  93-4410276"],
    ['phone', 'Landlord\nPhone: 907-555-0125'],
    ['email', 'Prepared by: Whitcombe & Dray CPAs LLP\nEmail: lorna@whitcombe.example'],
    ['registration_number', 'Auditors\nMarchbank Lowe LLP\nCompany number: 04488120'],
    ['phone', 'First Coastal Bank · Tel 0800 555 0100'],
    ['tax_id', 'Supplier: Northwind Flour Inc.\nEIN: 12-3456789'],
    ['registration_number', 'Crédit Girondin SA - RCS Bordeaux 455 201 118'],
    ['registered_address', 'Registered agent\nAddress: 1 Court Street, Portland, ME 04101'],
  ])('%s of somebody else is not sure: %s', (fact, text) => {
    expect(sureOf(own + text, fact)).toBeUndefined()
  })

  test.each<[string, string]>([
    [
      'another company as its title',
      'Stonebridge Masonry Ltd\nAnnual revenue: 900,000\nEIN: 12-3456789\nEmployees: 12',
    ],
    ['another company by a label', 'Legal name: Stonebridge Masonry Ltd\nAnnual revenue: 900,000\nEIN: 12-3456789'],
    [
      'a company whose name only begins alike',
      'Harbor Lane Bakery Holdings Inc.\nAnnual revenue: 900,000\nEIN: 12-3456789',
    ],
    [
      'the client as the addressee of an invoice',
      'Northwind Flour Inc.\nEIN 12-3456789\nBill to:\nHarbor Lane Bakery LLC',
    ],
    [
      'the client as the subject of a letter',
      'Abbot & Crane LLP\nDear Sirs\nOur client: Harbor Lane Bakery LLC\nAnnual revenue: 900,000',
    ],
    ['a sister by a word in brackets', 'Harbor Lane Bakery (North) LLC\nAnnual revenue: 900,000\nEIN: 12-3456789'],
    ['a longer name in capitals', 'HARBOR LANE BAKERY COAST INC, EIN 12-3456789\nAnnual revenue 2025: 900,000'],
    ['nobody on a page', `Our plan for the year\n${'Open the second shop\n'.repeat(8)}EIN: 12-3456789`],
    ['its landlord above', 'Landlord: Northwind Estates LLC\nNumber of employees: 12'],
    ['a bank in its small print', 'First Coastal Bank plc, 2 Park Row\nVAT No. GB 123 4567 89. Company No. 01234567.'],
    ['whoever a sentence is about', 'The comparable business had these figures.\nAnnual revenue 2025: $900,000'],
    ['a private person', 'Personal guaranty\nName: Ann Lee\nTax ID: 123-45-6789\nAnnual income: $90,000'],
    [
      'a person by a phone and an address',
      'Phone: 207 555 0188\nEmail: a@example.com\nAddress: 4 Elm Street, Portland, ME',
    ],
    ['a business without a legal form', "Joe's Diner\nNumber of employees: 12\nAnnual revenue 2025: $900,000"],
    ['an average', 'Industry average\nAnnual revenue 2025: $900,000'],
    ['a goal', 'Where we want to be\nNumber of employees: 40'],
    ['nobody on its first page', 'Annual revenue 2025: $900,000\fNorthwind Flour Inc'],
  ])('a document that names %s gives suggestions at most', (_who, text) => {
    expect(factsIn(text).filter(({ confidence }) => confidence >= 0.85)).toEqual([])
  })

  test('a few lines of nothing but figures of a business are about the one they were handed in for', () => {
    const lines = 'Date of incorporation: 3 February 2019\nEIN: 12-3456789\nAnnual revenue 2025: $900,000'
    expect([sureOf(lines, 'founded_on'), sureOf(lines, 'annual_revenue')]).toEqual(['2019-02-03', '$ 900000.00'])
    expect(sureOf(lines, 'tax_id')).toBe('12-3456789')
    expect(sureOf('Number of employees: 12\nLandlord: Ann Lee, 207 555 0188', 'employee_count')).toBe('12')
  })

  test.each<[string, string, string, string]>([
    ['phone', 'Business phone: 207 555 0188\nEmail: a@example.com', '207 555 0188', 'a@example.com'],
    [
      'tax_id',
      "Company EIN: 12-3456789\nEmail: a@example.com\nLandlord's EIN: 98-7654321",
      '12-3456789',
      'a@example.com',
    ],
  ])(
    'where one label says that it is a business, %s and a plain e-mail are those of it',
    (fact, text, value, email) => {
      expect([sureOf(text, fact), sureOf(text, 'email')]).toEqual([value, email])
    },
  )

  test('a title before the name is no part of it', () => {
    const rows = 'Shareholders of Harbor Lane Bakery LLC\nEmployees: 12'
    expect(sureOf(rows, 'legal_name')).toBe('Harbor Lane Bakery LLC')
  })

  test.each(['Harbor Lane Bakery, L.L.C.', 'HARBOR LANE BAKERY LLC', 'Legal name: Harbor Lane Bakery', 'Best Bread'])(
    '%s is the client',
    (name) => {
      expect(sureOf(`${name}\nEIN: 12-3456789`, 'tax_id')).toBe('12-3456789')
    },
  )
})

describe('which period', () => {
  test.each([
    'Monthly revenue: 90,000',
    'Revenue, quarter ended March 31, 2025: 90,000',
    'Year to date revenue: 90,000',
    'Projected annual revenue 2027: 90,000',
    'Budget 2025: annual revenue 90,000',
    'Total revenue, nine months ended September 30, 2025: 90,000',
    'Annualized total revenue: 90,000',
    'Total revenue (trailing twelve months): 90,000',
    'Total revenue 2026: 90,000',
    'Total revenue: 90,000',
  ])('%s is not a full year that is over', (line) => {
    expect(sureOf(own + line, 'annual_revenue')).toBeUndefined()
    expect(offeredOf(own + line, 'annual_revenue')).toEqual(['90000.00'])
  })

  test('of twelve months and a total the total is taken, of nine months none', () => {
    const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
    const table = (count: number) =>
      `${own}Profit and loss 2025\n${['Account', ...months.slice(0, count), 'Total'].join('\t')}\n${['Total revenue', ...months.slice(0, count).map(() => '1,000'), `${count},000`].join('\t')}`
    expect(sureOf(table(12), 'annual_revenue')).toBe('12000.00')
    expect(sureOf(table(9), 'annual_revenue')).toBeUndefined()
  })

  test('of twelve months down the side the total is taken', () => {
    const rows = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ').map((month) => `${month} 2025\t1,000`)
    const text = `${own}${['Month\tTotal revenue', ...rows, 'Total\t12,000'].join('\n')}`
    expect(sureOf(text, 'annual_revenue')).toBe('12000.00')
  })

  test.each<[string, string]>([
    ['\t2024\t2025\nTotal revenue\t10,000\t20,000', '20000.00'],
    ['\t2025\t2024\tChange %\nTotal revenue\t20,000\t10,000\t100', '20000.00'],
    ['\tActual 2025\tBudget 2026\nTotal revenue\t20,000\t30,000', '20000.00'],
    ['\tFY2025\tPrior year\nTotal revenue\t20,000\t10,000', '20000.00'],
    ['Year\tTotal revenue\n2024\t10,000\n2025\t20,000', '20000.00'],
  ])('the newest full year of %j is taken', (table, value) => {
    expect(sureOf(own + table, 'annual_revenue')).toBe(value)
  })

  test('the period is named with the value', () => {
    const found = factsIn(`${own}Total revenue, quarter ended March 31, 2025: 90,000`).find(({ fact }) =>
      fact.endsWith('revenue'),
    )
    expect(found).toMatchObject({ period: expect.stringContaining('quarter ended March 31, 2025'), page: 1, line: 2 })
  })
})

describe('which number on the line', () => {
  test.each<[string, string, string]>([
    [
      'annual_profit',
      '22 Ordinary business income (loss). Subtract line 21 from line 6 . . . . 22  188,402',
      '188402.00',
    ],
    ['annual_revenue', '1a  Gross receipts or sales  1a  2,310,455', '2310455.00'],
    ['annual_revenue', 'Total revenue (note 3)  3  1,250,000', '1250000.00'],
    ['annual_profit', 'Net income 2025:  61,004', '61004.00'],
    ['employee_count', 'Employees at year end 2025: 17', '17'],
    ['employee_count', 'Number of employees (see page 4): 1,204', '1204'],
    ['bank_balance', 'Closing balance on March 31, 2026  $12,345.67', '$ 12345.67'],
    ['registration_number', 'Company registration no. (box 4): SC123456', 'SC123456'],
  ])('%s of %j is %s', (fact, line, value) => {
    expect(sureOf(ownYear + line, fact)).toBe(value)
  })
})

describe('what does it say', () => {
  test.each<[string, string]>([
    ['Closing balance  3,204.77 OD', '-3204.77'],
    ['Closing balance  £918.30 overdrawn', 'GBP -918.30'],
    ['Closing balance  (1,200.50)', '-1200.50'],
    ['Closing balance  1,200.50-', '-1200.50'],
    ['Closing balance  1,200.50 CR', '1200.50'],
    ['Ending balance: -$35.10', '$ -35.10'],
  ])('%s is %s', (line, value) => {
    expect(sureOf(`Account holder: ${own}${line}`, 'bank_balance')).toBe(value)
  })

  test.each<[string, string]>([
    ['Annual revenue 2025: $1.9 million', '$ 1900000.00'],
    ['Annual revenue 2025: 2.4M', '2400000.00'],
    ['Annual revenue 2025: 350k', '350000.00'],
    ['Annual revenue 2025: USD 1.25 bn', 'USD 1250000000.00'],
    ['Figures in thousands\nAnnual revenue 2025: 1,250', '1250000.00'],
    ['(USD 000s)  2025\nAnnual revenue  1,250', 'USD 1250000.00'],
    ['Gross revenue (calendar year 2025) -- USD 3.4M', 'USD 3400000.00'],
    ['Annual revenue 2025: 612,000 $ US', 'USD 612000.00'],
    ['Annual revenue 2025: 612,000 $ US customers only', '$ 612000.00'],
    ['Opening balance USD 000\nAnnual revenue 2025: 900,000', 'USD 900000.00'],
    ['Figures in thousands\nAnnual revenue 2025: 1.25 million', '1250000.00'],
  ])('%s has its scale', (line, value) => {
    expect(sureOf(own + line, 'annual_revenue')).toBe(value)
  })

  test.each([
    'Annual revenue 2025: between 1,000,000 and 2,000,000',
    'Annual revenue 2025: 1,000,000 – 2,000,000',
    'Annual revenue 2025: approx. 1,500,000',
    'Annual revenue 2025: over $1 million',
    'Annual revenue 2025: up to 500,000',
    'Annual revenue 2025: no more than 500,000',
    'Annual revenue 2025 M$: 487,905',
    'Budget 2027 / Annual revenue 642,900 / Employees 8',
  ])('%s is only suggested', (line) => {
    expect(sureOf(own + line, 'annual_revenue')).toBeUndefined()
    expect(offeredOf(own + line, 'annual_revenue').length).toBeGreaterThan(0)
  })

  test.each(['N/A', 'none', 'see attached', 'TBD', 'XX-XXX1234', 'applied for'])('%s is no value', (text) => {
    const line = `EIN: ${text}\nAnnual revenue 2025: ${text}\nWebsite: ${text}\nNumber of employees: ${text}`
    expect(factsIn(own + line).map(({ fact }) => fact)).toEqual(['business.legal_name'])
  })

  test.each([
    'Net profit margin 2025: 12,000',
    'Cost of revenue 2025: 12,000',
    'Deferred revenue 2025: 12,000',
    'Revenue growth 2025: 12',
    'Revenue per employee 2025: 12,000',
    'Net income before tax 2025: 12,000',
    'Gross profit 2025: 12,000',
    'Opening balance  12,000.00',
    'Average daily balance  12,000.00',
  ])('%s is something else', (line) => {
    expect(
      factsIn(own + line)
        .filter(({ confidence }) => confidence >= 0.85)
        .map(({ fact }) => fact),
    ).toEqual(['business.legal_name'])
  })

  test('what slashes keep apart has labels of its own', () => {
    const line = `${own}D-U-N-S 06-118-4420 / NAICS 238220 / FEIN 12-3456789 / Employees 8`
    expect([sureOf(line, 'tax_id'), sureOf(line, 'employee_count')]).toEqual(['12-3456789', '8'])
  })

  test('a dash behind a label is no minus, and the day of an entry no number of a register', () => {
    expect(sureOf(`${own}No. of employees (incl. directors) – 23`, 'employee_count')).toBe('23')
    expect(sureOf(`${own}Net income (FY 2025) – $12,000`, 'annual_profit')).not.toBe('$ 12000.00')
    expect(sureOf(`${own}Number of employees: fewer than 10`, 'employee_count')).toBeUndefined()
    expect(
      offeredOf(`${own}Gegründet: 1987 (Eintrag Handelsregister: 12.05.1994)`, 'registration_number', 'DE'),
    ).toEqual([])
  })

  test('a value that stands beside its label is not looked for below it', () => {
    const text = `${own}Tél. 05 56 00 00 00\nRCS Bordeaux 455 201 118`
    expect(offeredOf(text, 'phone', 'FR')).not.toContain('455 201 118')
    expect(sureOf(text, 'registration_number', 'FR')).toBe('455 201 118')
  })

  test('prose is only suggested', () => {
    const text = `${own}We had revenue of $2.1 million in 2025 and a net profit of about $140,000, and we employ 12 people.`
    expect(
      factsIn(text)
        .filter(({ confidence }) => confidence >= 0.85)
        .map(({ fact }) => fact),
    ).toEqual(['business.legal_name'])
    expect(offeredOf(text, 'annual_revenue')).toContain('$ 2100000.00')
  })

  test('two values for one thing are both offered, and none is sure', () => {
    const text = `${own}EIN: 12-3456789\nEIN: 98-7654321`
    expect(sureOf(text, 'tax_id')).toBeUndefined()
    expect(offeredOf(text, 'tax_id')).toEqual(['12-3456789', '98-7654321'])
  })
})

describe('other languages', () => {
  test.each<[string, string, string, string]>([
    ['DE', 'annual_revenue', 'Umsatzerlöse 2025: 1.864.220,45 EUR', 'EUR 1864220.45'],
    ['DE', 'annual_profit', 'Jahresfehlbetrag 2025  12.400,00', '-12400.00'],
    ['DE', 'annual_revenue', 'Angaben in TEUR\nUmsatzerlöse 2025  48.213', 'EUR 48213000.00'],
    ['DE', 'bank_balance', 'Kontoinhaber: Harbor Lane Bakery LLC\nNeuer Kontostand  1.204,10 S', '-1204.10'],
    ['DE', 'employee_count', 'Anzahl der Mitarbeiter: 44', '44'],
    ['DE', 'founded_on', 'Gründungsdatum: 3. März 2004', '2004-03-03'],
    ['FR', 'annual_revenue', 'Exercice clos le 31 décembre 2025\nChiffre d’affaires net  684 512', '684512.00'],
    ['FR', 'annual_profit', 'Exercice 2025\nRésultat net  (41 206)', '-41206.00'],
    ['FR', 'registration_number', 'N° SIREN : 512 884 073', '512 884 073'],
    ['FR', 'founded_on', 'Date de création : 18/12/2017', '2017-12-18'],
    ['ES', 'annual_revenue', 'Ejercicio 2025\nImporte neto de la cifra de negocios  1.204.330,10', '1204330.10'],
    ['ES', 'annual_profit', 'Ejercicio 2025\nResultado del ejercicio  -12.000', '-12000.00'],
    ['ES', 'tax_id', 'NIF: B98661207', 'B98661207'],
    ['ES', 'founded_on', 'Fecha de constitución: 3 de octubre de 2016', '2016-10-03'],
  ])('%s: %s in %j is %s', (country, fact, line, value) => {
    expect(sureOf(own + line, fact, country)).toBe(value)
  })
})

describe('what registers and accountants write about a business', () => {
  test.each([
    [
      'State of Maine\nSecretary of State\nCertificate of Good Standing\nHARBOR LANE BAKERY, LLC was formed on July 8, 2013.',
      '2013-07-08',
    ],
    [
      'Delaware\nCertificate of Good Standing\n"HARBOR LANE BAKERY, LLC" IS DULY FORMED\nAND WAS FORMED ON THE SEVENTH DAY OF AUGUST, A.D. 2018.',
      '2018-08-07',
    ],
  ])('the day of the foundation in a sentence', (text, day) => {
    expect(sureOf(text, 'founded_on')).toBe(day)
  })

  test('the day of the parent is not that of the business', () => {
    const text = `Certificate of Good Standing\n${own}was formed on July 8, 2013.\nIts parent was formed on May 1, 2001.`
    expect(sureOf(text, 'founded_on')).toBe('2013-07-08')
  })

  test('accounts behind the report of those who have reviewed them are of the business they name', () => {
    const report = readPlainText(
      Buffer.from('Boise & Teton CPAs LLP\nReview report\nTo the members of\nHarbor Lane Bakery LLC'),
    )
    const accounts = readPlainText(Buffer.from(`${ownYear}Net sales  1,842,700`))
    const pages = [...report.pages, ...accounts.pages.map((page) => ({ ...page, number: 2 }))]
    const { facts } = findFacts({ pages }, subject, '2026-11-16')
    expect(facts.find(({ fact }) => fact === 'business.annual_revenue')).toMatchObject({
      confidence: confidences.sure,
      page: 2,
    })
  })
})
