// Texts that a reviewer wrote to mislead the rules on offices, addresses without a number, names over two lines, whoever
// writes an e-mail, and captions. Each has misled one of them once.
import { expect, test } from 'vitest'
import { filledIn } from '../../../../../test/documents/facts-in-text.ts'

const mail = (list: string) =>
  `From: Ann Lee <ann@harborlanebakery.example>\nTo: Bank <b@bank.example>\nSubject: details\n\nCompany: Harbor Lane Bakery Ltd\n${list}\nHarbor Lane Bakery Ltd\n`

const k1 = (share: string) =>
  `U.S. Income Tax Return for an S Corporation\nName: Harbor Lane Bakery LLC\n\n\nSchedule K-1 (Form 1120-S) 2025\nB Corporation's name, address, city, state, and ZIP code\nHarbor Lane Bakery LLC\nF1 Shareholder's name, address, city, state, and ZIP code\nANN LEE\n2190 N Quail Way, Eagle, ID 83616\n${share}\n`

test.each<[string, string, string, string[][]]>([
  [
    'the address and the phone of a tax office',
    'DE',
    'Firma: Harbor Lane Bakery GmbH\nFinanzamt:        Balingen\nAnschrift:        Beutterstraße 4, 72336 Balingen\nTelefon:          07433 97-0\nE-Mail:           poststelle@fa-balingen.example\nSteuernummer:     53093/14872\n',
    [['tax_id', '53093/14872']],
  ],
  [
    'the name of a house above its street',
    'GB',
    'Company name: Harbor Lane Bakery Ltd\nAddress line 1: Lee House\nAddress line 2: 14 Mill Road\nTown: Leeds\nPostcode: LS1 4AB\n',
    [['registered_address', '14 Mill Road, Leeds, LS1 4AB']],
  ],
  [
    'a business without a place',
    'US',
    'Legal name: Harbor Lane Bakery LLC\nBusiness address: Home based\nCity: Taos\nState: NM\nZIP: 87571\n',
    [],
  ],
  [
    'an address that is said to be another one',
    'ES',
    'Razón social: Harbor Lane Bakery, S.L.\nDomicilio social: El mismo que el fiscal\nCódigo postal: 36209\nMunicipio: Vigo\n',
    [],
  ],
  [
    'a second applicant below the first',
    'GB',
    'Applicant company name      Harbor Lane Bakery\n                            Carter Foods Ltd\nFacility type               Joint overdraft\n',
    [],
  ],
  [
    'somebody else behind me',
    'GB',
    mail('Shareholders: me, Bob Carter, and Tom Hale, 70 %, 20 % and 10 %'),
    [
      ['first_name', 'Ann'],
      ['last_name', 'Lee'],
      ['ownership_percent', '70'],
    ],
  ],
  [
    'a first name further down is that of somebody to ask for',
    'DE',
    'Gewerbeanmeldung\nAngaben zum Betriebsinhaber\nName:            Lee\nAnschrift:       Mühlweg 41, 72458 Albstadt\nAnsprechpartner\nVorname:         Bob\n',
    [],
  ],
  [
    'what all shares come to',
    'US',
    k1('G Current year allocation percentage (all shareholders must total 100 %)\n55.000000 %'),
    [
      ['legal_form', 'S corporation'],
      ['first_name', 'ANN'],
      ['last_name', 'LEE'],
      ['ownership_percent', '55'],
    ],
  ],
  [
    'the year before behind a share',
    'US',
    k1('G Current year allocation percentage 55.000000 % (prior year 70.000000 %)'),
    [['legal_form', 'S corporation']],
  ],
  [
    'a reference below a country',
    'GB',
    'Company: Harbor Lane Bakery Ltd\nRegistered office:    14 CANAL STREET\n                      LEEDS LS1 4AB\n                      ENGLAND\n                      B12 0041\n',
    [['registered_address', '14 CANAL STREET, LEEDS LS1 4AB, ENGLAND']],
  ],
  [
    'answers below the name of a house',
    'US',
    'Company name          Harbor Lane Bakery LLC\nBusiness address      Mill House Building\n                      Owned outright\n                      Year built\n                      Sprinklered\n                      Alarm yes\n                      Policy 12345\n',
    [],
  ],
  [
    'turnover in another currency than that of the country',
    'CH',
    "Firma: Harbor Lane Bakery AG\nAktienkapital: CHF 100'000\nGeschäftsjahr 2025\nUmsatz: 1'250'000\nUmsatz: EUR 1'250'000\n",
    [],
  ],
  [
    'staff without those who work part time',
    'DE',
    'Firma: Harbor Lane Bakery GmbH\nMitarbeiter (nicht inkl. Teilzeit)    12\n',
    [],
  ],
  [
    'a street behind a box of the post',
    'US',
    'Legal name: Harbor Lane Bakery LLC\nBusiness address: PO Box 7731, 12 Mill Road, Port Alder, WA 98496\nBusiness location: 88 Storage Way, Port Alder, WA 98499\n',
    [],
  ],
  [
    'the kind of work is nobody’s home',
    'GB',
    'Company name: Harbor Lane Bakery Ltd\nNature of work      Business phone      Business email\nBakery              0113 555 0101       hello@harborlane.example\n',
    [
      ['phone', '0113 555 0101'],
      ['email', 'hello@harborlane.example'],
    ],
  ],
  [
    'a business without branches',
    'PE',
    'Razón social: Harbor Lane Bakery S.A.C.\nEstablecimientos anexos: 0\nTeléfono: 01 555 0101\nDomicilio fiscal: Av. Arequipa 123, Lima\n',
    [
      ['phone', '01 555 0101'],
      ['registered_address', 'Av. Arequipa 123, Lima'],
    ],
  ],
  [
    'a branch in a list of them',
    'PE',
    'Razón social: Harbor Lane Bakery S.A.C.\n\nEstablecimientos Anexos\nCódigo    Tipo            Denominación       Domicilio\n0001      L. COMERCIAL    KNITS STORE        CAL. SANTA CATALINA 310, AREQUIPA\n',
    [],
  ],
  [
    'the corner of two streets',
    'US',
    'Company: Harbor Lane Bakery LLC\nBusiness address: 12 Mill Road @ Elm Street, Taos, NM 87571\n',
    [['registered_address', '12 Mill Road @ Elm Street, Taos, NM 87571']],
  ],
  [
    'what an accountant attests',
    'BE',
    'Fiduciaire Lambermont SRL\nExperts-comptables certifiés\nNamur, le 15 octobre 2026\nATTESTATION\nJe soussigné, Philippe Lambermont, expert-comptable, atteste par la présente que :\nDénomination         HARBOR LANE BAKERY\nForme légale         Société à responsabilité limitée\nSiège                Chaussée de Dinant 310, 5100 Wépion\n',
    [],
  ],
])('%s', (_, country, text, filled) => {
  expect(filledIn(text, country)).toEqual(filled)
})
