// What registers, tax offices and lenders print in forms of their own: parts of names and addresses in boxes, sections about
// others before those about the business, numbers of boxes beside figures.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn, ownName } from '../../../../../test/documents/facts-in-text.ts'

const valuesOf = (fact: string, text: string, country?: string, name?: string) =>
  factsIn(text, country, name).flatMap((one) => (one.fact === fact && one.confidence >= 0.85 ? [one.text] : []))

describe('a person whose name is asked for in parts', () => {
  const registration = (heading: string, name = 'Krüger') => `Gewerbe-Anmeldung
${heading}
3 Name            4 Vornamen
${name}           Janina Eva
6 Geburtsdatum    7 Geburtsort
26.02.1991        Parchim
Angaben zum Betrieb
12 Anschrift der Betriebsstätte
Wismarsche Straße 112, 19053 Schwerin`

  test('is the business of the record, and owns it', () => {
    expect(factsIn(registration('Angaben zum Betriebsinhaber'), 'DE', 'Janina Krüger').map(fact)).toEqual(
      expect.arrayContaining([
        ['business.legal_name', 'Janina Eva Krüger', 0.9],
        ['business.registered_address', 'Wismarsche Straße 112, 19053 Schwerin', 0.9],
        ['owner.first_name', 'Janina Eva', 0.9],
        ['owner.last_name', 'Krüger', 0.9],
        ['owner.birth_date', '1991-02-26', 0.9],
      ]),
    )
  })

  test('is nobody of the business if the record has another name', () => {
    const filled = filledIn(registration('Angaben zum Betriebsinhaber', 'Weber'), 'DE', 'Janina Krüger')
    expect(filled.filter(([name]) => name !== 'first_name' && name !== 'last_name' && name !== 'birth_date')).toEqual(
      [],
    )
  })

  test('is no owner without a heading that says so', () => {
    const facts = factsIn(registration('Angaben zum Geschäftsführer'), 'DE', 'Best Bread')
    expect(facts.filter((one) => one.fact.startsWith('owner'))).toEqual([])
  })

  test('may stand behind dots', () => {
    const text = 'Angaben zum Betriebsinhaber\n3  Name ............ Sahin\n4  Vornamen ........ Emre'
    expect(valuesOf('owner.last_name', text, 'DE', 'Emre Sahin')).toEqual(['Sahin'])
  })

  test('is written with the family name first by registers', () => {
    const text = `SITUATION AU RÉPERTOIRE SIRENE
Entreprise active depuis le 02/05/2018
Identifiant SIREN   839 206 514
Nom et prénom(s)   MARCHETTI ELODIE
Catégorie juridique   1000 - Entrepreneur individuel
Adresse   MARCHETTI ELODIE
          8 RUE DE LA TANNERIE
          84800 L'ISLE-SUR-LA-SORGUE`
    expect(Object.fromEntries(filledIn(text, 'FR', 'Elodie Marchetti'))).toEqual({
      founded_on: '2018-05-02',
      registration_number: '839 206 514',
      legal_form: 'Entrepreneur individuel',
      registered_address: "8 RUE DE LA TANNERIE, 84800 L'ISLE-SUR-LA-SORGUE",
      first_name: 'Elodie',
      last_name: 'Marchetti',
    })
  })
})

describe('addresses in parts', () => {
  test.each([
    [
      'a street with its number and box, and the town in the next row',
      'BE',
      'Adresse :   Rue du Moulin N° : 33 Boîte : B\nCode postal :   5590 Commune : Ciney',
      'Rue du Moulin 33 Boîte B, 5590 Ciney',
    ],
    [
      'the kind of a street apart from its name',
      'MX',
      'Código Postal:   45400   Tipo de Vialidad:   CALLE\nNombre de Vialidad:   HIDALGO   Número Exterior:   418\nNombre de la Localidad:   TONALA',
      'CALLE HIDALGO 418, 45400 TONALA',
    ],
    [
      'a street that says its kind itself',
      'MX',
      'Código Postal:   38020   Tipo de Vialidad:   AVENIDA\nNombre de Vialidad:   AVENIDA MEXICO   Número Exterior:   318\nNombre de la Localidad:   CELAYA',
      'AVENIDA MEXICO 318, 38020 CELAYA',
    ],
    [
      'a province in brackets in the next line',
      'ES',
      'Domicilio social:   Calle Mayor 6, 12540 Vila-real\n                    (Castellón)',
      'Calle Mayor 6, 12540 Vila-real (Castellón)',
    ],
  ])('%s', (_name, country, text, address) => {
    expect(valuesOf('business.registered_address', `${ownName}${text}`, country)).toEqual([address])
  })

  test('what follows the word for an address may be a part of the label', () => {
    expect(filledIn(`${ownName}9 Anschrift der Wohnung (Straße, PLZ, Ort)\nAm See 7, 19057 Schwerin`, 'DE')).toEqual([])
  })
})

describe('sections', () => {
  const kbis = (heading: string) => `EXTRAIT KBIS
Dénomination   HARBOR LANE BAKERY
GESTION, DIRECTION, ADMINISTRATION, CONTRÔLE, ASSOCIÉS OU MEMBRES
Gérant
Nom, prénoms   FAURE Damien

${heading}
Nom commercial   La Lampe Retrouvée`

  test('that about the establishment ends that about the managers', () => {
    const heading = "RENSEIGNEMENTS RELATIFS À L'ACTIVITÉ ET À L'ÉTABLISSEMENT PRINCIPAL"
    expect(filledIn(kbis(heading), 'FR')).toEqual([['trading_name', 'La Lampe Retrouvée']])
  })

  test('a name at the head of one says whose address it is', () => {
    const text = `État de renseignements d'une personne morale au registre des entreprises
Identification de l'entreprise
Nom   Harbor Lane Bakery inc.
Adresse du domicile
Adresse   1480, 4e Rang Est
          Saint-Ferdinand (Québec) G0N1N0

Adresse du domicile élu
Nom de l'entreprise   Bergeron Nolet Avocats
Adresse   55 rue Notre-Dame E
          Victoriaville (Québec) G6P3Z8`
    expect(valuesOf('business.registered_address', text, 'CA')).toEqual([
      '1480, 4e Rang Est, Saint-Ferdinand (Québec) G0N1N0',
    ])
  })

  test('a colon may have a column of its own, and a former name says nothing of what follows it', () => {
    const text = `Business Profile (Company)
Company Name         :   HARBOR LANE BAKERY PTE. LTD.
Former Name if any   :   HARBOR FRESH LOGISTICS PTE. LTD.
Incorporation Date   :   08/10/2018`
    expect(filledIn(text, 'SG')).toEqual([['founded_on', '2018-10-08']])
  })

  test.each([
    ['Contact us', ['033 555 0129']],
    ['Contact person', []],
    ['Contact\nName: Ann Lee', []],
  ])('below `%s` in a profile stands how to reach it, unless it is that of a person', (heading, phones) => {
    const text = `Harbor Lane Bakery Ltd\nCompany Profile 2026\nSelected projects\nCamperdown Feedlots Ltd\n${heading}\nTelephone: 033 555 0129`
    expect(valuesOf('business.phone', text, 'ZA')).toEqual(phones)
  })

  test('the group whose rules the books follow is nobody', () => {
    const text = `CERTIFICADO DE EXISTENCIA
Razón Social: HARBOR LANE BAKERY S.A.S.
Grupo NIIF: GRUPO II - PYMES
UBICACIÓN
Teléfono comercial 1: 606 555 7140`
    expect(valuesOf('business.phone', text, 'CO')).toEqual(['606 555 7140'])
  })

  test('a mail to `contact` is not that of somebody else', () => {
    const text =
      'Harbor Lane Bakery Sàrl\n12 rue du Lac, 1003 Lausanne\nTél. 021 555 48 20 · contact@harborlane.example\n\nFacture n° 17'
    expect(valuesOf('business.email', text, 'CH')).toEqual(['contact@harborlane.example'])
  })

  test('the day a company was founded says more than that of its registration', () => {
    const text = `${ownName}Date d'immatriculation   2016-04-11\nDate de la constitution   2016-04-08 Constitution`
    expect(valuesOf('business.founded_on', text, 'CA')).toEqual(['2016-04-08'])
  })

  test('the number of a company that was merged is not that of the one that took it over', () => {
    const text = `Handelsregister B des Amtsgerichts Bremen   HRB 31774
Firma:   Harbor Lane Bakery GmbH
Die Gesellschaft ist verschmolzen mit der
Weserboot Service GmbH mit Sitz in Brake (Amtsgericht Oldenburg HRB 204419).`
    expect(valuesOf('business.registration_number', text, 'DE')).toEqual(['HRB 31774'])
  })

  test('a bookkeeper above a report has prepared it', () => {
    const report = (author: string) =>
      `${author}\nHarbor Lane Bakery GmbH, 22767 Hamburg\nKurzfristige Erfolgsrechnung Dezember 2025`
    expect(valuesOf('business.legal_name', report('Kanzlei Petersen Steuerberatung mbH'), 'DE')).toEqual([
      'Harbor Lane Bakery GmbH',
    ])
    expect(valuesOf('business.legal_name', report('Nordmilch Handels GmbH'), 'DE')).toEqual([])
  })
})

describe('figures', () => {
  test('numbers of boxes with cents behind them are no figures', () => {
    const rows = [111, 112, 159, 100, 110, 199].map(
      (box, at) => `Zeile ${'abcdef'[at]}                   ${box}   ${at + 1}.204,10`,
    )
    const text = `${ownName}Anlage EÜR 2025\nWirtschaftsjahr           01.01.2025 - 31.12.2025\n${rows.join('\n')}\nSumme Betriebseinnahmen   159   87.412,60`
    expect(valuesOf('business.annual_revenue', text, 'DE')).toEqual(['87412.60'])
  })

  test('a financial year that is called actual beside a plan of the next is over', () => {
    const table = (columns: string) =>
      `${ownName}Profit and loss\n           ${columns}\nTurnover   600,000   700,000   800,000`
    expect(valuesOf('business.annual_revenue', table('FY2025 actual   FY2026 actual   FY2027 plan'))).toEqual([
      '700000.00',
    ])
    expect(valuesOf('business.annual_revenue', table('FY2025 actual   FY2026 actual   FY2026 budget'))).toEqual([])
  })

  test.each<[string, string, string, string, string[]]>([
    [
      'an export dates a balance without signs',
      'NZ',
      'bank_balance',
      'Bank statement\nClosing Balance : 11250.55 as of 20261031',
      ['11250.55'],
    ],
    [
      'a statement dates its lines',
      'CH',
      'bank_balance',
      "Kontoauszug per 31.10.2026\n31.10. Schlusssaldo zu Ihren Gunsten   CHF 27'277.40",
      ['CHF 27277.40'],
    ],
    ['`N-1` is no figure', 'FR', 'annual_profit', 'Exercice 2025\nRésultat net   Exercice N-1', []],
    [
      'a sentence may end behind the count',
      'FR',
      'employee_count',
      'Comptes annuels\nEffectif moyen du personnel : 9 salariés.',
      ['9'],
    ],
    [
      'a year in brackets is that of the figure',
      'US',
      'annual_revenue',
      'Gross receipts   $1,946,380 (year 2025)',
      ['$ 1946380.00'],
    ],
    [
      'the caption of the next box is no figure',
      'DE',
      'annual_revenue',
      'Jahresumsatz 2024   Jahresumsatz 2025   Planumsatz 2026\n1.544.000,00        1.627.380,00        1.800.000,00',
      ['1627380.00'],
    ],
    [
      'the end of the year stands in a box above',
      'NZ',
      'annual_profit',
      'FINANCIAL YEAR END\n31 March 2026\n\nNET PROFIT AFTER TAX (NZD)\n118,904',
      ['NZD 118904.00'],
    ],
    [
      'who will be hired is not employed',
      'CA',
      'employee_count',
      "Nombre d'employés actuels   17   Emplois à créer   4",
      ['17'],
    ],
    [
      'a budget beside the count is none',
      'GB',
      'employee_count',
      'Accounts\n            Actual 2025   Budget 2025\nHeadcount   29            30',
      ['29'],
    ],
    [
      'all have a permanent contract',
      'ES',
      'employee_count',
      'Modelo 200\nPersonal fijo   00041   43,00\nPersonal no fijo   00042   0,00',
      ['43'],
    ],
    [
      'some have none',
      'ES',
      'employee_count',
      'Modelo 200\nPersonal fijo   00041   43,00\nPersonal no fijo   00042   4,00',
      [],
    ],
  ])('%s', (_name, country, name, text, values) => {
    expect(valuesOf(`business.${name}`, `${ownName}${text}`, country)).toEqual(values)
  })
})

describe('legal forms', () => {
  test.each<[string, string, string, string[]]>([
    [
      'a caption beside the label is not the form',
      'GB',
      'Company type              Nature of business (SIC)\nPrivate limited company   52103 - Storage',
      ['Private limited company'],
    ],
    ['what no list of forms has is only suggested', 'DE', 'Rechtsform:   a) Tag der', []],
    [
      'a company among choices is a limited one where there are no others',
      'AU',
      'Type of entity: ☒ Company ☐ Partnership ☐ Trust',
      ['Limited company'],
    ],
    [
      'the number of a box is no form',
      'DE',
      'Rechtsform des Betriebs   103   Einzelunternehmen',
      ['Einzelunternehmen'],
    ],
  ])('%s', (_name, country, text, forms) => {
    expect(valuesOf('business.legal_form', `${ownName}${text}`, country)).toEqual(forms)
  })
})

describe('owners', () => {
  const owners = (text: string, country?: string) =>
    filledIn(text, country).filter(([name = '']) => ['first_name', 'last_name', 'ownership_percent'].includes(name))

  const firmenbuch = (capital: string) => `REPUBLIK ÖSTERREICH
FIRMENBUCH
FIRMA
1   Harbor Lane Bakery GmbH
KAPITAL
1   EUR ${capital}
GESELLSCHAFTER/IN   STAMMEINLAGE   HIERAUF GELEISTET
A   Mag. Veronika Plattner, geb. 19.05.1977
1   ................... EUR 24.000
1   ........................................ EUR 24.000
E   Plattner Privatstiftung
12   ................... EUR 16.000
Summen:   EUR 40.000`

  test('of an Austrian company have the parts they have put in', () => {
    expect(owners(firmenbuch('40.000'), 'AT')).toEqual([
      ['first_name', 'Veronika'],
      ['last_name', 'Plattner'],
      ['ownership_percent', '60'],
    ])
  })

  test('who have not put in all of the capital are not all of them', () => {
    expect(owners(firmenbuch('50.000'), 'AT')).toEqual([])
  })

  const statement = (share: string) => `PERSONAL FINANCIAL STATEMENT
Complete this form for each owner of 20% or more
Name             Business Phone
Hector Delgado   520-555-0162
Business Name of Applicant/Borrower   Ownership in applicant
Harbor Lane Bakery LLC                ${share}`

  test('one who fills in a personal statement says what part is theirs', () => {
    expect(owners(statement('65%'))).toEqual([
      ['first_name', 'Hector'],
      ['last_name', 'Delgado'],
      ['ownership_percent', '65'],
    ])
    expect(owners(statement('see attached'))).toEqual([])
  })

  test('each owner of a form has a row for the name, the role and the share', () => {
    const text = `${ownName}Owner 1   Travis Koenig – Managing Member – 70%\nOwner 2   Melissa Koenig – Member – 30%`
    expect(owners(text)).toEqual([
      ['first_name', 'Travis'],
      ['last_name', 'Koenig'],
      ['ownership_percent', '70'],
      ['first_name', 'Melissa'],
      ['last_name', 'Koenig'],
      ['ownership_percent', '30'],
    ])
  })

  test('a narrow table breaks names and roles over two lines', () => {
    const table = `${ownName}Name             % owned   Role
Vicente Gimeno   48 %      Sole
Porcar                     director
Ann Lee          52 %      Director`
    expect(owners(table, 'ES')).toEqual([
      ['first_name', 'Vicente'],
      ['last_name', 'Gimeno Porcar'],
      ['ownership_percent', '48'],
      ['first_name', 'Ann'],
      ['last_name', 'Lee'],
      ['ownership_percent', '52'],
    ])
  })

  const list = (signed: string) => `${ownName}Actionnaire           % du total
Docquier Benoît       51 %
Vandermeulen Sophie   49 %
${signed}`

  test('in one list all names have one order, which the text may tell', () => {
    expect(owners(list('(signé) Benoît Docquier'), 'BE')).toEqual([
      ['first_name', 'Benoît'],
      ['last_name', 'Docquier'],
      ['ownership_percent', '51'],
      ['first_name', 'Sophie'],
      ['last_name', 'Vandermeulen'],
      ['ownership_percent', '49'],
    ])
    expect(owners(list('Liège, le 3 mars 2026'), 'BE').map(([name]) => name)).not.toContain('last_name')
  })

  test('an e-mail may be broken by a narrow column, and a word below it is no part of one', () => {
    const mail = (rest: string) => `${ownName}E-mail   office@harborlane.${rest}`
    expect(valuesOf('business.email', mail('exam\n         ple'))).toEqual(['office@harborlane.example'])
    expect(valuesOf('business.email', mail('com\n         open'))).toEqual(['office@harborlane.com'])
  })
})

function fact({ fact: name, text, confidence }: ReturnType<typeof factsIn>[number]) {
  return [name, text, confidence]
}
