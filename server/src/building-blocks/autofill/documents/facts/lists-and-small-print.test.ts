// Owners that schedules, registers and appendices list each in its own way, and what small print, salutations, scales and
// the numbers of accounts must not be taken for.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn } from '../../../../../test/documents/facts-in-text.ts'

const valuesOf = (fact: string, text: string, country?: string, name?: string) =>
  factsIn(text, country, name).flatMap((one) => (one.fact === fact && one.confidence >= 0.85 ? [one.text] : []))
const ownersIn = (text: string, country: string, name: string) => {
  const [first, last, share] = ['first_name', 'last_name', 'ownership_percent'].map((field) =>
    valuesOf(`owner.${field}`, text, country, name),
  )
  return first?.map((one, index) => `${one} ${last?.[index]} ${Number(share?.[index])}`)
}

describe('owners', () => {
  const schedule = (name: string, share: string) => `Schedule K-1 (Form 1065) 2025
Partner's Share of Income, Deductions, Credits, etc.
B Partnership's name, address, city, state, and ZIP code   TWO CREEKS BREWING COMPANY LLC
                                                           218 DEPOT STREET
F Name, address, city, state, and ZIP code for partner     ${name}
entered in E                                               77 OXBOW LANE
                                                           SALIDA, CO 81201
I1 What type of entity is this partner?                    Individual
J Partner's share of profit, loss, and capital:            Beginning      Ending
                                                           Profit   10.0000 %   ${share} %
1 Ordinary business income (loss)                          (57,085)
`
  const form = `U.S. Return of Partnership Income   Form 1065   2025
Name of partnership   TWO CREEKS BREWING COMPANY LLC
1 What type of entity is filing this return?
c ☒ Domestic limited liability company   d ☐ Domestic limited liability partnership
`

  test('of several schedules K-1 on one page, with the name beside its caption, each with the share at the end', () => {
    const text = `${form}${schedule('KYLE M BRANDVOLD', '48.0000')}${schedule('SUZANNE PRUITT', '32.0000')}${schedule('HOLLOW OAK CAPITAL PARTNERS LP', '20.0000')}`
    expect(ownersIn(text, 'US', 'Two Creeks Brewing')).toEqual(['KYLE M BRANDVOLD 48', 'SUZANNE PRUITT 32'])
    // What kind of entity a partner is says nothing of the business.
    expect(valuesOf('business.legal_form', text, 'US', 'Two Creeks Brewing')).toEqual([
      'Domestic limited liability company',
    ])
  })

  const extract = (holders: string) => `NEW ZEALAND COMPANIES OFFICE
Company Extract
TASMAN HOP GROWERS LIMITED

DIRECTORS
  BRUCE, Alan
SHAREHOLDINGS   Total Number of Shares: 1,000
${holders}
HISTORIC SHAREHOLDERS
    KERSHAW, Alan Bruce   Vacated: 02 Sep 2019`

  test('of allocations in the register of New Zealand, and no former ones', () => {
    const text = extract(`  Allocation 1: 600 shares (60.00%)
    KERSHAW, Lynette Joy
    212 Moutere Highway, Upper Moutere, 7173, NZ
  Allocation 2: 400 shares (40.00%)
    MOUTERE TRUSTEES (2013) LIMITED
    Level 1, 105 Trafalgar Street, Nelson, 7010, NZ`)
    expect(ownersIn(text, 'NZ', 'Tasman Hop Growers Ltd')).toEqual(['Lynette Joy KERSHAW 60'])
  })

  test('who hold an allocation together have no share of their own', () => {
    const text = extract(`  Allocation 1: 600 shares (60.00%)
    KERSHAW, Lynette Joy
    TE RANGI, Wiremu`)
    expect(valuesOf('owner.ownership_percent', text, 'NZ', 'Tasman Hop Growers Ltd')).toEqual([])
  })

  const composition = `TRANSPORTS VASSEUR ET FILS
COMPOSITION DU CAPITAL SOCIAL   N° 2059-F-SD 2026

          I – CAPITAL DÉTENU PAR LES PERSONNES MORALES
Forme juridique : SARL Dénomination : HOLDING DE LA BAIE
N° SIREN : 803 715 267 % de détention : 30,00 Nb de parts ou actions : 1 500

          II – CAPITAL DÉTENU PAR LES PERSONNES PHYSIQUES
Titre : M. Nom patronymique : VASSEUR Prénom(s) : Grégory
% de détention : 50,00 Nb de parts ou actions : 2 500
Naissance : Date 12/04/1974 N° département 80 Commune Abbeville Pays France
Titre : Mme Nom patronymique : VASSEUR Prénom(s) : Élodie
% de détention : 20,00 Nb de parts ou actions : 1 000`

  test('whose fields stand in one line, each behind its label', () => {
    expect(ownersIn(composition, 'FR', 'Transports Vasseur')).toEqual(['Grégory VASSEUR 50', 'Élodie VASSEUR 20'])
    expect(valuesOf('owner.birth_date', composition, 'FR', 'Transports Vasseur')).toEqual(['1974-04-12'])
  })

  test('that are companies give the business neither their legal form nor their number', () => {
    expect(valuesOf('business.legal_form', composition, 'FR', 'Transports Vasseur')).toEqual([])
    expect(valuesOf('business.registration_number', composition, 'FR', 'Transports Vasseur')).toEqual([])
  })

  test('below a numbered heading, with decimal commas and the town behind the name', () => {
    const text = `Seetal Holzbau AG
Anhang zur Jahresrechnung 2025

2. Bedeutende Aktionäre
Regula Amrein-Bucher, Hochdorf   62,5 %
Stefan Amrein, Hitzkirch   37,5 %`
    expect(ownersIn(text, 'CH', 'Seetal Holzbau AG')).toEqual(['Regula Amrein-Bucher 62.5', 'Stefan Amrein 37.5'])
  })

  test('of a partnership in the Austrian register, which knows no shares, are offered and not filled in', () => {
    const text = `REPUBLIK ÖSTERREICH
FIRMENBUCH
FIRMA                         1   Ennstal Drechslerei OG
UNBESCHRÄNKT HAFTENDE/R           A   Josef Hinterplattner, geb. 14.01.1968
GESELLSCHAFTER/IN             1       vertritt seit 14.03.2012 selbständig
                                  C   Mag. Verena Aigner, geb. 06.10.1987
                              6       vertritt seit 18.06.2023 selbständig
PROKURIST/IN                      D   Leopold Stubauer, geb. 25.05.1979`
    const offeredIn = (one: string) =>
      factsIn(one, 'AT', 'Ennstal Drechslerei OG').flatMap((found) =>
        found.fact === 'owner.last_name' ? [[found.text, found.confidence]] : [],
      )
    expect(offeredIn(text)).toEqual([
      ['Hinterplattner', 0.3],
      ['Aigner', 0.3],
    ])
    const struckOut = text.replace('vertritt seit 14.03.2012 selbständig', 'Funktion gelöscht')
    expect(offeredIn(struckOut)).toEqual([['Aigner', 0.3]])
  })

  test('in a table that asks for last names or the names of companies', () => {
    const text = `Aceros Cuauhtémoc, S.A. de C.V.
C. ACCIONISTAS (anote a quienes tengan 10% o más)
Nombre(s)   Apellidos o razón social   Fecha de nacimiento   % accionario
Abelardo    Rascón Loya                08/02/1966            45
Isabel      Terrazas Domínguez         23/10/1970            35

D. REPRESENTANTE LEGAL Y AVAL`
    expect(ownersIn(text, 'MX', 'Aceros Cuauhtémoc')).toEqual([
      'Abelardo Rascón Loya 45',
      'Isabel Terrazas Domínguez 35',
    ])
  })

  test('in tables that also say what one share is of the whole, or whether they are persons', () => {
    const list = `Liste der Gesellschafter der Moorwerk Torfersatz GmbH
Nr.        Gesellschafter (Name, Vorname)   Prozentuale Beteiligung je Anteil   Beteiligung am Stammkapital insgesamt
1 – 27     Terhorst, Wiebke                 0,0017 %                            55,0 %
28 – 48    Eilers, Jan-Hinrich              0,0017 %                            45,0 %`
    expect(ownersIn(list, 'DE', 'Moorwerk Torfersatz GmbH')).toEqual(['Wiebke Terhorst 55', 'Jan-Hinrich Eilers 45'])
    const rows = `Agencia Tributaria   B36284917 CONSERVAS RÍA DE AROUSA SL   Modelo 200
B.2. Personas o entidades con participación en la declarante (≥ 5 %)
NIF         F/J Apellidos y nombre / Razón social     Nominal      % particip.
35218806K   F   OTERO PIÑEIRO MANUEL                  36.000,00    60,00
B15902233   J   INVERSIONES ULLA SL                   24.000,00    40,00`
    expect(ownersIn(rows, 'ES', 'Conservas Ría de Arousa')).toEqual(['MANUEL OTERO PIÑEIRO 60'])
  })

  test('with a row of captions for each of them', () => {
    const text = `Okefenokee Freight Lines LLC
Owner 1: Corporate Officer/Owner Name   Title             Ownership %   Date of Birth
Tyrell J. Beaumont                      Managing Member   60            02/17/1979
Home Address                            Cell Phone        E-mail
611 Satilla Blvd, Waycross, GA 31501    (912) 555-0164    tyrell@okefreight.example
Owner 2: Corporate Officer/Owner Name   Title             Ownership %   Date of Birth
Shanice Beaumont                        Member            40            11/03/1981`
    expect(ownersIn(text, 'US', 'Okefenokee Freight Lines')).toEqual(['Tyrell J. Beaumont 60', 'Shanice Beaumont 40'])
  })

  test('are neither the rate of a credit line nor the part of a form about who signs', () => {
    const text = `Acme GmbH
Eingeräumter Dispositionskredit: 25.000,00 EUR. Sollzinssatz 9,85 % p. a.
D. REPRESENTANTE LEGAL Y AVAL`
    expect(ownersIn(text, 'DE', 'Acme GmbH')).toEqual([])
  })
})

describe('figures', () => {
  const accounts = (head: string) => `Umhlanga Logistics (Pty) Ltd
${'We move freight for our customers.\n'.repeat(30)}${head}   Year to 28 Feb 2026   Year to 28 Feb 2025
Revenue   61 384   55 910
Profit after tax   4 286   3 579`

  test.each(["R'000", "£'000", '£000', 'Rs ’000', "NZ$'000s"])(
    'in %s are thousands, wherever the table stands',
    (head) => {
      const facts = factsIn(accounts(head), 'ZA', 'Umhlanga Logistics')
      const sure = facts.flatMap(({ fact, text, confidence }) =>
        fact.startsWith('business.annual') && confidence >= 0.85 ? [text.replace(/^\D+/, '')] : [],
      )
      expect(sure).toEqual(['61384000.00', '4286000.00'])
    },
  )

  test('with gaps of thousands are whole', () => {
    expect(filledIn("Acme SARL\nExercice 2025\nChiffre d'affaires   12 000", 'FR', 'Acme SARL')).toContainEqual([
      'annual_revenue',
      '12000.00',
    ])
  })

  test('beside the numbers of accounts, and below the cost of sales', () => {
    const text = `Wattle Grove Electrical Pty Ltd
Profit & Loss Statement
July 2025 To June 2026
4-1000   Contracting   2,022,242.25
         Total Income   2,022,242.25
5-0000   Cost Of Sales
6-2000   Motor vehicles   58,214.90
         Net Profit / (Loss)   228,561.23`
    expect(valuesOf('business.annual_profit', text, 'AU', 'Wattle Grove Electrical Pty Ltd')).toEqual(['228561.23'])
  })

  test('of a letter are no estimates because it is addressed to somebody esteemed', () => {
    const text = `Razón social: Las Lomas S.R.L.

Estimado Julián:

Ejercicio cerrado el 30/06/2026:
Ventas netas: $ 5.284.306.512
Empleados en relación de dependencia: 41`
    expect(valuesOf('business.employee_count', text, 'AR', 'Las Lomas')).toEqual(['41'])
    expect(valuesOf('business.annual_revenue', text, 'AR', 'Las Lomas')).toEqual(['$ 5284306512.00'])
  })

  test('of a German statement end with a plus or a minus, and the last day counts', () => {
    const text = `Kreissparkasse Oste   Kontoauszug 10/2026
Kontoinhaber: Lüdemann OHG
Datum   Erläuterung   Betrag EUR
30.09.2026   Kontostand am 30.09.2026, Auszug Nr. 9   21.664,38 +
07.10.2026   Lastschrift Holz Possehl KG   6.318,92 -
30.10.2026   Kontostand am 30.10.2026 um 20:03 Uhr   17.030,26 +`
    expect(valuesOf('business.bank_balance', text, 'DE', 'Lüdemann OHG')).toEqual(['EUR 17030.26'])
  })

  test('with a plus and without cents are at least so much', () => {
    expect(valuesOf('business.employee_count', 'Acme Ltd\nEmployees: 50 +', 'GB', 'Acme Ltd')).toEqual([])
  })

  test('of taxable income are no profit where the profit of the year stands', () => {
    const text = `Körperschaftsteuererklärung für 2025
BEZEICHNUNG DER KÖRPERSCHAFT   ACHENSEE BOOTSBAU GMBH
Jahresüberschuss / Jahresfehlbetrag (nach Steuern)   109.268,90
4. Einkünfte aus Gewerbebetrieb   146.311,40`
    expect(valuesOf('business.annual_profit', text, 'AT', 'Achensee Bootsbau GmbH')).toEqual(['109268.90'])
  })
})

describe('small print', () => {
  const imprint = (above: string) => `${above}
Gutenbergstraße 8, 34225 Baunatal
Geschäftsführer: Dirk Homburg
Amtsgericht Kassel, HRB 17284  |  USt-IdNr. DE294617388`

  test('below the managers of the business has its numbers', () => {
    const filled = filledIn(imprint('Homburg Prüftechnik GmbH'), 'DE', 'homburg prüftechnik gmbh')
    expect(filled).toContainEqual(['registration_number', 'HRB 17284'])
    expect(filled).toContainEqual(['tax_id', 'DE294617388'])
  })

  test('of another company has not', () => {
    const filled = filledIn(
      `Homburg Prüftechnik GmbH\n\n${imprint('Best Lawyers GmbH')}`,
      'DE',
      'Homburg Prüftechnik GmbH',
    )
    expect(filled.map(([fact]) => fact)).not.toContain('registration_number')
    expect(filled.map(([fact]) => fact)).not.toContain('tax_id')
  })

  test('of a shop of the business, below a heading in the middle of the page, has not either', () => {
    const text = `                 CERTIFICADO DE EXISTENCIA Y REPRESENTACIÓN LEGAL
Razón social:        DISTRIBUIDORA LOS ARRAYANES LTDA
Matrícula No.        128471
                              ESTABLECIMIENTOS DE COMERCIO
Nombre:      AUTOSERVICIO CHINCHINÁ                          Estado:   Activo
Matrícula:   166902`
    expect(valuesOf('business.registration_number', text, 'CO', 'Distribuidora Los Arrayanes')).toEqual(['128471'])
  })

  test('calls a registered office by a short name', () => {
    const text = 'Malnad Spices Pvt Ltd\nRegd. Office: Plot 27, KIADB Industrial Area, Sirsi, Karnataka 581402'
    expect(valuesOf('business.registered_address', text, 'IN', 'Malnad Spices Pvt Ltd')).toEqual([
      'Plot 27, KIADB Industrial Area, Sirsi, Karnataka 581402',
    ])
  })

  test.each([
    ['in brackets behind the name', 'Quillstack Robotics, Inc. (a Delaware corporation)', ['Delaware corporation']],
    ['but not the purpose of a list', 'Quillstack Robotics, Inc. (a list of holders)', []],
  ])('says the legal form %s', (_name, title, forms) => {
    const text = `${title}\nCapitalization table as of June 30, 2026\nDelaware file number: 7741983`
    expect(valuesOf('business.legal_form', text, 'US', 'Quillstack Robotics')).toEqual(forms)
    expect(valuesOf('business.registration_number', text, 'US', 'Quillstack Robotics')).toEqual(['7741983'])
  })

  test('about who must file another return does not make the business one', () => {
    const text = `SCHEDULE C   Profit or Loss From Business
(Form 1040)   (Sole Proprietorship)   2025
Attach to Form 1040, 1040-SR, or 1041; partnerships must generally file Form 1065.
Name of proprietor   Marisol Quintero
7 Gross income   184,220`
    expect(valuesOf('business.legal_form', text, 'US', 'Marisol Quintero')).toEqual(['Sole proprietor'])
  })

  test.each([
    ['an office that has signed', 'Teresa Hobbs\nSecretary of State\nPhone: (512) 555-0100'],
    [
      'whoever prepared a return',
      "Print/Type preparer's name   Firm's name          Phone no.\nOwen Halvorsen               Halvorsen & Tate PC   (512) 555-0100",
    ],
  ])('has the phone of %s', (_name, below) => {
    const text = `Entity name:   LLANO RIDGE DRILLING LLC\nFiling number:   803555017\n${below}`
    expect(valuesOf('business.phone', text, 'US', 'Llano Ridge Drilling')).toEqual([])
  })

  test('asks for the parts of an address, in the label of its box', () => {
    const text = `Raison sociale   Horlogerie du Mollendruz Sàrl
Siège : rue, no, NPA, localité
Grand-Rue 35, 1148 L'Isle`
    expect(valuesOf('business.registered_address', text, 'CH', 'Horlogerie du Mollendruz')).toEqual([
      "Grand-Rue 35, 1148 L'Isle",
    ])
  })

  test('numbers the boxes of an address and of shares', () => {
    const text = `T2 Corporation Income Tax Return
Corporation's name   002   Prairie Fibre Networks Inc.
Address of head office
Street   011   2250 Saskatchewan Drive, Unit 300
City   015   Regina   Province 016   SK   Postal code 018   S4P 0B9
Schedule 50 - Shareholder Information
100 Name of shareholder   200 Business number   400 % common shares 500 % preferred
Mathieu Desrosiers        NA                    75.000
Alanna Fiddler            NA                    25.000`
    expect(valuesOf('business.registered_address', text, 'CA', 'Prairie Fibre Networks')).toEqual([
      '2250 Saskatchewan Drive, Unit 300, Regina, SK S4P 0B9',
    ])
    expect(ownersIn(text, 'CA', 'Prairie Fibre Networks')).toEqual(['Mathieu Desrosiers 75', 'Alanna Fiddler 25'])
  })
})

test('an extract of the Belgian register tells when the business began, whatever else has a day', () => {
  const text = `SPF Economie | Banque-Carrefour des Entreprises — Public Search
Données de l’entité enregistrée
Numéro d’entreprise :   0648.215.960
Dénomination :   Menuiserie Hannecart
Date de début :   12 février 2016
                                             Depuis le 1 octobre 2020
Adresse du siège :   Rue de la Station 44`
  expect(valuesOf('business.founded_on', text, 'BE', 'Menuiserie Hannecart SRL')).toEqual(['2016-02-12'])
})
