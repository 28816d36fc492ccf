// What looks like an answer and is about somebody else, another time or another account.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn, ownerFilled, ownName } from '../../../../../test/documents/facts-in-text.ts'
import { findFacts } from './find-facts.ts'

const questions = ['> EIN?\n61-4408127', '> Phone?\n(401) 555-0138']
const mail = (from: string, body: readonly string[], end = '') =>
  `From: ${from}\nTo: docs@rayfunding.example\nSubject: RE: questions\n\n${body.join('\n\n')}\n\n${end}`
const ann = 'Ann Lee <ann@harborlanebakery.example>'
const owned = [...ownerFilled('Ann', 'Lee', '80'), ...ownerFilled('Bob', 'Ray', '20')]
const owners = (text: string) => filledIn(text).filter(([fact]) => /name|percent/.test(fact ?? ''))

describe('answers to questions for owners', () => {
  const answered = (question: string) => owners(mail(ann, [...questions, `> ${question}\nAnn Lee 80%\nBob Ray 20%`]))

  test.each([
    'Who owns Harbor Lane Bakery?',
    'Who are the owners of your company?',
    'Owners (name, share)?',
    'Shareholders and their percentages?',
    'Who owns the company today?',
  ])('%s', (question) => {
    expect(answered(question)).toEqual(owned)
  })

  test.each([
    'Who are the owners of the building?',
    'Owners who left?',
    'Owners to come in 2027?',
    'Who owns the parent company?',
    'Owners of Elm Cafe LLC?',
    'Shareholders of your main supplier?',
  ])('%s is about others', (question) => {
    expect(answered(question)).toEqual([])
  })

  test('another company that signs is not the website of the business', () => {
    const body = [
      '> Legal name?\nHarbor Lane Bakery LLC',
      '> Phone, website?\n(212) 555-0172, www.roe.example',
      '> EIN?\n—',
    ]
    const from = 'Dan Roe <dan@roe.example>'
    expect(filledIn(mail(from, body))).toContainEqual(['phone', '(212) 555-0172'])
    expect(filledIn(mail(from, body, 'Dan Roe\nRoe Advisors LLC\n'))).toEqual([])
  })
})

describe('stacks of captions', () => {
  const stack = (heading: string, name: string, share: string) =>
    `${heading}\nFull name\n${name}\nOwnership %\n${share}\n`
  const ofAnn = stack('Owner 1', 'Ann Lee', '80')

  test('each owner below a heading of their own, or one after the other', () => {
    expect(owners(`${ownName}\n${ofAnn}${stack('Owner 2', 'Bob Ray', '20')}`)).toEqual(owned)
    expect(owners(`${ownName}\n${ofAnn}Country\nUSA\nFull name\nBob Ray\nOwnership %\n20\n`)).toEqual(owned)
    expect(owners(`${ownName}\n${stack('Beneficial owner 1 (25 % or more)', 'Ann Lee', '80')}`)).toEqual(
      ownerFilled('Ann', 'Lee', '80'),
    )
  })

  test.each(['Building owner', 'Account owner', 'Owners of Elm Cafe LLC', 'Future owner', 'Owner of the property'])(
    'below %s are no owners of the business',
    (heading) => {
      expect(owners(`${ownName}\n${stack(heading, 'Tom Lee', '60')}`)).toEqual([])
    },
  )

  test.each(['Spouse', 'Guarantor', 'Referred by', 'Attorney'])('%s below an owner is none', (heading) => {
    expect(owners(`${ownName}\n${ofAnn}${stack(heading, 'Tom Lee', '20')}`)).toEqual(ownerFilled('Ann', 'Lee', '80'))
  })
})

const grid = (rows: readonly (string | string[])[][]) => [
  {
    number: 1,
    lines: rows.map((row) =>
      row.map((cell, at) => ({
        text: typeof cell === 'string' ? cell : cell.join(' '),
        left: at * 100,
        right: at * 100 + 90,
        ...(typeof cell !== 'string' && { lines: cell }),
      })),
    ),
  },
]
const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' }

describe('lists of owners', () => {
  const sharesIn = (rows: readonly (string | string[])[][]) =>
    findFacts({ pages: grid([['Company', 'Harbor Lane Bakery LLC'], ...rows]) }, subject, '2026-11-16').facts.flatMap(
      ({ fact, text, confidence }) => (fact === 'owner.ownership_percent' && confidence >= 0.85 ? [text] : []),
    )

  test('capital and votes of one person, or two people of one name, are not added up', () => {
    const rows = (one: string, other: string) => [
      ['Owner', 'Title', 'Ownership %'],
      ['John Lee', one, '45%'],
      ['John Lee', other, '10%'],
      ['Bob Ray', 'Member', '45%'],
    ]
    expect(sharesIn(rows('Member', 'Member'))).toEqual(['55', '45'])
    expect(sharesIn(rows('Director', 'Member'))).toEqual(['45'])
    expect(sharesIn(rows('capital', 'votes'))).toEqual(['45'])
  })

  test('a year below a name says since when or until when', () => {
    const rows = (note: string) => [
      ['Owner', 'Ownership %'],
      [['Ann Lee', '4408'], '60%'],
      [['Bob Ray', note], '40%'],
    ]
    expect(sharesIn(rows('4409'))).toEqual(['60', '40'])
    expect(sharesIn(rows('from 2027'))).toEqual(['60'])
  })
})

describe('the balance of a day', () => {
  const day = 'on 31 October 2026'
  test.each([`Bank balance ${day}`, 'Bank balance as of 10/31/2026', `Business bank balance ${day}`])('%s', (label) => {
    expect(filledIn(`${ownName}${label}: $41,200\n`)).toEqual([['bank_balance', '$ 41200.00']])
  })

  test.each([
    `Loan account balance ${day}`,
    `Personal bank balance ${day}`,
    `Escrow bank balance ${day}`,
    `Bank account balance of the owner ${day}`,
    `Bank balance ${day} needed`,
    `Account balance ${day} with Northmill Inc`,
    `Account balance ${day}`,
    'Expected bank balance on 31 December 2026',
    'Bank balance on 31 December 2026',
    `Guarantor\nBob Ray\nBank balance ${day}`,
    `Please settle within 10 days\nBank balance ${day}`,
  ])('%s is another one', (label) => {
    expect(filledIn(`${ownName}${label}: $41,200\n`)).toEqual([])
  })
})

describe('periods and figures', () => {
  const row = '   100,000     110,000     120,000     330,000'

  test('a bare year beside months of a later one may be the same months', () => {
    const of = (year: string) =>
      filledIn(`${ownName}Profit and loss\n           Jul-26      Aug-26      Sep-26      ${year}\nRevenue ${row}\n`)
    expect(of('FY 2025')).toEqual([['annual_revenue', '330000.00']])
    expect(of('2025')).toEqual([])
    expect(of('PY 2025')).toEqual([])
  })

  test('a budget with an edition is a budget', () => {
    for (const title of ['Budget, version 2026-10', 'Budget BW-2027-118', 'Forecast rev. 10/26'])
      expect(filledIn(`${ownName}${title}\nAnnual revenue: 500,000\n`)).toEqual([])
    expect(filledIn(`${ownName}Version 2026-05\nAnnual revenue: 500,000\n`)).toEqual([['annual_revenue', '500000.00']])
  })

  test('a company below a label heads the figures that follow, unless it is a legal form', () => {
    const below = (label: string) => filledIn(`${ownName}\n${label}\nElm Cafe Inc\nAnnual revenue 2025: 500,000\n`)
    expect(below('Phone')).toEqual([])
    expect(below('Number of employees')).toEqual([])
    const form = 'Entity type\nLimited Liability Company\nAnnual revenue 2025: 500,000\n'
    expect(filledIn(`${ownName}\n${form}`)).toContainEqual(['annual_revenue', '500000.00'])
  })

  test('a number and a word for its scale are one', () => {
    expect(filledIn(`${ownName}Annual revenue 2025: 1,200 Thousand: USD\n`)).toEqual([])
    expect(factsIn(`${ownName}Employees: 22 Members: 211\n`).some(({ text }) => text === '22')).toBe(true)
  })

  const below = (caption: string, other: string) => {
    const rows = [
      ['Company', 'Harbor Lane Bakery LLC'],
      ['Annual revenue 2025', caption],
      ['500,000', other],
    ]
    const { facts } = findFacts({ pages: grid(rows) }, subject, '2026-11-16')
    return facts.some(({ fact, confidence }) => fact === 'business.annual_revenue' && confidence >= 0.85)
  }

  test('a caption that counts has a figure below it, and is no remark', () => {
    expect(below('Export sales, next 12 months (estimate)', '90,000')).toBe(true)
    expect(below('Only the 4 cafes', 'yes')).toBe(false)
  })

  test('a bill has no balance of an account', () => {
    const bill = (word: string) => filledIn(`${ownName}Closing balance: $918.27\n${word}: $918.27\n`)
    expect(bill('Overdraft')).toEqual([['bank_balance', '$ 918.27']])
    for (const word of ['To be paid', 'Due now', 'Minimum due', 'Invoice total']) expect(bill(word)).toEqual([])
  })

  test('two addresses in the row of an export are not mixed', () => {
    const names = ['Mailing', 'Registered'].flatMap((kind) =>
      ['street', 'city', 'state', 'zip'].map((part) => `${kind} ${part}`),
    )
    const values = ['PO Box 44', 'Cranston', 'RI', '02910', '12 Quay St', 'Providence', 'RI', '02903']
    const pages = grid([
      ['Company name', ...names],
      ['Harbor Lane Bakery LLC', ...values],
    ])
    const { facts } = findFacts({ pages }, subject, '2026-11-16')
    expect(facts.find(({ fact }) => fact === 'business.registered_address')?.text).toBe(
      '12 Quay St, Providence, RI 02903',
    )
  })
})
