// Forms of the web with captions over values, lists of owners, sheets with months beside a year, bills and feet of pages.
import { expect, test } from 'vitest'
import {
  type FilledCase,
  factsIn,
  filledIn,
  ownerFilled,
  ownName,
} from '../../../../../test/documents/facts-in-text.ts'
import type { Line } from '../formats/document-text.ts'
import { findFacts } from './find-facts.ts'

const owner = (number: number, name: string, share: string) =>
  `Owner ${number}\nNAME\n${name}\nOWNERSHIP\n${share} %\nCELL PHONE\n(828) 555-0177\n\n`

test.each<[string, FilledCase]>([
  [
    'owners below captions in lines of their own',
    {
      text: `${ownName}\n${owner(1, 'Ann Lee', '60')}${owner(2, 'Bob Ray', '40')}`,
      filled: [...ownerFilled('Ann', 'Lee', '60'), ...ownerFilled('Bob', 'Ray', '40')],
    },
  ],
  [
    'both parts of an owner who stands twice in a list of all',
    {
      text: 'Liste der Gesellschafter der Lee Bakery GmbH\n\nNr.   Gesellschafter   Anteil\n1     Ann Lee          20 %\n2     Ann Lee          25 %\n3     Bob Ray          55 %\n',
      country: 'DE',
      name: 'Lee Bakery',
      filled: [...ownerFilled('Ann', 'Lee', '45'), ...ownerFilled('Bob', 'Ray', '55')],
    },
  ],
  [
    'owners in a numbered list',
    {
      text: `${ownName}\nShareholders\n1) Ann Lee - 60%\n2) Bob Ray - 40%\n`,
      filled: [...ownerFilled('Ann', 'Lee', '60'), ...ownerFilled('Bob', 'Ray', '40')],
    },
  ],
  [
    'the balance of an account on a day, where no other stands beside it',
    { text: `${ownName}Bank balance on 31 October 2026: $38,720.00\n`, filled: [['bank_balance', '$ 38720.00']] },
  ],
  [
    'a full year beside months of the next one',
    {
      text: 'Harbor Lane Bakery LLC\nManagement accounts\n\nUSD       Jul-26     Aug-26     Sep-26     FY 2025\nTurnover  79,460     76,450     91,160     1,115,368\n',
      filled: [['annual_revenue', 'USD 1115368.00']],
    },
  ],
  [
    'figures of the year beside a column of changes',
    {
      text: "Harbor Lane Bakery LLC\nErfolgsrechnung\nBeträge in CHF 1'000\n\n              2025      2024      Abw. 25/24 %\nNettoerlös    18,427    17,399    5.9\n",
      country: 'CH',
      filled: [['annual_revenue', 'CHF 18427000.00']],
    },
  ],
  [
    'the employees, and not the members behind them',
    { text: `${ownName}Employees: 22 Members: 211\n`, filled: [['employee_count', '22']] },
  ],
  [
    'gross receipts, and not the total income below the gross profit',
    {
      text: 'Harbor Lane Bakery LLC\nProfit and loss for the year 2025\n\nGross income from sales   $864,310\nCost of sales             $392,285\nGross profit              $472,025\nTotal income              $472,343\n',
      filled: [['annual_revenue', '$ 864310.00']],
    },
  ],
])('fills in %s', (_, { text, country, name, filled }) => {
  expect(filledIn(text, country, name)).toEqual(filled)
})

test.each([
  [
    'the balance of a bill',
    'bank_balance',
    'Valley Power\nHarbor Lane Bakery LLC\nAccount number 12345678\nAmount due $4,918.27\nOpening balance $5,204.60\nPayments $5,204.60\nClosing balance $4,918.27\n',
  ],
  [
    'the figures of a sister company, whose name has a remark behind it',
    'annual_revenue',
    'Harbor Lane Bakery LLC\nManagement accounts 2025\n\nHarbor Cafes Ltd (sister company, not part of the application)\nTurnover 2025   $402,115\n',
  ],
  [
    'the phone of the accountant in the foot of a page',
    'phone',
    'Harbor Lane Bakery LLC\nCompte de résultat 2025\n\nCabinet Le Bihan & Associés, experts-comptables – 8 rue du Roulage, 56000 Vannes –\ntél. 02 97 55 54 00 – document établi en euros\n',
  ],
  [
    'two balances of two days',
    'bank_balance',
    `${ownName}Bank balance on 30 September 2026: $12,000.00\nBank balance on 31 October 2026: $38,720.00\n`,
  ],
])('does not fill in %s', (_, fact, text) => {
  expect(filledIn(text, fact === 'phone' ? 'FR' : 'US').filter(([name]) => name === fact)).toEqual([])
})

test('parts of an owner that do not come to all are in doubt', () => {
  const text =
    'Shareholders of Harbor Lane Bakery LLC\n\nName       Share\nAnn Lee    20 %\nAnn Lee    25 %\nBob Ray    30 %\n'
  expect(filledIn(text).filter(([name, value]) => name === 'ownership_percent' && value !== '30')).toEqual([])
})

test('a form is about whom its first field names, and its other fields are believed', () => {
  const field = (name: string, text: string, left: number) => ({ text, field: name, left, right: left + 90 })
  const lines: Line[] = [
    [{ text: 'Kestrel Asset Finance Ltd', left: 0, right: 90 }],
    [{ text: 'Hire purchase proposal', left: 0, right: 90 }],
    [field('f1', 'Harbor Lane Bakery LLC', 0)],
    [{ text: 'Telephone', left: 0, right: 60 }, field('f2', '(401) 555-0138', 100)],
    [{ text: 'No. of employees', left: 0, right: 60 }, field('f3', '31', 100)],
  ]
  const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' }
  const sure = findFacts({ pages: [{ number: 1, lines }] }, subject, '2026-11-16').facts.filter(
    ({ confidence }) => confidence >= 0.85,
  )
  expect(sure.map(({ fact, text }) => [fact, text])).toContainEqual(['business.employee_count', '31'])
})

test('the version of a form is no period of its figures', () => {
  const text = `Form BL-3 · Version 2026-05\n${ownName}FINANCIAL HIGHLIGHTS (fiscal year ended July 31, 2026)\nSales and service revenue   $6,480,200\n`
  expect(factsIn(text).find(({ fact }) => fact === 'business.annual_revenue')?.period).toContain('July 31, 2026')
})
