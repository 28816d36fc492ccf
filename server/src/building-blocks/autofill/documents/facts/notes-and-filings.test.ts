// Notes with several facts in a line, what founds a company, boxes of returns, and what payrolls, banks and cap tables
// write beside the names and numbers of a business.
import { describe, expect, test } from 'vitest'
import { factsIn } from '../../../../../test/documents/facts-in-text.ts'

const filled = (text: string, country: string, name: string): Record<string, string> =>
  Object.fromEntries(
    factsIn(text, country, name).flatMap(({ fact, text: value, confidence }) =>
      confidence >= 0.85 ? [[fact.slice(fact.indexOf('.') + 1), value]] : [],
    ),
  )
const ownersIn = (text: string, country: string, name: string) =>
  factsIn(text, country, name).flatMap(({ fact, text: value, confidence }) =>
    /^owner\.(?:first_name|last_name|ownership_percent)$/.test(fact) && confidence >= 0.85 ? [value] : [],
  )

describe('several facts in a line of a note', () => {
  test.each<[string, string, Record<string, string>]>([
    [
      'a dash before the next label',
      'Company: Corrib Marine Ltd - CRO no. 612940\nTurnover 2025: €1,127,400 - net profit 2025: €83,615\nStaff: 9 - VAT IE 3317045QH',
      {
        annual_revenue: 'EUR 1127400.00',
        annual_profit: 'EUR 83615.00',
        employee_count: '9',
        registration_number: '612940',
        tax_id: 'IE 3317045QH',
      },
    ],
    [
      'a semicolon, and the year once',
      'Corrib Marine Ltd\nTurnover 2025: €1,127,400; profit after tax: €83,615.',
      { annual_revenue: 'EUR 1127400.00', annual_profit: 'EUR 83615.00' },
    ],
    [
      'a year before all of them',
      'Corrib Marine Ltd\nFY2025: revenue €1,127,400, net profit €83,615, staff 9',
      { annual_revenue: 'EUR 1127400.00', annual_profit: 'EUR 83615.00', employee_count: '9' },
    ],
    ['a plan before all of them', 'Corrib Marine Ltd\nPlan 2027: revenue €1,127,400, net profit €83,615', {}],
    ['a quarter before all of them', 'Corrib Marine Ltd\nQ1 2025: revenue €127,400, net profit €8,615', {}],
    [
      'a plan behind a dash',
      'Corrib Marine Ltd\nTurnover 2025: €1,127,400 - forecast 2026: €1,300,000',
      {
        annual_revenue: 'EUR 1127400.00',
      },
    ],
    ['a dash of a range', 'Corrib Marine Ltd\nTurnover 2025: €1,100,000 - €1,200,000', {}],
  ])('%s', (_name, text, expected) => {
    expect(filled(text, 'IE', 'Corrib Marine Ltd')).toEqual({ legal_name: 'Corrib Marine Ltd', ...expected })
  })
})

describe('what founds a company in the United States', () => {
  const certificate = (title: string) => `State of Delaware            Delivered 10:42 AM 02/21/2018
Secretary of State           FILED 10:42 AM 02/21/2018
Division of Corporations     SR 20181184420 - File Number 6764193
${title}
OF
QUILL & CLOVER STATIONERS, INC.

FIRST: The name of this corporation is Quill & Clover Stationers, Inc.
SECOND: The address of the registered office of the Corporation in the State of Delaware is 850
Silver Lake Boulevard, Suite 31, Dover, Delaware 19904. The name of its registered agent at
such address is First Colony Registered Agents, LLC.
IN WITNESS WHEREOF, the undersigned has executed this Certificate on February 20, 2018.
`

  test('is filed on the day of the stamp, under the number of the file, with a registered office and a form', () => {
    expect(filled(certificate('CERTIFICATE OF INCORPORATION'), 'US', 'Quill & Clover Stationers')).toEqual({
      legal_name: 'QUILL & CLOVER STATIONERS, INC.',
      legal_form: 'Corporation',
      founded_on: '2018-02-21',
      registration_number: '6764193',
      registered_address: '850 Silver Lake Boulevard, Suite 31, Dover, Delaware 19904',
    })
  })

  test('whoever only changes its articles was there before', () => {
    const text = certificate('AMENDED CERTIFICATE OF INCORPORATION')
    expect(filled(text, 'US', 'Quill & Clover Stationers').founded_on).toBeUndefined()
  })

  test('the stamp may have its day below it', () => {
    const text = `KANSAS SECRETARY OF STATE          FILED
Business Services Division         Date: March 18, 2019
Topeka, KS 66612                   Entity ID No.: 8214407

ARTICLES OF ORGANIZATION
1. Name of the limited liability company: Prairie Lark Welding LLC
Signature of organizer: Helen Stauffer   Date: March 15, 2019
`
    expect(filled(text, 'US', 'Prairie Lark Welding')).toMatchObject({
      founded_on: '2019-03-18',
      registration_number: '8214407',
    })
  })
})

describe('boxes', () => {
  test('of a W-9: a tick before `LLC.` and a number in three of them', () => {
    const text = `Form W-9   Request for Taxpayer Identification Number and Certification
1 Name of entity/individual. An entry is required.
Larkspur Events LLC
☐ Individual/sole proprietor   ☐ C corporation   ☐ Partnership
☒  LLC. Enter the tax classification (C = C corporation, S = S corporation, P = Partnership)   P
Employer identification number
57   -   2047716
`
    expect(filled(text, 'US', 'Larkspur Events LLC')).toMatchObject({ legal_form: 'LLC', tax_id: '57-2047716' })
  })

  test('of a T2: the head office, not where letters go, and no phone of whoever signs', () => {
    const text = `T2 Corporation Income Tax Return
002   Corporation's name   Fundy Shore Aquaculture Inc.
010   Address of head office: Has this address changed?   2 No
011   Street   188 Lighthouse Road
015   City   Digby
016   Province, territory or state   NS
018   Postal or ZIP code   B0V 1A0
020   Mailing address (if different): changed?   2 No
022   Street   300-1741 Lower Water Street
025   City   Halifax
026   Province   NS
028   Postal code   B3J 0J2
958   Name of other authorized person   Bradley Chute
959   Telephone number   902-555-0110
`
    const facts = filled(text, 'CA', 'Fundy Shore Aquaculture')
    expect(facts.registered_address).toBe('188 Lighthouse Road, Digby, NS B0V 1A0')
    expect(facts.phone).toBeUndefined()
  })

  test('for all who work full time, part time and both: the last', () => {
    const text = (total: string) => `Business loan application
Legal name of business   Silver Creek Brewing LLC
Full-time employees   Part-time employees   Total
14                    8                     ${total}
`
    expect(filled(text('22'), 'US', 'Silver Creek Brewing').employee_count).toBe('22')
    expect(filled(text('31'), 'US', 'Silver Creek Brewing').employee_count).not.toBe('31')
  })

  test('`Principal place of business: street`, over the street', () => {
    const text = `Business loan application
Legal name of business   Silver Creek Brewing LLC
Principal place of business: street   City        State   ZIP
415 N Water Street                    Silverton   OR      97381
`
    expect(filled(text, 'US', 'Silver Creek Brewing').registered_address).toBe(
      '415 N Water Street, Silverton, OR 97381',
    )
  })
})

describe('what stands beside the facts of a business', () => {
  test.each([
    ['0R41 - Lehigh Precast Products Inc', 'Lehigh Precast Products Inc'],
    ['33107 - Lehigh Precast Products Inc', 'Lehigh Precast Products Inc'],
    ['10482/31 Lehigh Precast Products Inc', 'Lehigh Precast Products Inc'],
  ])('the number of a client before its name: %s', (written, name) => {
    expect(filled(`Payroll summary\nCompany   ${written}\n`, 'US', 'Lehigh Precast Products').legal_name).toBe(name)
  })

  test('a number may be a part of the name', () => {
    const text = 'Company details\nLegal name   1889 Brewing Company LLC\n'
    expect(filled(text, 'US', '1889 Brewing Company').legal_name).toBe('1889 Brewing Company LLC')
  })

  test('where people work is not where the business has its seat', () => {
    const text = 'Payroll summary\nCompany   Lehigh Precast Inc\nWork location   1140 Quarry Rd, Coplay, PA 18037\n'
    expect(filled(text, 'US', 'Lehigh Precast').registered_address).toBeUndefined()
  })

  test('employees among those who hold options are nobody to count', () => {
    const text = `Pelagic Sensors, Inc. - Ledger of holders
Holder                      Relationship   Common    Options   % of issued shares
Ingrid Solheim              Founder, CEO   4100000   0         80%
Joanna Pruitt               Advisor        1000000   150000    20%
Other option holders (11)   Employees      0         7500      0%
`
    expect(filled(text, 'US', 'Pelagic Sensors Inc').employee_count).toBeUndefined()
  })

  test('a bank writes to its customer of the day an account was opened', () => {
    const text = `Cape Union Commercial Bank
15 Willie van Schoor Avenue, Bellville 7530

The Directors
Overberg Cold Chain (Pty) Ltd
9 Industria Crescent
Caledon 7230

BANK CONFIRMATION LETTER
Dear Sirs
Account holder        Overberg Cold Chain (Pty) Ltd
Registration number   2014/117302/07
Date opened           17 March 2015
Balance at close of business 29 October 2026   R 412 880,15 Cr
`
    expect(filled(text, 'ZA', 'Overberg Cold Chain')).toEqual({})
  })

  test('small print that runs on: the address and the number in the next line, and by what name it trades', () => {
    const text = `QUOTATION Q-2026-0318
Slieve Bloom Stonework is a registered business name of Hoare & Guinan Masonry Limited. Registered in Ireland No. 548219. Registered Office: The
Mill, Clonaslee, Co. Laois R32 PK09. VAT Reg. No. IE 3317045QH.
`
    expect(filled(text, 'IE', 'Hoare & Guinan Masonry')).toMatchObject({
      trading_name: 'Slieve Bloom Stonework',
      registration_number: '548219',
      registered_address: 'The Mill, Clonaslee, Co. Laois R32 PK09',
      tax_id: 'IE 3317045QH',
    })
  })

  test('a title that speaks of owners begins what their company keeps', () => {
    const text = `LIBRO REGISTRO DE SOCIOS
Denominación: TALLERES MECÁNICOS GOIKOA, S.L.
C.I.F.: B-95220418
Datos registrales   Registro Mercantil de Bizkaia, Tomo 214, Folio 88, Hoja BI-40877
`
    expect(filled(text, 'ES', 'talleres goikoa')).toMatchObject({
      legal_name: 'TALLERES MECÁNICOS GOIKOA, S.L.',
      tax_id: 'B-95220418',
      registration_number: 'BI-40877',
    })
  })

  test('the number of an auditor below the post is not that of the company', () => {
    const text = `REGISTRO MERCANTIL DE BARCELONA
Denominación:   TEXTILES LLOBERA SA
N.I.F.:   A08817342
Nombre:   AUDITORES LAIETANS SLP
Cargo:   AUDITOR DE CUENTAS
NIF:   B61550021
`
    expect(filled(text, 'ES', 'Textiles Llobera S.A.').tax_id).toBe('A08817342')
  })
})

describe('owners', () => {
  test('of a list behind another one, with companies whose names run over three lines', () => {
    const text = `Business Profile (Company)
Company Name   STRAITS ORCHID LOGISTICS PTE. LTD.
Officers
Name              ID          Nationality   Position    Date of appointment
TAN WEI LING      S****412D   SINGAPORE     Director    02/06/2017
CHUA SOCK HOON    S****330A   SINGAPORE     Secretary   11/01/2020
Shareholders
Name              ID / UEN     Ordinary shares   % of issued shares   Address
TAN WEI LING      S****412D    137500            80.00                12 JALAN LEMPENG
MERLION FREIGHT   200914477C   50000             20.00                7 TEMASEK BLVD
HOLDINGS PTE.                                                         #18-01 S(038987)
LTD.
`
    expect(ownersIn(text, 'SG', 'Straits Orchid Logistics')).toEqual(['WEI LING', 'TAN', '80.00'])
  })

  test('of a form that asks for last and first names one below the other, below a heading with a condition', () => {
    const text = `Fiche d'identification client
Dénomination sociale   Meuse Traiteur

C. Bénéficiaires effectifs (plus de 25 % des parts ou des droits de vote)
Bénéficiaire 1
Nom   Dethier
Prénom(s)   Sophie M.
Pourcentage détenu   55
Bénéficiaire 2
Nom   Nyembo
Prénom(s)   Patrick
Pourcentage détenu   45
`
    const expected = ['Sophie M.', 'Dethier', '55', 'Patrick', 'Nyembo', '45']
    expect(ownersIn(text, 'BE', 'Meuse Traiteur')).toEqual(expected)
  })
})

describe('periods', () => {
  test('a full year beside nine months of two others, in headings of two lines, is the one to take', () => {
    const text = `Thornbury Joinery Limited
Management accounts for the nine months ended 30 September 2026
Profit and loss account
                         9 months to 30   9 months to 30   Year to 31 Dec
                         Sep 2026 £       Sep 2025 £       2025 £
Turnover                 2,108,554        1,877,940        2,644,071
Taxation                 (54,448)         (36,463)         (57,162)
(estimated)
Profit after taxation    163,343          109,390          181,012
`
    expect(filled(text, 'GB', 'Thornbury Joinery')).toMatchObject({
      annual_revenue: 'GBP 2644071.00',
      annual_profit: 'GBP 181012.00',
    })
  })

  test('the day on which the year before ended is not that of this one', () => {
    const text = `Dénomination : SARL MENUISERIE LE GALLOU   Exercice du 01/04/2025 au 31/03/2026
Durée : 12 mois — Exercice N-1 clos le 31/03/2025
COMPTE DE RÉSULTAT
                          Exercice N   Exercice N-1
CHIFFRE D'AFFAIRES NET    1 404 595    1 298 209
`
    expect(filled(text, 'FR', 'Menuiserie Le Gallou').annual_revenue).toMatch(/^(?:EUR )?1404595\.00$/)
  })
})
