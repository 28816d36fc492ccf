// What documents that brokers get every day say in their own way.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery Ltd', trading_name: null, country: 'GB' }

/** What is sure of a fact, in a document of the subject. */
function sureIn(fact: string, text: string, country = 'GB', head = 'Legal name: Harbor Lane Bakery Ltd'): string[] {
  const { facts } = findFacts(readPlainText(Buffer.from(`${head}\n${text}`)), { ...subject, country }, '2026-11-16')
  return facts
    .filter(({ fact: name, confidence }) => name === `business.${fact}` && confidence >= 0.85)
    .map((one) => one.text)
}

const accounts = 'Harbor Lane Bakery Limited\nFinancial statements for the year ended 31 March 2026'

describe('employees in accounts', () => {
  test.each([
    ['one line', 'The average number of employees during the year was 22 (2025: 20).', ['22']],
    [
      'two lines',
      'The average monthly number of persons employed by the company, including\ndirectors, during the year was 22 (2025 - 20).',
      ['22'],
    ],
    ['German', 'Die durchschnittliche Zahl der beschäftigten Arbeitnehmer betrug 22.', ['22']],
    ['those of a group', 'The average number of employees of the group during the year was 220.', []],
    ['an amount', 'The average number of employees fell, and wages per head of them were £22,000.', []],
    ['parts of it', 'The average number of employees during the year was 12 in production and 5 in the office.', []],
    ['a table of years', 'The average number of employees during the year was\n2025   2024\n14   12', []],
    [
      'with the year of the report',
      'The average number of employees during the year ended 31 March 2026 was 22.',
      ['22'],
    ],
    ['with another year', 'The average number of employees during the year ended 31 March 2025 was 18.', []],
    ['German, in other words', 'Die durchschnittliche Zahl der beschäftigten Arbeitnehmer belief sich auf 22.', ['22']],
    ['an earlier year', 'The average number of employees in the previous year was 18.', []],
    ['those of another', 'The average number of employees of our subsidiary, Oakes Timber Ltd, was 40.', []],
    ['a rule', 'A company is small where the average number of employees is 50 or fewer.', []],
    ['a change', 'L’effectif moyen est passé de 12 à 15 salariés.', []],
    ['a share', 'The average number of employees who left during the year was 22%.', []],
  ])('%s', (_, text, expected) => expect(sureIn('employee_count', text, 'GB', accounts)).toEqual(expected))
})

describe('a whole and its parts', () => {
  test.each([
    ['Number of employees: 47 (of whom 5 apprentices)', ['47']],
    ['Anzahl der Mitarbeiter: 47 (davon 5 Auszubildende)', ['47']],
    ['Number of employees: 47 (target 52)', []],
    ['Number of employees: 47 (including 40 subcontractors)', []],
  ])('%s', (text, expected) => expect(sureIn('employee_count', text)).toEqual(expected))
})

describe('the day of registration', () => {
  test.each([
    ['beside the number', 'Registration number: 2013/118842/07\nDate of registration: 2013-06-27', ['2013-06-27']],
    ['of something else', 'VAT: 4530118842\nDate of registration: 2013-06-27', []],
    [
      'of a tax, below the name of the office',
      'HM Revenue & Customs\n1 Bridge Street, Leeds LS1 4AP\nValue Added Tax\nCertificate of registration\nCompany number: 08812374\nDate of registration: 1 April 2021',
      [],
    ],
    ['of a tax', 'Certificate of VAT registration\nCompany number: 08812374\nDate of registration: 1 April 2021', []],
    [
      'before that of the first trade, in a register',
      'Registration date: 29/06/2016\nBusiness start date: 01/08/2016',
      ['2016-06-29'],
    ],
  ])('%s', (_, text, expected) => {
    const head = 'Certificate of Disclosure\nEnterprise name: Harbor Lane Bakery Ltd'
    expect(sureIn('founded_on', text, 'ZA', expected.length === 0 ? undefined : head)).toEqual(expected)
  })
})

describe('years as columns', () => {
  const head = 'Harbor Lane Bakery Limited\nProfit and loss'
  test('2025A is a year that is over, 2026F is none', () => {
    const table = 'EUR\t2024A\t2025A\t2026F\nRevenue\t310,000\t642,000\t1,150,000'
    expect(sureIn('annual_revenue', table, 'IE', head)).toEqual(['EUR 642000.00'])
  })
  test('the earlier year may stand first, with a word and a currency', () => {
    const table = '\tVorjahr 2024 EUR\tGeschäftsjahr 2025 EUR\nUmsatzerlöse\t2.014.882,16\t1.937.405,52'
    expect(sureIn('annual_revenue', table, 'DE', 'Harbor Lane Bakery Ltd\nGewinn- und Verlustrechnung')).toEqual([
      'EUR 1937405.52',
    ])
  })
  test('the term of a loan is no period of the figures below it', () => {
    expect(sureIn('annual_revenue', 'Desired term\t60 months\nGross annual sales, 2025\t$1,284,610', 'US')).toEqual([
      '$ 1284610.00',
    ])
  })
})

describe('whose it is', () => {
  test('the section of a supplier who is the subject is the subject’s', () => {
    const rows = [
      'Legal entity name,Harbor Lane Bakery Ltd',
      'Main phone,04 555 0158',
      'Website,https://harborlane.example',
    ]
    const text = rows.map((row) => `Supplier details\t${row.replace(',', '\t')}`).join('\n')
    const all = `Form\tBuyer\tWaimea Council\n${text}\nSupplier details\tRegistered office\t62 Crewe Crescent, Wellington 6035`
    expect(sureIn('phone', all, 'NZ', '')).toEqual(['04 555 0158'])
  })
  test('the section of another supplier is not', () => {
    const rows = ['Company\tMiller Flour Ltd', 'Main phone\t04 555 0158', 'Website\thttps://miller.example']
    const text = rows.map((row) => `Supplier details\t${row}`).join('\n')
    expect(sureIn('phone', text, 'NZ')).toEqual([])
  })
  test('the section of the bank is not, although it names the account’s holder', () => {
    const rows = ['Account name\tHarbor Lane Bakery Ltd', 'Bank\tNorthern Counties Bank plc', 'Phone\t0113 496 0200']
    const text = [...rows, 'Sort code\t20-00-00'].map((row) => `Bank details\t${row}`).join('\n')
    expect(sureIn('phone', text)).toEqual([])
  })
  test('what follows the number of the bank is the bank’s', () => {
    expect(sureIn('email', 'Bank contact number: 0113 496 0200\nEmail: business@ncbank.example')).toEqual([])
  })
  test('a name behind a bullet is somebody’s', () => {
    expect(sureIn('phone', '● Hillside Estates Ltd\nPhone: 0113 496 0200')).toEqual([])
  })
  test('an address below a heading for earlier ones is not the one of today', () => {
    const text = 'Address details – previous\nRegistered address: 6 Collins Street, Leeds LS1 4AP'
    expect(sureIn('registered_address', text)).toEqual([])
  })
  test('hours of business say nothing of whose the phone is', () => {
    expect(sureIn('phone', 'Montag bis Freitag, open until five\nPhone: 0113 496 0200')).toEqual(['0113 496 0200'])
  })
  test('a label with words of a company in it names nobody', () => {
    expect(sureIn('registration_number', 'ACN (Australian Company Number)   618 402 977', 'AU')).toEqual([
      '618 402 977',
    ])
  })
})

test('captions in capitals over what was filled in are not each other’s value', () => {
  const text = 'DOING BUSINESS AS          BUSINESS ID (UBI)\nHarbor Studio              604 318 772'
  expect(sureIn('trading_name', text, 'US')).toEqual(['Harbor Studio'])
})

test('what a supplier says is owed is no balance of a bank', () => {
  const text = [
    'Oakes Timber Ltd',
    'Statement of account',
    'Account name: Harbor Lane Bakery Ltd',
    'Transaction date\tDetails\tDebit amount\tCredit amount\tRunning balance',
    '01/10/2026\tInvoice 441\t880.40\t\t880.40',
  ].join('\n')
  expect(sureIn('bank_balance', text, 'GB', '')).toEqual([])
})

test('of movements with the newest first, the first balance counts', () => {
  const text = [
    'Account name\tHarbor Lane Bakery Ltd',
    'IBAN\tIE64LIFB93115212344417',
    'Period\t01/10/2026 - 31/10/2026',
    'Posted transactions date\tDescription\tDebit amount\tCredit amount\tBalance',
    '30/10/2026\tFuel\t88.40\t\t21577.75',
    '29/10/2026\tSalaries\t14206.55\t\t21666.15',
  ].join('\n')
  expect(sureIn('bank_balance', text, 'IE', '')).toEqual(['21577.75'])
})
