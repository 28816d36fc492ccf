// What the rules for notes, filings, boxes and small print must not fill: texts that somebody made to mislead them.
import { expect, test } from 'vitest'
import { factsIn, filledIn } from '../../../../../test/documents/facts-in-text.ts'

const gb = ['GB', 'Lee Bakery Ltd', 'Lee Bakery Ltd\n'] as const
const us = ['US', 'Harbor Lane Bakery LLC', 'Harbor Lane Bakery LLC\n'] as const
const de = ['DE', 'Lee Backwaren GmbH', 'Lee Backwaren GmbH\n'] as const

test.each<[string, readonly [string, string, string], string, string[]]>([
  ['a competitor behind a dash', gb, 'Competitor: Oakes Bread Ltd - turnover 2025: 1,200,000 - employees: 40', []],
  ['a branch behind a dash', gb, 'Branch: Leeds - employees: 6 - turnover 2025: 122,000', []],
  ['a division behind a dash', de, 'Sparte: Konditorei - Umsatz 2025: 120.000 € - Mitarbeiter: 3', []],
  ['another name behind a dash', gb, 'Name: Oakes Foods - turnover 2025: 1,200,000 - profit 2025: 90,000', []],
  ['a projected year', us, 'FY2025: revenue $1,386,240 (projected), net profit $71,905', []],
  ['a month of a year', us, 'FY2025: revenue $120,000 a month, employees 14 in summer', []],
  ['before tax', us, 'FY2025: revenue $1,386,240, net profit $71,905 before tax', []],
  [
    'another year of the profit',
    gb,
    'Turnover 2025: £1,127,400; profit after tax: £83,615 for 2024',
    ['annual_revenue'],
  ],
  ['a profit per month', gb, 'Turnover 2025: £1,127,400   Profit after tax: £6,615 per month', ['annual_revenue']],
  ['an estimate in the next sentence', gb, 'Turnover 2025: £642,300. Estimated, as the accounts are not closed.', []],
  ['about so many in the next sentence', gb, 'Employees: 9. Approximately, with the seasonal helpers.', []],
  ['the job of somebody', gb, 'Head baker: Tom Hall\nStarted: 3 May 2019', []],
  ['a lease', gb, 'Lease of the shop\nStarted: 3 May 2019\nRent: 1,200', []],
  ['an account', gb, 'Account 40113388\nOpen since: 12 May 2021', []],
  [
    'one of several sites',
    gb,
    'Site    Full-time staff   Part-time staff   Total\nLeeds   4                 3                 7\nYork    9                 2                 11',
    [],
  ],
  [
    'a forecast in brackets',
    gb,
    'Profit and loss account   Year ended 31 December 2025\n(forecast)\nTurnover   642,300',
    [],
  ],
  [
    'a half of a year in brackets',
    gb,
    'Profit and loss account   Year ended 31 December 2025\n(six months to 30 June 2025 only)\nTurnover   642,300',
    [],
  ],
  [
    'a member of the business',
    gb,
    'List of members\nName: Ann Lee\nPhone: 0113 496 0000\nAddress: 22 Grove Street, Leeds LS2 9AA',
    [],
  ],
  ['a loan on file', us, 'Secretary of State\nUCC Financing Statement\nFiling number: 2026031177', []],
  ['words for something else', us, 'Marketing plan\nCRO: 250000', []],
  [
    'an adviser below an address',
    de,
    'Lee Backwaren GmbH, Amtsgericht Oldenburg HRB 12345. Geschäftsanschrift: Mühlenweg 3, Vechta\nSteuerberater Kurt Brandt, Markt 4, 26122 Oldenburg.',
    ['registered_address', 'registration_number'],
  ],
])('%s', (_name, [country, record, head], text, expected) => {
  const facts = filledIn(`${head}${text}\n`, country, record).map(([fact]) => fact ?? '')
  expect(facts.sort()).toEqual(expected)
})

test('the total of jobs that are planned is no number of employees', () => {
  const text =
    'Jobs planned for 2027\nFull-time employees   Part-time employees   Total\n4                     3                     7\n'
  expect(filledIn(`${gb[2]}${text}`, gb[0], gb[1])).not.toContainEqual(['employee_count', '7'])
})

test('a role below an address is no town', () => {
  const facts = filledIn('Lee Backwaren GmbH\nAnschrift: Mühlenweg 3 49377\nGeschäftsführer\nAnna Lee\n', 'DE', de[1])
  expect(facts).not.toContainEqual(['registered_address', expect.stringContaining('Geschäftsführer')])
})

test.each([
  [
    'a town',
    'Shareholders\nName          %\nAnn Lee       60%\nBirmingham\nBob Ray       40%\nManchester\nTotal         100%',
  ],
  [
    'a post',
    'Shareholders\nName          %\nAnn Lee       60%\nPartner at Oakes Capital LLC\nBob Ray       40%\nCEO of Ray Foods Inc',
  ],
  ['the name of the business', 'Shareholders\nName          %\nAnn Lee       60%\nBob Ray       40%\nLee Bakery Ltd'],
])('%s below a name belongs to no name', (_name, text) => {
  const names = factsIn(`Lee Bakery Ltd\n${text}\n`, 'GB', 'Lee Bakery Ltd').flatMap(
    ({ fact, text: value, confidence }) =>
      /^owner\.(?:first|last)_name$/.test(fact) && confidence >= 0.85 ? [value] : [],
  )
  expect(names).toEqual(['Ann', 'Lee', 'Bob', 'Ray'])
})

const filed = (head: string, below: string) =>
  Object.fromEntries(
    filledIn(
      `Secretary of State\nFILED 02/21/2023\nFile number 6712345\n${head}\n${below}\n`,
      'US',
      'Harbor Lane Bakery Inc',
    ),
  )

test.each([
  ['of somebody else', 'ARTICLES OF INCORPORATION\nOF\nOAKES FOODS INC', 'Incorporator: Harbor Lane Bakery Inc'],
  ['that are amended', 'CERTIFICATE OF AMENDMENT OF\nCERTIFICATE OF INCORPORATION', 'HARBOR LANE BAKERY INC'],
  ['that are restated', 'SECOND AMENDED AND RESTATED\nCERTIFICATE OF INCORPORATION', 'HARBOR LANE BAKERY INC'],
  ['that are corrected', 'Certificate of Correction\nCertificate of Incorporation', 'HARBOR LANE BAKERY INC'],
  [
    'that are dissolved',
    'Articles of Dissolution\nArticles of Incorporation filed 02/21/2018',
    'HARBOR LANE BAKERY INC',
  ],
])('articles %s found nothing on the day of the stamp', (_name, head, below) => {
  expect(filed(head, below).founded_on).toBeUndefined()
})

test('the office of an agent is not that of the company', () => {
  const below =
    'HARBOR LANE BAKERY INC\nThe registered office of its registered agent, CT Corp, is located at 4 East Street, Dover, DE 19904.'
  expect(filed('CERTIFICATE OF INCORPORATION', below)).toMatchObject({
    founded_on: '2023-02-21',
    legal_form: 'Corporation',
  })
  expect(filed('CERTIFICATE OF INCORPORATION', below).registered_address).toBeUndefined()
})

test('a name without a first name keeps its share to itself', () => {
  const text =
    'Boulangerie Lee SARL\nAssociés\nNom   Dethier\nParticipation   60 %\nNom   Lambert\nPrénom   Luc\nParticipation   40 %\n'
  const shares = factsIn(text, 'FR', 'Boulangerie Lee SARL').flatMap(({ fact, text: value, confidence }) =>
    fact === 'owner.ownership_percent' && confidence >= 0.85 ? [value] : [],
  )
  expect(shares).not.toContain('60')
})
