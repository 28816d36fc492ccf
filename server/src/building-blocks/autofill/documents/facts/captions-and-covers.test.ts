// Where captions stand, what a cover or a letterhead says of whom, and which of several numbers is meant.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

function found(text: string, legal_name = 'Harbor Lane Bakery', country = 'US') {
  return findFacts(readPlainText(Buffer.from(text)), { legal_name, trading_name: null, country }, '2026-11-16').facts
}

/** The values that are filled, by the last part of their fact. */
function filled(text: string, legal_name?: string, country?: string) {
  return found(text, legal_name, country).flatMap(({ fact, text: value, confidence }) =>
    confidence >= 0.85 ? [[fact.slice(fact.indexOf('.') + 1), value]] : [],
  )
}

describe('captions below what is filled in', () => {
  const form = `BRIDGEWELL CAPITAL PARTNERS      Business Funding Application

1. TELL US ABOUT YOUR BUSINESS
Harbor Lane Bakery LLC           Harbor Bread
Business legal name              Doing business as (DBA), if any
6401 Edith Blvd NE               Albuquerque          NM        87107
Physical street address          City                 State     ZIP
46-3381027           05/19/2014                   (505) 555-0164      17
Federal tax ID       Date business established    Business phone      Number of employees`

  test('are read with what stands above them, and told where it stands', () => {
    expect(Object.fromEntries(filled(form))).toEqual({
      legal_name: 'Harbor Lane Bakery LLC',
      trading_name: 'Harbor Bread',
      registered_address: '6401 Edith Blvd NE, Albuquerque, NM 87107',
      tax_id: '46-3381027',
      founded_on: '2014-05-19',
      phone: '(505) 555-0164',
      employee_count: '17',
    })
    const number = found(form).find(({ fact }) => fact === 'business.tax_id')
    expect(number).toMatchObject({ line: 8, words: expect.stringContaining('46-3381027') })
  })

  test('are known by the empty lines between them where no value tells', () => {
    const text = `CITY OF ANACORTES
BUSINESS LICENSE

Harbor Lane Bakery LLC       The Bread Shop
LEGAL BUSINESS NAME          DOING BUSINESS AS

1820 Commercial Avenue, Anacortes, WA 98221     PO Box 771, Mount Vernon, WA 98273
BUSINESS ADDRESS                                MAILING ADDRESS

BL-2019-04417        Limited Liability Company     6
LICENSE NUMBER       OWNERSHIP TYPE                NO. OF EMPLOYEES
`
    expect(filled(text)).toEqual(
      expect.arrayContaining([
        ['trading_name', 'The Bread Shop'],
        ['registered_address', '1820 Commercial Avenue, Anacortes, WA 98221'],
        ['employee_count', '6'],
      ]),
    )
  })

  test.each([
    [
      'with an empty line below each row of captions',
      `Legal name                Federal tax ID

Harbor Lane Bakery LLC    46-3381027
Trading name              Business phone

Harbor Bread              (505) 555-0164
Website                   Number of employees

harbor.example            17`,
      { tax_id: '46-3381027', trading_name: 'Harbor Bread', phone: '(505) 555-0164', employee_count: '17' },
    ],
    [
      'below a title',
      `Harbor Lane Bakery LLC – Profile
Trading name     Legal form     Website

Harbor Bread     LLC            harbor.example`,
      { trading_name: 'Harbor Bread' },
    ],
    [
      'in a form that is signed with a date, a phone and an e-mail below which their captions stand',
      `Legal name                Federal tax ID    Date established
Harbor Lane Bakery LLC    46-3381027        05/19/2014
Business phone            Business e-mail   Number of employees
(505) 555-0164            a@harbor.example  17

Ann Lee        11/03/1979       505-555-0119   ann@harbor.example
Name           Date of birth    Phone          E-mail
`,
      { tax_id: '46-3381027', founded_on: '2014-05-19', email: 'a@harbor.example', employee_count: '17' },
    ],
  ])('are not taken for those above, %s', (_name, text, expected) => {
    expect(Object.fromEntries(filled(text))).toMatchObject(expected)
  })

  test('are no pairs of a label and its value below a heading', () => {
    const text = `SUPPLIER PROFILE
Legal name     Harbor Lane Bakery LLC

ONLINE
Website        harborlane.example

PARENT COMPANY
Legal form     Corporation
`
    expect(filled(text).map(([fact]) => fact)).not.toContain('legal_form')
  })

  test('do not turn a form round whose captions stand above, whatever is signed at its end', () => {
    const text = `Legal name                   Federal tax ID    Date established
Harbor Lane Bakery LLC       46-3381027        05/19/2014
Business phone               Business e-mail
(505) 555-0164               a@harbor.example

Ann Lee                      Owner             06/01/2026
Name                         Title             Date`
    expect(Object.fromEntries(filled(text))).toMatchObject({
      tax_id: '46-3381027',
      founded_on: '2014-05-19',
      phone: '(505) 555-0164',
      email: 'a@harbor.example',
    })
  })
})

describe('what is somebody else’s', () => {
  test.each([
    [
      'above whom a form is about',
      'Greffe du Tribunal de Commerce\nTél. 02 97 55 50 00\n\nDénomination  Harbor Lane Bakery',
    ],
    ['of a representative', 'Name of partnership  Harbor Lane Bakery\nU.S. phone number of PR  843-555-0142'],
    [
      'below the caption of an accountant',
      'Company name  Harbor Lane Bakery\n\nAccountant (firm)    Phone\nBirch Tax LLC        505-555-0136',
    ],
  ])('a phone %s', (_where, text) => {
    expect(filled(text).map(([fact]) => fact)).not.toContain('phone')
  })

  test('the legal form beside the name of an owner', () => {
    const text =
      'Désignation de l’entreprise : HARBOR LANE BAKERY\n\nForme juridique    Dénomination\nSARL               HOLDING DROME OUEST'
    expect(filled(text, 'Harbor Lane Bakery', 'FR').map(([fact]) => fact)).not.toContain('legal_form')
  })
})

describe('which number', () => {
  test('a code of a form and an amount are no tax number', () => {
    const text = 'Company name  Harbor Lane Bakery\nEn-cours de production de biens   BN   54 300'
    expect(found(text, 'Harbor Lane Bakery', 'FR').filter(({ fact }) => fact === 'business.tax_id')).toEqual([])
  })

  test.each([
    ['IE', 'Tax reference no.  3418207NA\nVAT no.  IE3418207NA', '3418207NA'],
    ['DE', 'Steuernummer  018 342 60917\nUSt-IdNr.  DE315082745', '018 342 60917'],
    ['CA', 'Business number  73418 2264 RC0001\nGST/HST number  73418 2264 RT0001', '73418 2264 RC0001'],
    ['GB', 'VAT number  GB 301 7725 85', 'GB 301 7725 85'],
  ])('in %s the tax number of all taxes counts, that of one where it is the only one', (country, lines, number) => {
    const text = `Company name  Harbor Lane Bakery\n${lines}`
    expect(filled(text, 'Harbor Lane Bakery', country)).toContainEqual(['tax_id', number])
  })

  test('that of the employer, where its caption runs on below it', () => {
    const text = `Form 1120-S  U.S. Income Tax Return for an S Corporation  2025
A S election effective date      Name                             D Employer identification
01/01/2016                       Harbor Lane Bakery Inc.          number
                                                                  84-1927365`
    expect(filled(text)).toContainEqual(['tax_id', '84-1927365'])
  })

  test('the number of the next line of accounts is no amount', () => {
    const text = `Harbor Lane Bakery GmbH
Gewinn- und Verlustrechnung vom 1. Februar 2025 bis 31. Jänner 2026
                                   EUR
Jahresüberschuss

14. Gewinnvortrag aus dem Vorjahr`
    expect(found(text, 'Harbor Lane Bakery', 'AT').filter(({ fact }) => fact === 'business.annual_profit')).toEqual([])
  })
})

describe('whose and when', () => {
  test('below the title of accounts stands whose they are, with the address', () => {
    const text = `JAHRESABSCHLUSS
zum 31. Jänner 2026

Harbor Lane Bakery GmbH
Waidhofner Straße 48
3331 Kematen

Firmenbuchnummer  FN 412387 k`
    expect(filled(text, 'Harbor Lane Bakery', 'AT')).toContainEqual(['registration_number', 'FN 412387 k'])
  })

  test('below the sentence of an office stands whom it writes to', () => {
    const text = `Canada Revenue Agency
Reminder to file your income tax return
Harbor Lane Bakery Ltd
12 Mill Road
Oxford OX1 2AB

Phone 0300 200 3410`
    expect(filled(text, 'Harbor Lane Bakery', 'GB').map(([fact]) => fact)).not.toContain('phone')
  })

  test('a return for a part of a year is not one for the year that its title names', () => {
    const text = `Form 1065  U.S. Return of Partnership Income
Department of the Treasury  For calendar year 2025, or tax year beginning  March 3  , 2025, ending  December 31  , 2025
Name of partnership  Harbor Lane Bakery LLC
1a  Gross receipts or sales  1a  918,640`
    expect(filled(text).map(([fact]) => fact)).not.toContain('annual_revenue')
  })

  test('a list in small letters is no caption that runs on', () => {
    const text = 'company  Harbor Lane Bakery LLC\nphone  (505) 555-0164'
    expect(filled(text)).toContainEqual(['legal_name', 'Harbor Lane Bakery LLC'])
  })

  test('an address that ends with an article runs on somewhere else', () => {
    const text = 'Firma  Harbor Lane Bakery GmbH\nGeschäftsanschrift  Waidhofner Straße 48, 3331 Kematen an der'
    expect(filled(text, 'Harbor Lane Bakery', 'AT').map(([fact]) => fact)).not.toContain('registered_address')
  })

  test('a year in brackets heads a column, and blanks of a return do not hide its year', () => {
    const years = `Name of company  Harbor Lane Bakery LLC
                          Year 2024     Last full year (2025)     Forecast 2026
Gross revenue             2,208,940     2,415,600                 2,600,000`
    expect(filled(years)).toContainEqual(['annual_revenue', '2415600.00'])
    const blanks = `Form 1065  U.S. Return of Partnership Income
Department of the Treasury  For calendar year 2025, or tax year beginning ________ , 2025, ending ________ , 20__  2025
Name of partnership  Harbor Lane Bakery LLC
1a  Gross receipts or sales  1a  918,640`
    expect(filled(blanks)).toContainEqual(['annual_revenue', '918640.00'])
  })
})
