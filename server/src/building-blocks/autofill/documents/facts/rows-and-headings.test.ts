// Rows of captions, headings that stand close, and which column, span or bracket a value belongs to.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn, ownName } from '../../../../../test/documents/facts-in-text.ts'

describe('which value is meant', () => {
  test.each<[string, string, string, string[][]]>([
    [
      'each balance has its own label',
      'US',
      'Beginning balance $48,220.17    Ending balance $51,093.66    Average ledger balance $49,870.02',
      [['bank_balance', '$ 51093.66']],
    ],
    [
      'a year that a value names itself is its own',
      'US',
      'Net sales     2026 Budget $2,900,000     2025 Actual $2,641,300     Variance 9.8%',
      [['annual_revenue', '$ 2641300.00']],
    ],
    [
      'the number of a line in the next column is no value',
      'US',
      'Form 1120, calendar year 2025\nNet income (loss) per books   318,902   7   Income recorded on books this year',
      [['annual_profit', '318902.00']],
    ],
    [
      'a turnover with taxes is none',
      'GB',
      'Turnover 2025, including VAT: £734,976\nTurnover 2025, excluding VAT: £612,480',
      [['annual_revenue', 'GBP 612480.00']],
    ],
    [
      'crores are a scale',
      'IN',
      'Revenue from operations 2025-26: Rs. 3.2 crore',
      [['annual_revenue', 'INR 32000000.00']],
    ],
    [
      'lakhs may be grouped by two digits',
      'IN',
      'Turnover FY 2025-26: Rs. 4,85,20,000',
      [['annual_revenue', 'INR 48520000.00']],
    ],
    [
      'parts in brackets that come to the whole are no rivals',
      'ES',
      'Plantilla: 36 trabajadores (21 fijos, 15 temporales)',
      [['employee_count', '36']],
    ],
    [
      'Americans write the month first, with dashes too',
      'US',
      'Date of formation: 06-03-2019',
      [['founded_on', '2019-06-03']],
    ],
    ['others write the day first', 'GB', 'Date of incorporation: 06-03-2019', [['founded_on', '2019-03-06']]],
    [
      'a year before the day of an entry is in the way',
      'DE',
      'Gegründet: 1987 (Eintrag Handelsregister: 12.05.1994)',
      [],
    ],
    ['a result called a loss has no sign', 'FR', 'Résultat net de l’exercice 2025 (perte) : 18 430 €', []],
    [
      'a mobile phone stands behind the phone',
      'US',
      'Phone: 207 555 0188\nCell: 207 555 0199',
      [['phone', '207 555 0188']],
    ],
    [
      'a span of twelve months is a year',
      'DE',
      '               Dez/2025     Jan/2025 - Dez/2025\nUmsatzerlöse   81.402,17    1.148.736,52',
      [['annual_revenue', '1148736.52']],
    ],
    [
      'a return called T2 is no second quarter',
      'CA',
      'T2 Corporation Income Tax Return\nTax year 2025-01-01 to 2025-12-31\nTotal revenue   1,221,630',
      [
        ['annual_revenue', '1221630.00'],
        ['legal_form', 'Corporation'],
      ],
    ],
    [
      'a Swiss number of value added tax ends in it',
      'CH',
      'MWST-Nr.: CHE-247.518.903 MWST',
      [['tax_id', 'CHE-247.518.903 MWST']],
    ],
    [
      'the entity is a form if it is called one',
      'US',
      'Entity: S corporation (Virginia)',
      [['legal_form', 'S corporation (Virginia)']],
    ],
  ])('%s', (_rule, country, text, values) => {
    expect(filledIn(ownName + text, country)).toEqual(values)
  })

  test('what a form asks to be enclosed is no period', () => {
    const text =
      'Bitte füllen Sie alle Felder aus. Unterlagen (Jahresabschlüsse, BWA, Gesellschafterliste) fügen Sie bitte bei.'
    const table = '               2024         2025\nUmsatzerlöse   5.466.900    5.903.750'
    expect(filledIn(`${ownName}${text}\n\n${table}`, 'DE')).toEqual([['annual_revenue', '5903750.00']])
  })

  test('a postcode without a comma before it ends the street', () => {
    const text = 'Adresse du siège : 8 rue des Artisans 12000 Rodez'
    expect(filledIn(ownName + text, 'FR')).toEqual([['registered_address', '8 rue des Artisans, 12000 Rodez']])
  })

  test('those employed are what their table comes to', () => {
    const text = `Financial statements for the year ended 31 December 2025\n${ownName}
The average monthly number of employees, including directors, during the year was as follows:
                   2025    2024
Production           14      12
Administration        5       5
                     19      17`
    expect(filledIn(text, 'GB')).toContainEqual(['employee_count', '19'])
    expect(filledIn(text.replace('19      17', '20      17'), 'GB')).not.toContainEqual(['employee_count', '20'])
  })

  test('the balance at the end of a year on a return is that of earnings', () => {
    expect(
      filledIn(`${ownName}Form 1120 U.S. Corporation Income Tax Return 2025\nBalance at end of year   2,309,874`),
    ).not.toContainEqual(expect.arrayContaining(['bank_balance']))
  })

  test('the small print of a statement is the bank’s', () => {
    const text = `Statement of account  Account number 4471\nAccount holder: Harbor Lane Bakery LLC\nOpening balance  1,200.00\nClosing balance 31/10/2026  6,155.33\nFirst Bank, SA au capital de 42 000 000 EUR, RCS Angers 062 201 118`
    expect(filledIn(text, 'FR').map(([fact]) => fact)).not.toContain('registration_number')
  })
})

describe('captions in a row', () => {
  test('three captions over three values are read with what stands below each', () => {
    const text =
      'NIF          Razón social                   Justificante\nB21907448    HARBOR LANE BAKERY LIMITADA    2007715530918'
    expect(filledIn(text, 'ES')).toEqual([['tax_id', 'B21907448']])
  })

  test('the number beside the name of another company is its own', () => {
    const text = `${ownName}EIN: 12-3456789\n\nName of entity          EIN             Type of entity\nLee Holding LLC         98-7654321      Partnership`
    expect(filledIn(text)).toContainEqual(['tax_id', '12-3456789'])
  })

  test('a label between the two lines of its value has both, although the next label has its value there too', () => {
    const text =
      'Company Tax Return\n\n                                HARBOR LANE BAKERY\n1    Company name\n                                LIMITED\n2    Company number             SC447201\n'
    const names = factsIn(text, 'GB').filter(({ fact }) => fact === 'business.legal_name')
    expect(names[0]).toMatchObject({ text: 'HARBOR LANE BAKERY LIMITED', confidence: 0.9 })
    expect(filledIn(text, 'GB')).toContainEqual(['registration_number', 'SC447201'])
  })
})

describe('owners', () => {
  const people = (text: string, country?: string, legal_name?: string) =>
    filledIn(ownName + text, country, legal_name).map(([, value]) => value)

  test.each<[string, string, string[]]>([
    [
      'votes are no shares',
      'Shareholder       Votes %    Equity %\nAnn Lee             51          30\nBob Ray             49          70',
      ['Ann', 'Lee', '30', 'Bob', 'Ray', '70'],
    ],
    [
      'two headings that stand close are two',
      'Name        Title       Share E-mail\nAnn Lee     Director    60%   ann@example.com\nBob Ray     Director    40%   bob@example.com',
      ['Ann', 'Lee', '60', 'ann@example.com', 'Director', 'Bob', 'Ray', '40', 'bob@example.com', 'Director'],
    ],
    [
      'yes is no part of a name',
      'Name        Share    Director\nAnn Lee     60%      yes\nBob Ray     40%      no',
      ['Ann', 'Lee', '60', 'Bob', 'Ray', '40'],
    ],
    [
      'last names may stand first in a list',
      'Owners of the business (25% or more)\nNguyen, Thi Lan - 60%\nPruitt, Harold - 40%',
      ['Thi Lan', 'Nguyen', '60', 'Harold', 'Pruitt', '40'],
    ],
    [
      'a list below the name of the company is one',
      'Shareholders of Harbor Lane Bakery LLC\nAnn Lee   60%\nBob Ray   40%',
      ['Ann', 'Lee', '60', 'Bob', 'Ray', '40'],
    ],
    [
      'shares may be counted before their part',
      'Shareholders: Ann Lee 480 shares 60%, Bob Ray 320 shares 40%',
      ['Ann', 'Lee', '60', 'Bob', 'Ray', '40'],
    ],
    [
      'a company whose form stands in the next line is no person',
      'Partner          Share\nAnn Lee          80 %\nAgrar Invest     20 %\nGmbH, Vechta\nTotal           100 %',
      ['Ann', 'Lee', '80'],
    ],
    [
      'boxes may call the owner by a number',
      'Owner 1 First Name    Last Name    Ownership %\nAnn                   Lee          65\nOwner 2 First Name    Last Name    Ownership %\nBob                   Ray          35',
      ['Ann', 'Lee', '65', 'Bob', 'Ray', '35'],
    ],
    [
      'labels and values may take turns',
      'OWNER 1\nFirst Name    Ann      Last Name      Lee\nTitle         Member   Ownership %    100',
      ['Ann', 'Lee', '100', 'Member'],
    ],
  ])('%s', (_rule, text, values) => {
    expect(people(text)).toEqual(values)
  })
})
