// What looks like a fact of the business and is one of somebody else, of another year or of nobody: never sure.
import { expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

function sureIn(text: string, record = 'Harbor Lane Bakery', country: string | null = 'GB'): string[] {
  const subject = { legal_name: record, trading_name: null, country }
  return findFacts(readPlainText(Buffer.from(text)), subject, '2026-11-16')
    .facts.filter(({ confidence }) => confidence >= 0.85)
    .map(({ fact, text: value }) => `${fact.replace('business.', '')}: ${value}`)
}

const named = 'Legal name: Harbor Lane Bakery Ltd'
const own = 'legal_name: Harbor Lane Bakery Ltd'

test.each([
  ['a word that points at something is no trading name', `${named}\nThis is a trading name of Harbor Lane Bakery Ltd.`],
  ['a sentence is no trading name', `${named}\nThe above is a trading name of Harbor Lane Bakery Ltd.`],
  ['a product is no trading name', `${named}\nCrunchy Loaf is a brand of Harbor Lane Bakery Ltd.`],
  ['the agents of the business have a number', `${named}\nOur agents are Oakes Timber Ltd. Company No. 01234567.`],
  [
    'so have those who prepared it',
    `${named}\nPrepared for: the board. Accounts by Oakes Timber Ltd. VAT No. GB123456789.`,
  ],
  ['digits before a day make a number of it', `${named}\nIncorporated: see file 44 12 05 2014`],
  ['a phone below the shares of a person', `${named}\n\nAnn Lee\nShareholding\t1,000 shares\nPhone: 01632 960187`],
  ['a phone below another company with a number', `${named}\n\nHotel 21 AG Zürich\nPhone: 01632 960187`],
  ['a phone below a company of data', `${named}\n\nSummit Financial Data\nPhone: 01632 960187`],
])('%s', (_, text) => expect(sureIn(text)).toEqual([own]))

test.each([
  ['a caption below its value', '(Name of corporation)'],
  ['an adjective', 'A wholly owned corporation'],
])('%s says nothing of the legal form', (_, text) =>
  expect(sureIn(`Harbor Lane Bakery, Inc.\n${text}\n\nHolder\tShares\nAnn Lee\t40`)).toEqual([
    'legal_name: Harbor Lane Bakery, Inc.',
  ]),
)

test.each([
  'The parent undertaking of Harbor Lane Bakery LLP is a private company limited by shares and registered in Leeds.',
  'Harbor Lane Bakery LLP is a wholly owned subsidiary of Oakes Timber Limited, a private company limited by shares.',
])('the legal form of a parent: %s', (sentence) =>
  expect(sureIn(`Harbor Lane Bakery LLP\nFinancial statements\n\n${sentence}`)).toEqual([
    'legal_name: Harbor Lane Bakery LLP',
  ]),
)

const head = 'Shareholder\tNumber of shares'
test.each([
  ['the row of the list itself', `${head}\tClass of share\nAnn Lee\t100\tOrdinary shares`],
  ['a sentence about others', `${head}\nAnn Lee\t100\n\nIt is resolved that ordinary shares be issued to Cal Ray: 100`],
  [
    'the total of one class',
    `${head}\nAnn Lee\t100\nTotal\t100\n\nPreference shares\n${head}\nCal Ray\t300\nTotal\t300`,
  ],
])('%s does not make a list of shares whole', (_, text) => expect(sureIn(`${named}\n\n${text}`)).toEqual([own]))

test('a table of years is not read by the names over another table', () => {
  const text = `Profit and loss\nSummit Bank Limited\t\tHarbor Lane Bakery Limited\n\t2025\t2024\nTurnover\t1,200,000\t900,000`
  expect(sureIn(text)).not.toContain('annual_revenue: 900000.00')
})

test.each(['Last Year to Date', 'Prior YTD', 'YTD 2025'])('up to month twelve, %s is another year', (heading) => {
  const text = `Harbor Lane Bakery Ltd\nProfit and loss\nTo:  Month 12, June 2026\n\n\tPeriod\t${heading}\nTurnover\t88,412.10\t1,102,366.05`
  expect(sureIn(text)).not.toContain('annual_revenue: 1102366.05')
})

test('a day in boxes is as unclear as one with slashes', () => {
  const read = (day: string, country: string | null) =>
    sureIn(`${named}\nDate of incorporation: ${day}`, 'Harbor Lane Bakery', country).slice(1)
  expect([read('05 04 2014', null), read('05/04/2014', null)]).toEqual([[], []])
  expect(read('17 06 2014', 'US')).toEqual(['founded_on: 2014-06-17'])
})

test.each(['Trustee', 'Directors'])('%s below a first name is no family name', (word) =>
  expect(
    sureIn(`${named}\n\nShareholder    Ownership %\nCorinne        40 %\n${word}\nAnn Lee        60 %`),
  ).not.toContain(`owner.last_name: ${word}`),
)

test.each([
  ['Harbor Lane Bakery, Catering Division', 'Legal name: Harbor Lane Bakery\nCompany number: 01234567'],
  ['Lee Miller, Hughes', 'Legal name: Lee Miller\nCompany number: 01234567'],
])('the record %s is not that of a shorter name without a town', (record, text) =>
  expect(sureIn(text, record)).toEqual([]),
)

test('the day of a certificate stands in the line below the office too', () => {
  const text = `Certificate of Incorporation\nHARBOR LANE BAKERY LIMITED\nis this day incorporated under the Companies Act 2006\nGiven at Companies House, Cardiff,\non 15th March 2022`
  expect(sureIn(text)).toContain('founded_on: 2022-03-15')
})

test.each([
  [
    'six months are no year, however the year is called',
    ['SARL Roy', 'FR'],
    "SARL Roy\nCompte de résultat\nExercice clos le 31/12/2025\nDurée de l'exercice (en mois)\t6\nChiffre d'affaires net\t240 000",
    'annual_revenue',
  ],
  [
    'the accountant is reached as it says below the accountant',
    ['Lee Bakery Ltd', 'GB'],
    'Company name: Lee Bakery Ltd\n\nAccountant: Harper & Co LLP\n\nAddress: 5 High Street, Leeds LS1 4AB\nPhone: 0113 555 0100',
    'phone',
  ],
  [
    'the details of a landlord go on below a heading',
    ['Lee Bakery Ltd', 'GB'],
    'Company name: Lee Bakery Ltd\n\nLANDLORD\nBest Homes Ltd\n\nREGISTRATION AND TAX DETAILS\nCompany number: 01234567',
    'registration_number',
  ],
  [
    'what a company owns is not what it is',
    ['Lee Holding GmbH', 'DE'],
    'Firma: Lee Bakery GmbH\nInhaberin: Lee Holding GmbH\nHandelsregisternummer: HRB 12345',
    'registration_number',
  ],
  [
    'a lease begins on another day than the business',
    ['Boulangerie Roy SARL', 'FR'],
    'BAIL COMMERCIAL\nPreneur : Boulangerie Roy SARL,\nimmatriculée au registre du commerce et des sociétés de Lyon\nDate de début : 1er janvier 2026',
    'founded_on',
  ],
  [
    'a word of the name is no town',
    ['Lee Bakery North Ltd', 'GB'],
    'Company name: Lee Bakery Ltd\nRegistered office: 7 High Street, Northampton, NN1 1AA\nCompany number: 01234567',
    'registration_number',
  ],
  [
    'a form about one person names another one too',
    ['Marie Roy', 'FR'],
    'Déclaration de début d’activité\nNom : Roy\nPrénom : Jean\nSIREN : 812 345 678\nConjoint collaborateur\nNom : Roy\nPrénom : Marie',
    'registration_number',
  ],
  [
    'of two lists of contributions one is of before',
    ['Lee Bakery GmbH', 'DE'],
    'Liste der Gesellschafter der Lee Bakery GmbH\nStammkapital: 25.000 EUR\nBisher:\nGesellschafter\tStammeinlage\nAnn Lee\t12.500\nBob Roe\t12.500\n\nNeu:\nGesellschafter\tStammeinlage\nAnn Lee\t25.000',
    'owner.ownership_percent',
  ],
  [
    'figures of franchisees are theirs',
    ['Lee Bakery Ltd', 'GB'],
    'Lee Bakery Ltd – Key figures 2025\nTurnover, franchisees\t9,000,000\nNet profit, franchisees\t700,000\nEmployees, franchisees\t85\nPhone, franchisees\t0800 555 0100',
    'annual_revenue',
  ],
  [
    'a parent has a legal form of its own',
    ['Lee Bakery Ltd', 'GB'],
    'Company name: Lee Bakery Ltd\n\nParent company of Lee Bakery Ltd: Lee Holding AG\nLegal form: Aktiengesellschaft',
    'legal_form',
  ],
])('%s', (_, [record = '', country = null], text, fact) =>
  expect(sureIn(text, record, country).filter((one) => one.startsWith(fact))).toEqual([]),
)
