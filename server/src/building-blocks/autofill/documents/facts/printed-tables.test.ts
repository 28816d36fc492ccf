// What forms, printed mails and exports of other programs have of their own: schedules with owners, boxes that nobody has
// ticked, signs in the next line, names that run over the end of one.
import { describe, expect, test } from 'vitest'
import { filledIn, ownName } from '../../../../../test/documents/facts-in-text.ts'

describe('owners on forms', () => {
  const schedule = (name: string, share: string) =>
    `Schedule K-1 (Form 1120-S) 2025
A Corporation's employer identification number
56-2148837
F1 Shareholder's name, address, city, state, and ZIP code
${name}
18 LAUREL BLUFF LN
G Current year allocation percentage
${share} %`

  test('a shareholder stands on a schedule of its own, with the share of the year', () => {
    expect(
      filledIn(`${ownName}${schedule('DANA WHITLOCK', '65.000000')}`).filter(([fact]) => fact !== 'tax_id'),
    ).toEqual([
      ['legal_form', 'S corporation'],
      ['first_name', 'DANA'],
      ['last_name', 'WHITLOCK'],
      ['ownership_percent', '65'],
    ])
  })

  test('a company on a schedule is no person', () => {
    expect(filledIn(`${ownName}${schedule('PELICAN HOLDINGS INC', '50')}`).map(([fact]) => fact)).not.toContain(
      'last_name',
    )
  })

  const confirmation = (total: number) => `Confirmation Statement
Company Name: HARBOR LANE BAKERY LIMITED
Total number of shares: ${total}
Shareholding 1: 150 ORDINARY shares held as at the date of this confirmation statement
Name: ANN LEE
Shareholding 2: 50 ORDINARY shares held as at the date of this confirmation statement
Name: LEE HOLDINGS LIMITED
Shareholding 3: 0 ORDINARY shares held as at the date of this confirmation statement
40 transferred on 2026-01-30
Name: BOB RAY`

  test('a confirmation statement counts shares, and the parts are of all there are', () => {
    expect(filledIn(confirmation(200), 'GB')).toEqual([
      ['first_name', 'ANN'],
      ['last_name', 'LEE'],
      ['ownership_percent', '75'],
    ])
  })

  test('where the counts are not all there is, owners are only suggested', () => {
    expect(filledIn(confirmation(400), 'GB')).toEqual([])
  })

  test('who holds warrants alone has no part of the shares that were issued', () => {
    const table = `${ownName}Holder          Shares issued   % of issued   Warrants   % fully diluted
Ann Lee         6000            60%                      54.5454545454545%
Bob Ray         4000            40%                      36.3636363636364%
Cal Orme                                      1000       9.09090909090909%`
    expect(filledIn(table).filter(([fact]) => fact === 'ownership_percent')).toEqual([
      ['ownership_percent', '60'],
      ['ownership_percent', '40'],
    ])
  })

  test('a name without the comma that its label asks for may be in either order', () => {
    const row = (name: string) =>
      `Firma: Harbor Lane Bakery GmbH\nName, Vorname    Geburtsdatum    Anteil %\n${name}    19.07.1966    70`
    expect(filledIn(row('Thomas Wendler'), 'DE')).toEqual([])
    expect(filledIn(row('Wendler, Thomas'), 'DE').slice(0, 2)).toEqual([
      ['first_name', 'Thomas'],
      ['last_name', 'Wendler'],
    ])
  })
})

describe('figures', () => {
  test.each<[string, string, string, string[][]]>([
    [
      'what is overdrawn says so below the row of balances, behind the last',
      'GB',
      'Statement of account\nOpening balance £6,204.11    Money out £30,716.99    Closing balance £3,412.88\noverdrawn',
      [['bank_balance', 'GBP -3412.88']],
    ],
    [
      'a balance that has lost its sign in one place has it from the other',
      'GB',
      'Statement of account\nClosing balance £3,412.88\nBalance carried forward   3,412.88 DR',
      [['bank_balance', 'GBP -3412.88']],
    ],
    [
      'the balance a statement begins with is not its last',
      'FR',
      'Relevé de compte\nPériode  du 01/10/2026 au 31/10/2026\nSolde créditeur au 30/09/2026    8 944,10',
      [],
    ],
    [
      'a box that nobody has ticked makes no plan of a return',
      'GB',
      'Company Tax Return\nPeriod from 01/01/2025\nto 31/12/2025\n50  Estimated figures\n145  Total turnover from trade   £ 3,118,470',
      [
        ['annual_revenue', 'GBP 3118470.00'],
        ['legal_form', 'Limited company'],
      ],
    ],
    [
      'the caption below a number is none of it',
      'GB',
      'Number of employees\n34\nProjected turnover next 12 months\n£2,900,000',
      [['employee_count', '34']],
    ],
    [
      'salaries are no employees, and `salariés` are',
      'US',
      'Income statement, year ended December 31, 2025\nSalaries - admin   158,200',
      [],
    ],
    ['even without their accent', 'FR', 'NOMBRE DE SALARIES : 12', [['employee_count', '12']]],
    [
      'employees of a year that is planned are not those there are',
      'AT',
      'Angaben            2024    2025    2026 (Plan)\nMitarbeiter        9       11      13',
      [['employee_count', '11']],
    ],
    [
      'columns that end with two years are those years',
      'ES',
      'CUENTA DE PÉRDIDAS Y GANANCIAS (euros)\n                         31/12/2025      31/12/2024\nImporte neto de la cifra de negocios   1.764.208,91   1.688.340,27',
      [['annual_revenue', 'EUR 1764208.91']],
    ],
    [
      'the year end in a row of captions holds for the row',
      'GB',
      'Turnover (£)      Net profit after tax (£)     Year ended\n2,914,006         238,115                      31/12/2025',
      [
        ['annual_revenue', 'GBP 2914006.00'],
        ['annual_profit', 'GBP 238115.00'],
      ],
    ],
    [
      'a code with one decimal does not turn thousands into fractions',
      'ES',
      'Epígrafe IAE: 659.7\nIngresos 2025: 211.905 EUR',
      [['annual_revenue', 'EUR 211905.00']],
    ],
    [
      'money that came in from abroad is not the currency of the account',
      'CA',
      'Statement of account\nWire in USD 18,400.00 @ 1.3612   25,046.08\nClosing balance   54,750.33',
      [['bank_balance', '54750.33']],
    ],
  ])('%s', (_name, country, text, expected) => {
    expect(filledIn(`${ownName}${text}`, country)).toEqual(expected)
  })
})

describe('names, numbers and days', () => {
  test.each<[string, string, string, string[][]]>([
    [
      'the day of a register may have dashes',
      'IE',
      'Date of incorporation: 04-APR-2017',
      [['founded_on', '2017-04-04']],
    ],
    [
      'a condition is no day of founding',
      'GB',
      'If your business started after 5 April 2025, enter the start date',
      [],
    ],
    [
      'the Indian number of a tax is no number of a company',
      'IN',
      'Registration Number: 27AAFCS8841K1Z6',
      [['tax_id', '27AAFCS8841K1Z6']],
    ],
    [
      'where there is no SIREN, the SIRET counts',
      'FR',
      'N° SIRET : 812 746 907 00011',
      [['registration_number', '812 746 907 00011']],
    ],
    [
      'where there is one, it does',
      'FR',
      'SIREN : 812 746 907\nSIRET : 812 746 907 00011',
      [['registration_number', '812 746 907']],
    ],
    [
      'a form that lists legal forms in its caption names nobody',
      'FR',
      'Forme juridique (SARL, SAS, EURL, EI…)   Téléphone\nSARL                                     05 36 49 62 17',
      [
        ['legal_form', 'SARL'],
        ['phone', '05 36 49 62 17'],
      ],
    ],
    [
      'below the caption of a form stands a form, beside it another caption',
      'AU',
      'Entity type           ABN active since\nCompany (Pty Ltd)     18 Feb 2015',
      [['legal_form', 'Company (Pty Ltd)']],
    ],
    ['where a person lives is not where the business is', 'GB', 'Home address: 9 Heol y Bryn, Llandeilo, SA19 6TL', []],
    [
      'commas run on from cell to cell',
      'GB',
      'Registered office\nAlbion Mills,    Dean Clough Lane,    Halifax HX3 5AX',
      [['registered_address', 'Albion Mills, Dean Clough Lane, Halifax HX3 5AX']],
    ],
  ])('%s', (_name, country, text, expected) => {
    expect(filledIn(`${ownName}${text}`, country)).toEqual(expected)
  })

  test('a name that runs over the end of a line is whole', () => {
    const form =
      'Company name              HARBOR LANE\n                          BAKERY LIMITED\nCompany number            07418265'
    expect(filledIn(form, 'GB')).toEqual([['registration_number', '07418265']])
  })

  test('a cooperative is one however it is written', () => {
    expect(
      filledIn(
        'Business name: Kootenay Bread Co-operative\nBusiness phone: 250-555-0139',
        'CA',
        'Kootenay Bread Co-op',
      ),
    ).toEqual([['phone', '250-555-0139']])
  })

  test('in an extract, the number beside the name is that of the register', () => {
    const extract = 'Company Printout\nNumber      601447\nName        HARBOR LANE BAKERY LIMITED'
    expect(filledIn(extract, 'IE')).toEqual([['registration_number', '601447']])
  })

  test('accounts are of whom their cover names, whoever has made them', () => {
    const cover =
      'Cabinet Orsini & Vasseur, société d’expertise comptable\nCOMPTES ANNUELS\nSARL HARBOR LANE BAKERY\nExercice du 01/07/2025 au 30/06/2026\nSiège social : 6 place du Marché, 38200 Vienne\nFait à Lyon, le 22 septembre 2026'
    expect(filledIn(cover, 'FR')).toEqual([['registered_address', '6 place du Marché, 38200 Vienne']])
  })

  test('the phone on a notice is that of the tax office', () => {
    const notice =
      'Finanzamt Minden\nBescheid für 2025 über Körperschaftsteuer\nFirma: Harbor Lane Bakery GmbH\nDurchwahl: 0571 804-1366\nTelefon: 0571 804-0'
    expect(filledIn(notice, 'DE')).toEqual([])
  })
})

describe('what looks like it and is not', () => {
  test.each<[string, string, string, string[][]]>([
    [
      'the day of an appointment is no day of birth',
      'GB',
      'Shareholder    Ownership    Position\nAnn Lee        100%         Director 22/10/2019',
      [
        ['first_name', 'Ann'],
        ['last_name', 'Lee'],
        ['ownership_percent', '100'],
        ['role', 'Director'],
      ],
    ],
    [
      'a forecast stays one beside the end of its year',
      'GB',
      'Forecast\nTurnover      Year end\n914,006       31/12/2025',
      [],
    ],
    ['a numbered heading is no box', 'GB', '12    Forecast\nTurnover year ended 31 March 2026     1,200,000', []],
    [
      'quarters that end on the last day of a year are no years',
      'US',
      '           12/31/2025  09/30/2025  12/31/2024\nRevenue    41,000      38,000      35,000',
      [],
    ],
    [
      'the first word of the next row is no legal form',
      'GB',
      'Legal form     Private\nPartnership    Name of partner firm',
      [],
    ],
    [
      'a town beyond another column is not that of an address that has one',
      'US',
      "Business address                     Owner's home address\n12 Main Street, Seattle\n                                     77 Oak Lane\nTacoma, WA 98401",
      [['registered_address', '12 Main Street, Seattle']],
    ],
    [
      'people between commas are no part of an address',
      'GB',
      'Registered office    Unit 4,    Ms Ann Lee,    c/o Hall & Co,    Hull HU1 2AB',
      [],
    ],
    [
      'which of two balances is overdrawn cannot be known where the last is not the closing one',
      'GB',
      'Account statement\nClosing balance £3,412.88      Opening balance £6,204.11\n(overdrawn)',
      [],
    ],
    ['nor are all salaries employees', 'GB', 'Total salaries          12', []],
  ])('%s', (_name, country, text, expected) => {
    expect(filledIn(`${ownName}${text}`, country)).toEqual(expected)
  })

  test('whoever has nothing left at the end of the year is no owner', () => {
    const schedule = (end: string) => `Schedule K-1 (Form 1065) 2025
B Partnership's name, address
Harbor Lane Bakery LLC
F Partner's name, address, city, state, and ZIP code
Susan Marsh
Profit sharing agreement of 12 % dated 2020
Profit    50 %           ${end}`
    expect(filledIn(schedule('0 %')).map(([fact]) => fact)).not.toContain('last_name')
    expect(filledIn(schedule('')).map(([fact]) => fact)).not.toContain('last_name')
    expect(filledIn(schedule('55 %'))).toContainEqual(['ownership_percent', '55'])
  })

  test('shares of two people together and of several kinds are only suggested', () => {
    const statement = (first: string, second: string) => `Confirmation Statement
Company Name: HARBOR LANE BAKERY LIMITED
Total number of shares: 200
Shareholding 1: 110 ORDINARY shares held as at the date of this confirmation statement
${first}
Shareholding 2: 90 ${second} shares held as at the date of this confirmation statement
Name: CARL SMITH`
    expect(filledIn(statement('Name: ANN LEE', 'ORDINARY'), 'GB')).toContainEqual(['ownership_percent', '55'])
    expect(filledIn(statement('Name: ANN LEE\nName: BOB LEE', 'ORDINARY'), 'GB')).toEqual([])
    expect(filledIn(statement('Name: ANN LEE', 'B PREFERENCE'), 'GB')).toEqual([])
  })

  test('a number beside the name of somebody else is theirs', () => {
    const extract =
      'Company printout\nApplicant   HARBOR LANE BAKERY LIMITED\nNumber      442190\nName        HARBOUR LIMITED'
    expect(filledIn(extract, 'IE')).toEqual([])
  })

  test('all that a tax office tells the business is only suggested', () => {
    const notice =
      'Canada Revenue Agency\nCorporation income tax notice of assessment\nBusiness name   Harbor Lane Bakery Inc.\nBusiness number   83116 4507 RC0001'
    expect(filledIn(notice, 'CA')).toEqual([])
  })
})

test('owners stand in lines of labels and values', () => {
  const form = `Firma   Harbor Lane Bakery GmbH
Vorname   Henrik   Name   Laubach   geb.   11.12.1968   Anteil %   55
Vorname   Ida      Name   Laubach   geb.   02.04.1996   Anteil %   45
Vorname            Name             geb.                Anteil %`
  expect(filledIn(form, 'DE').filter(([fact]) => fact !== 'birth_date')).toEqual([
    ['first_name', 'Henrik'],
    ['last_name', 'Laubach'],
    ['ownership_percent', '55'],
    ['first_name', 'Ida'],
    ['last_name', 'Laubach'],
    ['ownership_percent', '45'],
  ])
})

test('a letter of the business has its other name at the top, and says at the end whose that is', () => {
  const letter = `Lane & Daughters
Phone 090 555 0142
9 November 2026
Dear Orla,
I enclose the accounts you asked for.
Yours sincerely,
Ann Lee
Harbor Lane Bakery Limited trading as Lane & Daughters. Registered in Ireland No. 497305. VAT No. IE 9781146 H.`
  expect(filledIn(letter, 'IE')).toEqual([
    ['phone', '090 555 0142'],
    ['trading_name', 'Lane & Daughters'],
    ['registration_number', '497305'],
    ['tax_id', 'IE 9781146 H'],
  ])
})

test('a mail of the business itself is none of somebody else for its greeting', () => {
  const mail = `Von: Ann Lee <ann@harbor-lane-bakery.example>
An: office@kredit.example
Datum: Mo., 9. November 2026 16:48

Sehr geehrte Frau Pichler,

anbei die Unterlagen.

Harbor Lane Bakery GmbH
Firmenbuchnummer: FN 451038 t`
  expect(filledIn(mail, 'AT')).toEqual([['registration_number', 'FN 451038 t']])
})

test('a company whose form stands first is no person', () => {
  const list = `${ownName}Associé               Part du capital
Bastien Arnoux        80 %
GFA Mas des Cigales   20 %`
  expect(filledIn(list, 'FR').filter(([fact]) => fact === 'last_name')).toEqual([['last_name', 'Arnoux']])
})

test('a printed mail has the name of whoever printed it above its head, and what it answers below its end', () => {
  const mail = `Gemma Oduya

From:  Ann Lee <ann@harborlanebakery.example>
Sent:  09 November 2026 16:31
To:  Gemma Oduya
Subject:  Details

Company  Harbor Lane Bakery Ltd
Registered office  22 Frog Island, Leicester, LE3 5AG

From: Gemma Oduya <gemma@broker.example>
Sent: 09 November 2026 11:02
To: Ann Lee
Subject: Details

Meridian Invoice Finance Ltd, Company No. 10448213`
  expect(filledIn(mail, 'GB')).toEqual([['registered_address', '22 Frog Island, Leicester, LE3 5AG']])
})
