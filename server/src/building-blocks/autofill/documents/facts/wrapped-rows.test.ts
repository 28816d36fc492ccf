// Tables whose narrow columns break names over several lines, lists that count shares, and owners who are told by a word.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn } from '../../../../../test/documents/facts-in-text.ts'

/** `Ann Lee 60`, of everybody who is filled in. */
function ownersIn(text: string, country: string, name: string): string[] {
  const owners: string[] = []
  for (const [fact, value = ''] of filledIn(text, country, name)) {
    if (fact === 'first_name') owners.push(value)
    if (fact === 'last_name' || fact === 'ownership_percent') owners.push(`${owners.pop()} ${value}`)
  }
  return owners
}

describe('owners in tables', () => {
  test('of a German notary, whose headings take seven lines and whose rows take four', () => {
    const text = `Liste der Gesellschafter
Hollerbusch Medizintechnik GmbH

Lfd. Nr. der   Gesellschafter     Nennbetrag je     Prozentuale       Prozentuale
Geschäfts-     (Name,             Geschäftsanteil   Beteiligung je    Gesamt-
anteile        Vorname,                             Geschäftsanteil   beteiligung je
               Geburtsdatum,                                          Gesellschafter
               Wohnort)
1 – 20.000     Dr. Hollerbusch,   1,00 EUR          0,002 %           40 %
               Annika
               geb. 14.03.1976
               Tübingen
20.001 –       Ribbeck, Jonas     1,00 EUR          0,002 %           35 %
37.500         Emil
               geb. 02.11.1981
               Rottenburg
37.501 –       Neckarblick        1,00 EUR          0,002 %           25 %
50.000         Beteiligungs
               GmbH
Summe                                                                 100 %`
    expect(ownersIn(text, 'DE', 'Hollerbusch Medizintechnik')).toEqual([
      'Annika Hollerbusch 40',
      'Jonas Emil Ribbeck 35',
    ])
  })

  test('of the register of Singapore, which counts shares of all that there are', () => {
    const text = `Business Profile (Company) of
STRAITS KILN CERAMICS PTE. LTD. (201814476H)
Company Name   : STRAITS KILN CERAMICS PTE. LTD.
Issued Share Capital (AMOUNT)   Number of Shares   Currency
150000                          150000             DOLLARS

Shareholder(s)

Name                 ID          Address                         Ordinary    Currency
                                                                 (Number)
1 TEO HUI SHAN       S****418D   31 TOH TUCK RISE, SINGAPORE     90000       SINGAPORE,
                                 (596714)                                    DOLLARS
2 MARCUS DE          S****902H   12 FLORA DRIVE, SINGAPORE       37500       SINGAPORE,
ROZARIO                          (506854)                                    DOLLARS
3 KILNFIRE HOLDINGS  20201183W   85 JALAN BAHAR, SINGAPORE       22500       SINGAPORE,
PTE. LTD.                        (649744)                                    DOLLARS`
    expect(ownersIn(text, 'SG', 'Straits Kiln Ceramics')).toEqual(['HUI SHAN TEO 60', 'MARCUS DE ROZARIO 25'])
  })

  test('of an Irish return, with addresses below the names and a class of shares beside them', () => {
    const text = `Annual return
Company name in full   BALLYVANE TIMBER FRAMES LIMITED

List of members

Folio   Name and address             Share      Number of     Transfers since last
no.                                  class      shares held   return

1       Donal Patrick Hennessy       Ordinary   100           60 – 19/03/2026
        Ballyvane, Bansha, Co.
        Tipperary

3       Aoife Hennessy               Ordinary   60
        Ballyvane, Bansha, Co.
        Tipperary

4       Suir Valley Enterprise Fund  Ordinary   40
        DAC
        5 Parnell Street, Clonmel

Total number of shares                          200`
    expect(ownersIn(text, 'IE', 'Ballyvane Timber Frames')).toEqual(['Donal Patrick Hennessy 50', 'Aoife Hennessy 30'])
  })

  test('whose share stands close behind a role, and whose name ends in a hyphen', () => {
    const text = `Redbud Hollow Inc
Owner's Name         Title                Ownership   Address
                                          %
Marisol Quintero-    President            62%         312 Cabell Drive, Bowling Green
Haye                                                  42101
Bennett Haye         Secretary/Treasurer  20%         312 Cabell Drive, Bowling Green
Thao Brandt          Vice President       18%         5 Plano Rd, Bowling Green`
    expect(ownersIn(text, 'US', 'Redbud Hollow')).toEqual([
      'Marisol Quintero-Haye 62',
      'Bennett Haye 20',
      'Thao Brandt 18',
    ])
  })

  test('of several kinds of shares: the column with the sign is the share', () => {
    const text = `Juniper Loop, Inc. - Capitalization Table
Stakeholder Name   Relationship   Common (Issued)   Total Issued Shares   % of Issued Shares   % Fully Diluted
Kavita Doss        Founder        3,600,000         3,600,000             45.00%               38.71%
Emmett Hale        Founder        4,400,000         4,400,000             55.00%               47.31%`
    expect(ownersIn(text, 'US', 'Juniper Loop')).toEqual(['Kavita Doss 45.00', 'Emmett Hale 55.00'])
  })

  test('of a Canadian return, with the heading of the names between the lines of the others', () => {
    const text = `Schedule 50 – Shareholder Information
Corporation's name: MAPLE SLUICE CABINETRY LTD.

                          200 Business   300 Social insurance   400 % common
100 Name of shareholder
                          number         number                 shares
JOCELYN ARSENEAULT        NA             *** *** 417            55.000
HEATHER LYNN MACAULAY     NA             *** *** 902            45.000`
    expect(ownersIn(text, 'CA', 'Maple Sluice Cabinetry')).toEqual([
      'JOCELYN ARSENEAULT 55.000',
      'HEATHER LYNN MACAULAY 45.000',
    ])
  })

  test('the next person is not the rest of a name', () => {
    const text = `Lee Bakery Ltd
Shareholder        Role        Share
Ann Lee            Director    60 %
Bob Ray            Secretary
Cal Poe            Director    40 %`
    expect(ownersIn(text, 'GB', 'Lee Bakery')).toEqual(['Ann Lee 60', 'Cal Poe 40'])
  })
})

describe('shareholders in a British confirmation statement', () => {
  const statement = (valueOfB: string) => `Company Name: CALDER BROOK UPHOLSTERY LTD
Class of Shares:   ORDINARY A   Number allotted            800
Currency:   GBP                 Aggregate nominal value:   80
Class of Shares:   ORDINARY B   Number allotted            200
Currency:   GBP                 Aggregate nominal value:   ${valueOfB}
Currency: GBP   Total number of shares: 1000
Shareholding 1: 800 ORDINARY A shares held as at the date of this confirmation statement
Name: IAN PETER HALLOWAY
Shareholding 2: 200 ORDINARY B shares held as at the date of this confirmation statement
Name: ROSEDENE HOLDINGS LIMITED`

  test('have their part where a share of each class is worth as much', () => {
    expect(ownersIn(statement('20'), 'GB', 'Calder Brook Upholstery')).toEqual(['IAN PETER HALLOWAY 80'])
  })

  test('have none where they are not', () => {
    expect(ownersIn(statement('2000'), 'GB', 'Calder Brook Upholstery')).toEqual([])
  })
})

describe('who owns all of it', () => {
  test.each([
    ['US', 'Lee Bakery LLC', 'Lee Bakery LLC\nSole member: Ann Lee\n', 'Ann Lee 100'],
    ['DE', 'Lee Bäckerei GmbH', 'Lee Bäckerei GmbH\nAlleinige Gesellschafterin   Anna Lee\n', 'Anna Lee 100'],
    ['FR', 'Lee Boulangerie', 'Lee Boulangerie SASU\nAssociée unique : Anne Lee\n', 'Anne Lee 100'],
    [
      'ES',
      'Lee Pan SL',
      'Denominación: LEE PAN SL\nNombre   DNI   Cargo\nPONS GIL, ANA   ***44**   Socia única (100 % del capital)\nSANZ GIL, PEDRO   ***55**   Apoderado\n',
      'ANA PONS GIL 100',
    ],
    [
      'ES',
      'Lee Pan SL',
      'Denominación: LEE PAN SL\nUnipersonalidad: La sociedad es unipersonal, siendo su socio único DON AGUSTÍN CRESPO MAÑAS, titular del 100 % del capital.\n',
      'AGUSTÍN CRESPO MAÑAS 100',
    ],
  ])('is told by a word, %s', (country, name, text, owner) => expect(ownersIn(text, country, name)).toEqual([owner]))

  test.each([
    ['two of them are of two businesses', 'Lee Bakery LLC\nSole member: Ann Lee\nSole member: Bob Ray\n'],
    ['one who was it', 'Lee Bakery LLC\nFormer sole member: Ann Lee\n'],
  ])('%s', (_, text) => expect(ownersIn(text, 'US', 'Lee Bakery LLC')).toEqual([]))
})

describe('in an e-mail', () => {
  const mail = (list: string) =>
    `From: Callum Rennie <callum@leebakery.example>\nTo: Jo <jo@broker.example>\nSubject: Details\n\nFull company name: Lee Bakery Ltd\n${list}\n\nLee Bakery Ltd\n`

  test.each([
    ['Shareholders: me 60%, my sister Isla Rennie 40%. Both directors.', ['Callum Rennie 60', 'Isla Rennie 40']],
    ['Shareholders: me 60%, Isla Rennie with 40%', ['Callum Rennie 60', 'Isla Rennie 40']],
    // A sentence, and no list.
    ['Ownership: I have 75% and my brother Tom Rennie has the other 25%.', []],
  ])('%s', (list, owners) => expect(ownersIn(mail(list), 'GB', 'Lee Bakery')).toEqual(owners))
})

test('a band of shares is no share', () => {
  const text = 'PSC: Ms Rhona Fairlie, born June 1971, British. Ownership of shares – 75% or more\n'
  expect(factsIn(text, 'GB', 'Fairlie Marine Ltd').filter(({ confidence }) => confidence >= 0.85)).toEqual([])
})
