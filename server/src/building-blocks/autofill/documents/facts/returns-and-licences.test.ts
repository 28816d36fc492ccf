// Returns, licences, registers and applications as their offices print them: captions over fields, names and addresses
// over several lines, the year of a form beside the year of its figures.
import { expect, test } from 'vitest'
import { type FilledCase, filledIn, ownerFilled } from '../../../../../test/documents/facts-in-text.ts'
import type { Cell, Line } from '../formats/document-text.ts'
import { findFacts } from './find-facts.ts'

const k1 = (name: string, share: string) =>
  `Schedule K-1 (Form 1120-S) 2025\nB Corporation's name, address, city, state, and ZIP code\nHarbor Lane Bakery LLC\nF1 Shareholder's name, address, city, state, and ZIP code\n${name}\n2190 N Quail Way, Eagle, ID 83616\nG Current year allocation percentage ${share} %\n`

test.each<[string, FilledCase]>([
  [
    'the share of a shareholder in the line of its caption',
    {
      text: `U.S. Income Tax Return for an S Corporation\nName: Harbor Lane Bakery LLC\n\n${k1('ANN LEE', '55.000000')}\n\n\n\n\n${k1('BOB CARTER', '45.000000')}`,
      filled: [
        ['legal_form', 'S corporation'],
        ...ownerFilled('ANN', 'LEE', '55'),
        ...ownerFilled('BOB', 'CARTER', '45'),
      ],
    },
  ],
  [
    'owners below their legal names',
    {
      text: "Applicant Business Legal Name: Harbor Lane Bakery LLC\n\nOwner's Legal Name    Title             Owned %    Date of Birth\nRenee L. Albright     Managing Member   68         09/17/1979\nOmar Farid Haddad     Member            32         02/05/1984\n",
      filled: [
        ['first_name', 'Renee L.'],
        ['last_name', 'Albright'],
        ['ownership_percent', '68'],
        ['role', 'Managing Member'],
        ['birth_date', '1979-09-17'],
        ['first_name', 'Omar Farid'],
        ['last_name', 'Haddad'],
        ['ownership_percent', '32'],
        ['role', 'Member'],
        ['birth_date', '1984-02-05'],
      ],
    },
  ],
  [
    'the place of a business goes before its box of the post',
    {
      text: 'LEGAL NAME OF LICENSEE: Harbor Lane Bakery LLC\nBUSINESS LOCATION: 4128 Mill Avenue, Port Alder, WA 98499\nMAILING ADDRESS: PO Box 7731, Port Alder, WA 98496\n',
      filled: [['registered_address', '4128 Mill Avenue, Port Alder, WA 98499']],
    },
  ],
  [
    'an address in care of somebody is only suggested',
    {
      text: 'LEGAL NAME OF LICENSEE: Harbor Lane Bakery LLC\nBusiness location: c/o Tom Law Corp, 22 Elm Street, Port Alder, WA 98499\n',
      filled: [],
    },
  ],
  [
    'an address whose country stands before its postcode',
    {
      text: 'Confirmation Statement\nCompany Name:                 HARBOR LANE BAKERY LIMITED\nRegistered Office Address:    THE OLD DYE WORKS\n                              14 CANAL STREET\n                              MACCLESFIELD\n                              CHESHIRE\n                              ENGLAND\n                              SK11 7QH\nDate:   12/12/2025\n',
      country: 'GB',
      filled: [['registered_address', 'THE OLD DYE WORKS, 14 CANAL STREET, MACCLESFIELD, CHESHIRE, ENGLAND, SK11 7QH']],
    },
  ],
  [
    'a caption that says what belongs to the address',
    {
      text: 'Company name: Harbor Lane Bakery Ltd\nRegistered address incl. Eircode\nCloonshannagh, Strokestown, Co. Roscommon, F42 YW91\n',
      country: 'IE',
      filled: [['registered_address', 'Cloonshannagh, Strokestown, Co. Roscommon, F42 YW91']],
    },
  ],
  [
    'a sentence about an address is only suggested',
    {
      text: 'Name: Harbor Lane Bakery LLC\nPrincipal Office: The principal office of the Company shall be located at 240 Mill Street, Taos, New Mexico 87571.\n',
      filled: [],
    },
  ],
  [
    'an e-mail address below a caption is no address',
    {
      text: 'Name: Harbor Lane Bakery LLC\nPrimary Business Address: 14 Mill Road, Chesapeake, VA 23320\nPrimary Contact    Primary Contact Email Address\nRenee Albright     renee@mills.example\n',
      filled: [['registered_address', '14 Mill Road, Chesapeake, VA 23320']],
    },
  ],
  [
    'the name of a sole trader’s business',
    {
      text: 'Self-employment (full)\nTax year 6 April 2025 to 5 April 2026\nYour name: Ann Lee\n1  Business name – unless it is in your own name     Lee Joinery\n',
      country: 'GB',
      name: 'Ann Lee',
      filled: [
        ['trading_name', 'Lee Joinery'],
        ['legal_form', 'Sole proprietor'],
        ['first_name', 'Ann'],
        ['last_name', 'Lee'],
      ],
    },
  ],
  [
    'staff with those who work part time',
    {
      text: 'Firmenwortlaut: Harbor Lane Bakery KG\nBeschäftigte (Köpfe, inkl. Teilzeit)    9\n',
      country: 'AT',
      filled: [['employee_count', '9']],
    },
  ],
  [
    'but not those who work part time alone',
    {
      text: 'Firmenwortlaut: Harbor Lane Bakery KG\nBeschäftigte in Teilzeit    9\n',
      country: 'AT',
      filled: [],
    },
  ],
  [
    'a tax number below the office that has given it',
    {
      text: 'Harbor Lane Bakery GmbH\nSitz:             Mühlweg 41, 72458 Albstadt\nFinanzamt:        Balingen\nSteuernummer:     53093/14872\n',
      country: 'DE',
      filled: [
        ['registered_address', 'Mühlweg 41, 72458 Albstadt'],
        ['tax_id', '53093/14872'],
      ],
    },
  ],
  [
    'but not below a tax adviser',
    {
      text: 'Harbor Lane Bakery GmbH\nSitz:             Mühlweg 41, 72458 Albstadt\nSteuerberater:    Balingen\nSteuernummer:     53093/14872\n',
      country: 'DE',
      filled: [['registered_address', 'Mühlweg 41, 72458 Albstadt']],
    },
  ],
  [
    'the phone beside a home address is nobody’s business',
    {
      text: 'Name: Harbor Lane Bakery\n10 Anschrift der Wohnung                  Telefon-Nr. / Mobil\nMühlweg 117, 96052 Bamberg                0170 8841 2076\n',
      country: 'DE',
      filled: [],
    },
  ],
  [
    'the year of a form is not that of its figures',
    {
      text: "N° 2065-SD\n2026\nExercice ouvert le 01/01/2025     et clos le 31/12/2025\nDésignation de l'entreprise : Harbor Lane Bakery SAS\n\n                                Exercice N\nChiffres d'affaires nets        3 001 042\n",
      country: 'FR',
      filled: [['annual_revenue', '3001042.00']],
    },
  ],
  [
    'the beginning of a year is not its end',
    {
      text: 'Franchise Tax Report\nTaxpayer name: Harbor Lane Bakery LLC\nAccounting year begin date    Accounting year end date\n01/01/2025                    12/31/2025\nTotal revenue    5,266,940\n',
      filled: [['annual_revenue', '5266940.00']],
    },
  ],
  [
    'whoever writes `yo` and the name',
    {
      text: 'De: Ann Lee <ann@harborlanebakery.example>\nPara: Banco <b@banco.example>\nAsunto: datos\n\nRazón social: Harbor Lane Bakery, S.L.\nSocios: yo, Ann Lee Mora, tengo el 60 % y mi hermano Vicente Lee Mora el 40 %\nHarbor Lane Bakery, S.L.\n',
      country: 'ES',
      filled: ownerFilled('Ann', 'Lee Mora', '60'),
    },
  ],
  [
    'the state of an address is no region',
    {
      text: 'Denominación/Razón Social:    HARBOR LANE BAKERY\nNombre de Vialidad: MORELOS      Número Exterior: 12\nCódigo Postal: 45645      Nombre del Municipio: TLAJOMULCO\nEstado del domicilio: LOCALIZADO\n',
      country: 'MX',
      filled: [['registered_address', 'MORELOS 12, 45645 TLAJOMULCO']],
    },
  ],
  [
    'what has come together up to December, where the year is that of the calendar by law',
    {
      text: 'HARBOR LANE BAKERY S.A. DE C.V.\nEstado de Resultados, del 01/Dic/2025 al 31/Dic/2025\n\n                       Periodo        %       Acumulado       %\nVENTAS                 2,218,406.77   101.9   24,880,917.35   101.6\nDEVOLUCIONES           -41,330.10     -1.9    -388,204.66     -1.6\nTotal INGRESOS         2,177,076.67   100%    24,492,712.69   100%\n',
      country: 'MX',
      filled: [['annual_revenue', '24492712.69']],
    },
  ],
  [
    'but not up to another month, nor where the year may end in any month',
    {
      text: 'HARBOR LANE BAKERY S.A. DE C.V.\nEstado de Resultados, del 01/Nov/2025 al 30/Nov/2025\n\n                       Periodo        %       Acumulado       %\nTotal INGRESOS         2,177,076.67   100%    24,492,712.69   100%\n',
      country: 'MX',
      filled: [],
    },
  ],
  [
    'the last given name below the others, where people have two family names',
    {
      text: 'Razón social: HARBOR LANE BAKERY S.R.L.\n\nNro.Doc.     Apellidos y Nombres                Vínculo     Porcentaje\n29000004     CHOQUEHUANCA LLERENA MILAGROS      SOCIO       62.50\n             ELENA\n40000008     ZEGARRA PAREDES IVÁN RODRIGO       SOCIO       37.50\n',
      country: 'PE',
      filled: [
        ['first_name', 'MILAGROS ELENA'],
        ['last_name', 'CHOQUEHUANCA LLERENA'],
        ['ownership_percent', '62.50'],
        ['first_name', 'IVÁN RODRIGO'],
        ['last_name', 'ZEGARRA PAREDES'],
        ['ownership_percent', '37.50'],
      ],
    },
  ],
  [
    'the next caption is no address',
    {
      text: 'Name: Harbor Lane Bakery\n12 Anschrift der Betriebsstätte\nUntere Straße 26, 96052 Bamberg\n13 Anschrift der Hauptniederlassung\n\n14 Anschrift der früheren Betriebsstätte\n',
      country: 'DE',
      filled: [['registered_address', 'Untere Straße 26, 96052 Bamberg']],
    },
  ],
  [
    'the town of a company above its court is no address',
    {
      text: 'Liste der Gesellschafter\nder Harbor Lane Bakery GmbH\nmit dem Sitz in Göttingen\nAmtsgericht Göttingen, HRB 207316\n',
      country: 'DE',
      filled: [['registration_number', 'HRB 207316']],
    },
  ],
  [
    'the numbers of a Peruvian business',
    {
      text: 'FICHA RUC: 20601847352\nRazón Social: HARBOR LANE BAKERY S.R.L.\nNúmero de Partida Registral:   11347726\n',
      country: 'PE',
      filled: [
        ['tax_id', '20601847352'],
        ['registration_number', '11347726'],
      ],
    },
  ],
])('%s', (_, { text, country, name, filled }) => {
  expect(filledIn(text, country, name)).toEqual(filled)
})

/** A caption or what was printed, and a field that was filled in. */
const cell = (text: string, left: number, field?: string): Cell => ({
  text,
  left,
  right: left + 5 * text.length,
  ...(field !== undefined && { field }),
})

function factsOf(lines: Line[], country: string, legal_name: string) {
  const text = { pages: [{ number: 1, lines }] }
  return findFacts(text, { legal_name, trading_name: null, country }, '2026-11-16').facts
}

function filledInForm(lines: Line[], country: string, legal_name: string) {
  const facts = factsOf(lines, country, legal_name)
  return Object.fromEntries(facts.filter(({ confidence }) => confidence >= 0.85).map((one) => [one.fact, one.text]))
}

test('the parts of a name in fields below their captions, whatever stands beside these', () => {
  const lines = [
    [cell('2025', 40), cell('Anlage EÜR', 300)],
    [cell('1', 30), cell('Name des Steuerpflichtigen bzw. der Gesellschaft', 40), cell('Einnahmenüberschuss', 360)],
    [cell('Oberländer', 40, 'Z1_Name'), cell('für das Kalenderjahr 2025', 360)],
    [],
    [cell('2', 30), cell('Vorname', 40), cell('Beginn', 360), cell('01.01.2025', 400, 'Beginn')],
    [cell('Franziska Ruth', 40, 'Z2_Vorname')],
  ]
  expect(filledInForm(lines, 'DE', 'Franziska Oberländer')['business.legal_name']).toBe('Franziska Ruth Oberländer')
})

test('an address without a number, in the fields of a form that asks for its town below', () => {
  const lines = [
    [cell('Raison sociale', 40), cell('Menuiserie Roche et Fils', 170, 'nom')],
    [],
    [cell('Adresse du siège', 40), cell('Route de Muret, Lieu-dit La Crouzette', 170, 'adresse')],
    [],
    [cell('Code postal', 40), cell('31600', 170, 'cp'), cell('Ville', 250), cell('Eaunes', 290, 'ville')],
  ]
  expect(filledInForm(lines, 'FR', 'Menuiserie Roche')['business.registered_address']).toBe(
    'Route de Muret, Lieu-dit La Crouzette, 31600 Eaunes',
  )
})

test('a legal name that ends in the next line of its cell, where the record lacks its end', () => {
  const [begin, end] = ['HARBOR LANE BAKERY', 'KITCHENS LIMITED']
  const lines = [
    [cell('Company Tax Return', 40)],
    [cell('Company name', 71), { text: begin, left: 447, right: 555 }],
    [{ text: end, left: 463, right: 555 }],
    [cell('Company registration number', 71), { text: '05873312', left: 512, right: 555 }],
  ]
  const { 'business.legal_name': name, 'business.registration_number': number } = filledInForm(
    lines,
    'GB',
    'Harbor Lane Bakery',
  )
  expect([name, number]).toEqual([`${begin} ${end}`, '05873312'])
})

test('what is struck out in a Swiss register does not hold, and what goes on in the next column does', () => {
  const at = (text: string, left: number) => cell(text, left)
  const lines = [
    [at('Extrait du registre du commerce', 40)],
    [at('In', 44), at('Ra', 76), at('Raison de commerce', 115), at('Réf.', 414), at('Siège', 462)],
    [at('1', 44), at('4', 76), at('Pittet Rénovation Sàrl', 115), at('1', 414), at('Échallens', 462)],
    [at('4', 44), at('Pittet & Rossier Rénovation Sàrl', 115)],
    [],
    [at('In', 44), at('Ra', 70), at('Capital', 101), at('In', 230), at('Ra', 255), at('Adresse de la société', 286)],
    [at('1', 44), at('20’000.00', 101), at('1', 230), at('6', 255), at('Grand’Rue 12, 1040 Échallens', 286)],
    [at('6', 230), at('Route de Lausanne 45, 1040 Échallens', 286)],
  ]
  const told = factsOf(lines, 'CH', 'Pittet Rossier Rénovation').map(({ text }) => text)
  expect(told).toEqual(
    expect.arrayContaining(['Pittet & Rossier Rénovation Sàrl', 'Route de Lausanne 45, 1040 Échallens']),
  )
  expect(told.join()).not.toMatch(/Grand|Pittet Rénovation/)
})

test('the town of whoever fills in a W-9 stands below its caption, not beside it', () => {
  const lines = [
    [cell('Name: Sandpiper Marine LLC', 48)],
    [],
    [cell('5 Address (number, street, and apt. or suite no.)', 48), cell("Requester's name and address", 400)],
    [{ text: '1408 Harborside Blvd', left: 56, right: 386 }, cell('Gulf States Finance', 400)],
    [cell('6 City, state, and ZIP code', 48), cell('77 Canal Plaza, New Orleans LA 70130', 400)],
    [{ text: 'Pensacola, FL 32501', left: 56, right: 386 }],
  ]
  expect(filledInForm(lines, 'US', 'Sandpiper Marine')['business.registered_address']).toBe(
    '1408 Harborside Blvd, Pensacola, FL 32501',
  )
})
