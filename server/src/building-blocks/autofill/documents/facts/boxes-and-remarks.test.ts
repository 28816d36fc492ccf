// Forms with a box for each letter, remarks in brackets, lines with the next line of the form beside them, registers and
// small print of single countries, and documents that somebody else has written about the business.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn } from '../../../../../test/documents/facts-in-text.ts'

const own = 'Lee Bakery Ltd\nCompany number: 01234567\n'
/** Without the number of the head. */
const toldIn = (text: string, country = 'GB', head = own) =>
  filledIn(`${head}${text}\n`, country, 'Lee Bakery').filter(([fact]) => fact !== 'registration_number')

test('a form with a box for each letter', () => {
  const text = `Company Tax Return
1   Company name
    L E E   B A K E R Y   L T D
2   Company registration number   1 0 2 6 6 1 9 4
3   Tax reference                 4 4 1 8 8 3 0 2 7 6
30  from DD MM YYYY               0 1   0 1   2 0 2 5
35  to DD MM YYYY                 3 1   1 2   2 0 2 5
145 Total turnover from trade     £   2 , 8 8 4 , 6 1 0 . 0 0`
  expect(filledIn(text, 'GB', 'Lee Bakery')).toEqual(
    expect.arrayContaining([
      ['registration_number', '10266194'],
      ['tax_id', '4418830276'],
      ['annual_revenue', 'GBP 2884610.00'],
    ]),
  )
})

describe('behind an amount', () => {
  test.each([
    ['Turnover y/e 31 Jan 2026: £742,318   (y/e Jan 2025: £690,402)', [['annual_revenue', 'GBP 742318.00']]],
    [
      'Turnover 2025: £612,480 net, net profit after tax £38,215',
      [
        ['annual_revenue', 'GBP 612480.00'],
        ['annual_profit', 'GBP 38215.00'],
      ],
    ],
    // The second has a year of its own.
    ['Turnover 2025: £612,480, net profit 2024 £38,215', []],
  ])('%s', (text, facts) => expect(toldIn(text)).toEqual(facts))

  test('the next line of a form is none', () => {
    const text = `Form 1120   U.S. Corporation Income Tax Return
For calendar year 2025
Name   LEE BAKERY INC
1 Net income (loss) per books   162,770   7 Income recorded on books this year not included on this return
2 Net income (loss) per books   162,770 7 Add lines 5 and 6   60,000`
    expect(filledIn(text, 'US', 'Lee Bakery Inc')).toContainEqual(['annual_profit', '162770.00'])
  })
})

describe('the tax office that has given a number', () => {
  const head = 'Lee Bakery GmbH\nHandelsregister: Amtsgericht Leipzig, HRB 38417\n'
  test.each([
    'Steuernummer: 231/115/08342 (Finanzamt Leipzig II)',
    'Finanzamt / Steuernummer   Leipzig, 231/115/08342',
  ])('is nobody else: %s', (text) => expect(toldIn(text, 'DE', head)).toEqual([['tax_id', '231/115/08342']]))

  test('has a phone of its own', () => {
    const text = `Partnership Tax Return 2026
Partnership name: Lee Bakery
Issued by: Self Assessment, HM Revenue and Customs,
BX9 1AS
Telephone 0300 200 3310`
    expect(filledIn(text, 'GB', 'Lee Bakery')).toEqual([])
  })
})

describe('employees', () => {
  const report = (text: string) => `Jahresabschluss zum 31. Dezember 2025\nLee Bakery GmbH\n${text}\n`
  test.each([
    ['DE', report('Im Jahresdurchschnitt waren 27 Arbeitnehmer beschäftigt (Vorjahr: 25).'), '27'],
    ['DE', 'Lee Bakery GmbH\nMitarbeiter:innen (inkl. 2 Lehrlinge)\n11\n', '11'],
    [
      'ES',
      'Cuentas anuales 2025\nLee Bakery SL\nEl número medio de personas empleadas durante el ejercicio 2025 ha sido de 112 (109 en 2024), de las que 78 son mujeres.\n',
      '112',
    ],
    [
      'NZ',
      'Financial Statements\nLee Bakery Limited\nFor the year ended 31 March 2026\n\n5. Employees. At balance date the company had 8 employees (2025: 7).\n',
      '8',
    ],
  ])('%s: %s', (country, text, count) =>
    expect(filledIn(text, country, 'Lee Bakery')).toContainEqual(['employee_count', count]),
  )

  test('who were paid in a month are not all there are', () => {
    expect(
      toldIn('Payroll Activity Summary\nFor the period 1 to 31 October 2026\nEmployees paid in period   8'),
    ).toEqual([])
  })
})

describe('columns', () => {
  const table = (heads: string, rows: string) =>
    `Profit and Loss\nLee Bakery Ltd\nFor the year ended 30 June 2026\n\n${heads}\n${rows}\n`
  test('of days with short years', () => {
    const text = table('Account   30 Jun 26   30 Jun 25', 'Total Turnover   759,231.15   693,455.75')
    expect(filledIn(text, 'GB', 'Lee Bakery')).toEqual([['annual_revenue', '759231.15']])
  })

  test('that all say the same', () => {
    const text = table('Account   Debits   Balance   Gains', 'Turnover   412,883   412,883   412,883')
    expect(filledIn(text, 'GB', 'Lee Bakery')).toEqual([['annual_revenue', '412883.00']])
  })

  test('of costs, such as fees, are no revenue', () => {
    const text = table('Account   2026   2025', 'Sales   759,231   693,455\nAccounting fees   9,800   9,350')
    expect(filledIn(text, 'GB', 'Lee Bakery')).toEqual([['annual_revenue', '759231.00']])
  })
})

describe('written by somebody else', () => {
  test.each([
    [
      'FR',
      'ARMORIQUE ASSURANCES\nATTESTATION D’ASSURANCE DÉCENNALE\nAssuré   LEE TOITURES SARL\nN° SIREN   901 274 662\n',
    ],
    ['ES', 'Mutua Castellana de Seguros\nCERTIFICADO DE SEGURO\nTomador   LEE TOITURES SL\nNIF   B37551900\n'],
    ['US', 'CERTIFICATE OF LIABILITY INSURANCE\nInsured   LEE TOITURES LLC\nFEIN   12-3456789\n'],
  ])('certificates of insurers, %s', (country, text) => expect(filledIn(text, country, 'Lee Toitures')).toEqual([]))

  test('an invoice is by whoever stands above the one it is written to', () => {
    const text = `Mármoles Lee
MÁRMOLES Y GRANITOS LEE, S.L.   FACTURA
NIF B73618407
Ctra. de Granada, km 2   Nº 2026/0418
30430 Cehegín (Murcia)   Fecha: 27/10/2026

Cliente
COCINAS LEVANTE HOGAR, S.L.
NIF B30557185
Avda. Juan Carlos I, 61
30800 Lorca (Murcia)`
    expect(filledIn(text, 'ES', 'Mármoles y Granitos Lee')).toEqual([['tax_id', 'B73618407']])
    expect(filledIn(text, 'ES', 'Cocinas Levante Hogar')).toEqual([])
  })
})

test('the number of an entry is no part of a name', () => {
  const text = `REPUBLIK ÖSTERREICH
FIRMENBUCH
Auszug mit aktuellen Daten   FN 418273 k

FIRMA
1 Lee Installationen OG`
  const names = factsIn(text, 'AT', 'Lee Installationen').filter(({ fact }) => fact === 'business.legal_name')
  expect(names.map(({ text: name, confidence }) => [name, confidence])).toEqual([['Lee Installationen OG', 0.9]])
})

test('the form of a French company stands with its capital', () => {
  const head = 'LEE BOULANGERIE\n'
  const clause = 'Société à responsabilité limitée au capital de 50 000 euros\n'
  const form = ['legal_form', 'Société à responsabilité limitée']
  expect(filledIn(`${head}${clause}821 704 590 RCS Toulouse\n`, 'FR', 'Lee Boulangerie')).toContainEqual(form)
  expect(filledIn(`${head}AUTRE SOCIÉTÉ\n${clause}`, 'FR', 'Lee Boulangerie')).not.toContainEqual(form)
})

test('what a form says of a label is not what was filled in', () => {
  const text = `Employer's QUARTERLY Federal Tax Return
Name (not your trade name) Lee Bakery LLC
Trade name (if any) Best Bread   ☐ 1: January, February, March`
  expect(filledIn(text, 'US', 'Lee Bakery LLC')).toContainEqual(['trading_name', 'Best Bread'])
})

test('an address ends with its sentence', () => {
  const text =
    'Registered office: 2755 Industrial Way, Grand Junction, CO 81505. That is the main gym, 410 N 1st St opens later.'
  expect(toldIn(text, 'US')).toEqual([['registered_address', '2755 Industrial Way, Grand Junction, CO 81505']])
})

test('the number of a box before a number is none', () => {
  const text = 'Company Tax Return\nCompany name   1   LEE BAKERY LTD\nCompany registration number   2   08630274\n'
  expect(filledIn(text, 'GB', 'Lee Bakery')).toContainEqual(['registration_number', '08630274'])
})

test('of legal forms with the numbers of their boxes, the one with a cross', () => {
  const text = 'Denominación social: LEE PAN\nForma jurídica: SA: 01011   SL: 01012   X   Otras: 01013\n'
  expect(filledIn(text, 'ES', 'Lee Pan')).toContainEqual(['legal_form', 'SL'])
  expect(filledIn(text.replace('   X', ''), 'ES', 'Lee Pan')).toEqual([])
})

test('a section of a register for the names a business trades under', () => {
  const text =
    'Profile Report\nLEE BAKERY INC. as of October 22, 2026\nType   Ontario Business Corporation\nName   LEE BAKERY INC.\n\nActive Business Names\n\nName   BEST BREAD\n\nExpired Business Names\n\nName   OLD BREAD\n'
  expect(filledIn(text, 'CA', 'Lee Bakery').filter(([fact]) => fact === 'trading_name')).toEqual([
    ['trading_name', 'BEST BREAD'],
  ])
})

test('the issuer of an invoice stands below that word', () => {
  const text = `ALFAMBRA estructuras
Datos del emisor                Cliente
Estructuras Lee, S.L.           Promociones Javalambre, S.A.
NIF: B44229185                  NIF: A33620477

FACTURA F26-0231`
  const sureNames = (name: string) =>
    factsIn(text, 'ES', name).flatMap((one) =>
      one.fact === 'business.legal_name' && one.confidence >= 0.85 ? [one.text] : [],
    )
  expect(sureNames('Estructuras Lee')).toEqual(['Estructuras Lee, S.L.'])
  expect(sureNames('Promociones Javalambre')).toEqual([])
})
