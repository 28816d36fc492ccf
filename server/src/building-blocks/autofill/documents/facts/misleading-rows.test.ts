// Tables, lists and remarks that a reviewer wrote to mislead the rules on rows of several lines, on lists of owners, on
// sentences and on brackets. Each has misled one of them once.
import { expect, test } from 'vitest'
import { filledIn } from '../../../../../test/documents/facts-in-text.ts'

const accounts = 'Lee Bakery Ltd\nAnnual report and accounts for the year ended 31 December 2025\n'
const ann = (share: string) => [
  ['first_name', 'Ann'],
  ['last_name', 'Lee'],
  ['ownership_percent', share],
]
const carol = (last: string) => [
  ['first_name', 'Carol'],
  ['last_name', last],
  ['ownership_percent', '40'],
]
const mail = (from: string, list: string) =>
  `From: ${from}\nTo: Bank <b@bank.example>\nSubject: Lee Bakery Ltd\n\nCompany: Lee Bakery Ltd\n${list}\nLee Bakery Ltd\n`

test.each<[string, string, string[][]]>([
  [
    'me is nobody in the mail of somebody else',
    mail('Tom Accountant <tom@accounts.example>', 'Shareholders: me 60%, my sister Carol Lee 40%'),
    carol('Lee'),
  ],
  [
    'nor whoever sends for somebody',
    mail('Ann Lee via DocuSign <no-reply@leebakery.example>', 'Shareholders: me 60%, my sister Carol Lee 40%'),
    carol('Lee'),
  ],
  [
    'I am as short as a name can be',
    mail('Ann Lee <ann@leebakery.example>', 'Shareholders: I 60%, my sister Carol Lee 40%'),
    [...ann('60'), ...carol('Lee')],
  ],
  [
    'an estate and a trust',
    'Company: Lee Bakery Ltd\nShareholders: estate of Carl Lee 60%, trust for Ann Lee 40%\n',
    [],
  ],
  ['those who are not', 'Company: Lee Bakery Ltd\nShareholders: formerly Carl Lee 60%, not Ann Lee 40%\n', []],
  [
    'people of a place',
    'Company: Lee Bakery Ltd\nShareholders: staff of North Yard 60%, friends from Castle Howard 40%\n',
    [],
  ],
  [
    'heirs and sons',
    'Company: Lee Bakery Ltd\nShareholders: heirs of Carl Lee 60%, my two sons Ben Lee and Tim Lee 40%\n',
    [],
  ],
  ['bands of shares', 'Lee Bakery Ltd\nShareholders: Ann Lee 75% or more, Bob Lee 25% or less\n', []],
  [
    'a day of birth with a short year',
    'Lee Bakery Ltd\nShareholder    Date of birth    Ownership %\nAnn Lee        12-Mar-48        60\nCarol Lee      01-Apr-72        40\n',
    [...ann('60'), ...carol('Lee')],
  ],
  [
    'a second person in the next line',
    'Lee Bakery Ltd - Shareholders\n\nFirst name   Last name    Town       Shares held\nAnn          Lee          Leeds      60\nBob          Carter\nCarol        Jones        York       40\nTotal                                100\n',
    [...ann('60'), ...carol('Jones')],
  ],
  [
    'a town behind a comma',
    'Lee Bakery Ltd - Shareholders\n\nShareholder     Class              %\nAnn Lee         Ordinary           60 %\nBob Lee,        Ordinary           40 %\nLeeds\n',
    ann('60'),
  ],
  [
    'employees in two columns',
    'Lee Bakery Ltd\n              Full time    Part time\nEmployees     5            5\n',
    [],
  ],
  [
    'figures of two parts',
    'Lee Bakery Ltd\nYear ended 31 December 2025\n              Bakery      Cafe\nTurnover      400,000     400,000\n',
    [],
  ],
  [
    'employees with those of subsidiaries',
    `${accounts}The average number of employees (including those of subsidiaries) was 80.\n`,
    [],
  ],
  ['employees of the year before', `${accounts}Prior year        The average number of employees was 80.\n`, []],
  ['employees of the parent', `${accounts}Parent (Lee Group plc)       The average number of employees was 80.\n`, []],
  [
    'employees of a supplier',
    `${accounts}Our supplier Big Flour plc is large. There the average number of employees was 900.\n`,
    [],
  ],
  [
    'employees of whom was bought',
    `${accounts}Big Flour Ltd was bought in May. At the year end the company employed 80 people.\n`,
    [],
  ],
  ['people of an agency', `${accounts}At the year end the company had 80 people employed (through an agency).\n`, []],
  ['a year of its own', 'Lee Bakery Ltd\nRevenue 2025: 612,480, net profit 2024 38,215\n', []],
  [
    'thousands behind a space',
    'Lee Bakery Ltd\nRevenue 2025: 612 k, net profit 38 k\n',
    [
      ['annual_revenue', '612000.00'],
      ['annual_profit', '38000.00'],
    ],
  ],
  [
    'a correction',
    'Lee Bakery Ltd\nTurnover year ended 31 December 2025    £742,318    (corrected 2025: £690,402)\n',
    [],
  ],
  [
    'a newer figure',
    'Lee Bakery Ltd\nYear ended 31 December 2024\nTurnover   £742,318   (latest, Dec 2025: £790,402)\n',
    [],
  ],
  ['the next box', 'Lee Bakery Ltd\nVAT number   9 8 7 6 5 4 3 2 1   1\n', [['tax_id', '987654321']]],
  [
    'shares in another company',
    'Lee Bakery Ltd\nInvestment in Big Flour plc\nNumber of shares   Currency\n100                GBP\n\nName               Shares\nAnn Lee            60\nBob Carter         40\n',
    [],
  ],
  [
    'preference shares',
    'Company Name: LEE BAKERY LTD\nClass of Shares: ORDINARY   Number allotted 100\nAggregate nominal value: 100\nClass of Shares: PREFERENCE   Number allotted 900\nAggregate nominal value: 900\nTotal number of shares: 1000\nShareholding 1: 100 ORDINARY shares held as at the date of this confirmation statement\nName: ANN LEE\nShareholding 2: 900 PREFERENCE shares held as at the date of this confirmation statement\nName: BOB CARTER\n',
    [],
  ],
  [
    'a place of work',
    'Service location\nLee Bakery Ltd\n12 Main Street\nLeeds LS1 1AA\n\nBill to\nBig Landlord Ltd\n1 Tower Road\nLeeds LS2 2BB\n\nRepair of oven   100.00\nEmail: help@ovenfix.example\n',
    [],
  ],
  [
    'a certificate that a form asks for',
    'Loan application\nPlease attach: insurance certificate, bank statements\nLegal name: Lee Bakery Ltd\nNumber of employees: 12\n',
    [['employee_count', '12']],
  ],
])('%s', (_, text, facts) => expect(filledIn(text, 'GB', 'Lee Bakery Ltd')).toEqual(facts))

test.each<[string, string, string, string, string[][]]>([
  [
    'the number of an entry and a street',
    'AT',
    'Lee Bäckerei GmbH',
    'FIRMENBUCH\nFIRMA\n1 Lee Bäckerei GmbH\nGESCHÄFTSANSCHRIFT\n1 Am Hof 12\n1010 Wien\n',
    [['registered_address', 'Am Hof 12, 1010 Wien']],
  ],
  [
    'a town before the day of birth',
    'DE',
    'Lee Backwaren GmbH',
    'Lee Backwaren GmbH\nListe der Gesellschafter\nGesellschafter     Nr.       Nennbetrag    Prozent\nLee,               1         15.000        60 %\nLeipzig\ngeb. 12.03.1980\n',
    [],
  ],
  [
    'a private number',
    'DE',
    'Lee Backwaren GmbH',
    'Lee Backwaren GmbH\nGeschäftsführerin: Ann Lee\nSteuernummer (privat): 231/115/08342 (Finanzamt Leipzig)\n',
    [],
  ],
  [
    'those who work for the group',
    'DE',
    'Lee Backwaren GmbH',
    'Lee Backwaren GmbH\nJahresabschluss zum 31.12.2025\nDie durchschnittliche Zahl der Mitarbeiter (Konzern) betrug 80.\n',
    [],
  ],
  [
    'a form with the name of another company behind it',
    'FR',
    'Lee Boulangerie',
    'LEE BOULANGERIE   Société anonyme au capital de 20 000 euros DUPONT IMMO\n',
    [],
  ],
])('%s', (_, country, name, text, facts) => expect(filledIn(text, country, name)).toEqual(facts))
