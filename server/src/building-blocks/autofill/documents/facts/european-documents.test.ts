// What German, French and Spanish documents say in ways of their own, each with what must not be taken for it.
import { describe, expect, test } from 'vitest'
import type { DocumentText } from '../formats/document-text.ts'
import { readPlainText } from '../formats/plain-text.ts'
import type { Subject } from '../readings/company-names.ts'
import { findFacts } from './find-facts.ts'

function found(text: string | DocumentText, legal_name: string, country: string) {
  const subject: Subject = { legal_name, trading_name: null, country }
  return findFacts(typeof text === 'string' ? readPlainText(Buffer.from(text)) : text, subject, '2026-11-17')
}
function sureIn(text: string | DocumentText, legal_name: string, country: string): Record<string, string> {
  const { facts } = found(text, legal_name, country)
  return Object.fromEntries(facts.filter(({ confidence }) => confidence >= 0.85).map((one) => [one.fact, one.text]))
}

/** Rows of a table, each cell in a column of its own. */
function tableOf(...rows: string[][]): DocumentText {
  const lines = rows.map((row) => row.map((text, at) => ({ text, left: at * 300, right: at * 300 + 200 })))
  return { pages: [{ number: 1, lines }] }
}

describe('captions in the cell of their value', () => {
  const rows = [
    ['Firmenwortlaut, Almblick Hotel KG', 'Geschäftsbezeichnung, Hotel Almblick'],
    ['Rechtsform, Kommanditgesellschaft', 'Firmenbuchnummer, FN 287914 x'],
    ['E-Mail, post@almblick.example', 'Mitarbeiter (Stand 30.09.2026), 28'],
    ['Telefon, 06547 7219-0', 'Saisonspitze, bis zu 45'],
  ]

  test('what stands behind the caption in the same cell is its value', () => {
    expect(sureIn(tableOf(...rows), 'Almblick Hotel', 'AT')).toMatchObject({
      'business.legal_name': 'Almblick Hotel KG',
      'business.trading_name': 'Hotel Almblick',
      'business.registration_number': 'FN 287914 x',
      'business.email': 'post@almblick.example',
      'business.phone': '06547 7219-0',
      'business.employee_count': '28',
    })
  })

  test('one label with a comma behind it is no such table', () => {
    const text = tableOf(['Firma, die den Antrag stellt', 'Almblick Hotel KG'], ['Umsatz, netto', '12'])
    expect(sureIn(text, 'Almblick Hotel', 'AT')['business.legal_name']).toBe('Almblick Hotel KG')
  })
})

describe('who signs', () => {
  test.each<[string, string, string]>([
    ['Saludos, Pablo Ruiz, Panadería El Nogal Ltda.', 'Panaderia El Nogal', 'Panadería El Nogal Ltda.'],
    ['Die Zahlen von Nogal Holzbau und der Schwester kommen morgen', 'Nogal Holzbau', 'Nogal Holzbau'],
  ])('%s: the name has nothing of what stands beside it', (text, record, name) => {
    expect(found(text, record, 'CL').facts.find(({ fact }) => fact === 'business.legal_name')?.text).toBe(name)
  })

  test('a phone or an e-mail behind a greeting is that of the person', () => {
    const text = 'Viele Grüße, Jens Petersen, Nogal Holzbau GmbH, Tel. 04841 8907 15\n'
    const mail = 'Cordialement, Bernard Nogal, gérant, b.nogal@nogal-holzbau.example\n'
    const sure = sureIn(`Nogal Holzbau GmbH\n${text}${mail}`, 'Nogal Holzbau', 'DE')
    expect([sure['business.phone'], sure['business.email']]).toEqual([undefined, undefined])
    const own = 'Nogal Holzbau GmbH, Tel. 04841 8907 15\n'
    expect(sureIn(own, 'Nogal Holzbau', 'DE')['business.phone']).toBe('04841 8907 15')
  })
})

describe('whose number', () => {
  const name = 'Talleres Nogal SL'

  test('where a company has a tax number, that of a person is not the company’s', () => {
    const text = `Razón social: ${name}\nNIF: B30418875\n\nSalas, Julián  NIF 27441908X  cargo\n`
    expect(sureIn(text, 'Talleres Nogal', 'ES')['business.tax_id']).toBe('B30418875')
  })

  test('a person who is the business has the number of a person', () => {
    const text = 'Titular: Julián Salas Ruiz\nRazón social: Julián Salas Ruiz\nNIF: 27441908X\n'
    expect(sureIn(text, 'Julián Salas Ruiz', 'ES')['business.tax_id']).toBe('27441908X')
  })

  test('the country in a label belongs to the number', () => {
    expect(sureIn('Imprimerie Noyer SRL\nTVA BE 0478.221.381', 'Imprimerie Noyer', 'BE')['business.tax_id']).toBe(
      'BE 0478.221.381',
    )
    expect(sureIn('Imprimerie Noyer SRL\nTVA: 0478.221.381', 'Imprimerie Noyer', 'BE')['business.tax_id']).not.toBe(
      'BE 0478.221.381',
    )
  })

  test('the e-mail among the fields of an owner is not that of the business', () => {
    const owner = 'Owner: Ann Lee\nOwnership: 100%\nE-mail: ann@lee.example\nDate of birth: April 9, 1990\n'
    const text = `Company: Lee Bakery LLC\nEntity type: Limited liability company\n${owner}`
    expect(sureIn(text, 'Lee Bakery', 'US')).toMatchObject({ 'owner.email': 'ann@lee.example' })
    expect(sureIn(text, 'Lee Bakery', 'US')['business.email']).toBeUndefined()
    const both = `Company: Lee Bakery LLC\nE-mail: ann@lee.example\n\n${owner}`
    expect(sureIn(both, 'Lee Bakery', 'US')['business.email']).toBe('ann@lee.example')
  })

  test('the office whose accountants made the report has a phone of its own', () => {
    const head =
      'Société d’expertise comptable – 14 quai Vert, 29300 Brest – Tél. 02 98 96 41 07\n\nCOMPTES ANNUELS\n\n'
    const own = 'Société  Menuiserie Noyer\nTéléphone  02 98 11 22 33\n'
    expect(sureIn(`${head}Société  Menuiserie Noyer\n`, 'Menuiserie Noyer', 'FR')['business.phone']).toBeUndefined()
    expect(sureIn(head + own, 'Menuiserie Noyer', 'FR')['business.phone']).toBe('02 98 11 22 33')
  })
})

describe('sentences and pieces', () => {
  test('a day in a sentence below its heading is offered at most', () => {
    const head = 'Razón social: Ferretería Nogal SAS\nCONSTITUCIÓN\n'
    const deed = 'Por documento privado del 4 de junio de 2013 de la asamblea de accionistas, inscrito en esta Cámara\n'
    expect(sureIn(head + deed, 'Ferretería Nogal', 'CO')['business.founded_on']).toBeUndefined()
    expect(sureIn(`${head}4 de junio de 2013\n`, 'Ferretería Nogal', 'CO')['business.founded_on']).toBe('2013-06-04')
  })

  test('a town that ends in a small word was cut off', () => {
    const form = (town: string) =>
      `Razón social: Molinos Nogal\nCódigo Postal: 76050\nCalle y número: HIDALGO 214\nMunicipio: ${town}\n`
    const addressOf = (town: string) => sureIn(form(town), 'Molinos Nogal', 'MX')['business.registered_address']
    expect(addressOf('SANTIAGO DE')).toBeUndefined()
    expect(addressOf('CELAYA')).toBe('HIDALGO 214, 76050 CELAYA')
  })
})

describe('owners that are no persons', () => {
  test('a foundation is told as such', () => {
    const text =
      'Gesellschafter der Nogal Holzbau GmbH\nName                      Anteil\nGeorg Reis                85 %\nReis Privatstiftung       15 %\n'
    const { facts, company_owners } = found(text, 'Nogal Holzbau', 'AT')
    expect(facts.filter(({ fact }) => fact === 'owner.last_name').map(({ text: name }) => name)).toEqual(['Reis'])
    expect(company_owners.map(({ name }) => name)).toEqual(['Reis Privatstiftung'])
  })
})

describe('whose document', () => {
  const form = 'Raison sociale  Transports Noyer\nForme juridique  SAS\nSIREN  431 908 722\nTéléphone  02 61 91 40 55\n'

  test('a broker named above an empty line has nothing of what follows', () => {
    const text = `DEMANDE DE FINANCEMENT\nCourtier : Crédipro Ouest, Nantes\n\n${form}`
    expect(sureIn(text, 'Transport Noyer', 'FR')).toMatchObject({
      'business.legal_name': 'Transports Noyer',
      'business.registration_number': '431 908 722',
      'business.phone': '02 61 91 40 55',
    })
    const other = 'Transports Noyer\nCourtier : Crédipro Ouest, Nantes\nTéléphone : 02 61 91 40 55\n'
    expect(sureIn(other, 'Transports Noyer', 'FR')['business.phone']).toBeUndefined()
  })

  test('a record with the town behind the name is the business of that name in that town', () => {
    const extract = (name: string) =>
      `Banque-Carrefour des Entreprises – Public Search\nNuméro d'entreprise:  0547.881.239\nDénomination:  ${name}\nAdresse du siège:  Chaussée de Charleroi 214\n  5000 Namur\n`
    const numberOf = (name: string) =>
      sureIn(extract(name), 'Boucherie Roy Namur', 'BE')['business.registration_number']
    expect(numberOf('Boucherie Roy')).toBe('0547.881.239')
    expect(numberOf('Boucherie Royal')).toBeUndefined()
    expect(sureIn(extract('Boucherie Roy'), 'Boucherie Roy Liège', 'BE')).toEqual({})
  })

  test('the parts of a person’s name, one below the other, are the name of the record', () => {
    const text = (first: string) =>
      `Gewerbe-Anmeldung\nRechtsform  Einzelunternehmen\n3 Name  Kurz\n4 Vornamen  ${first}\nGeschäftsbezeichnung  Radwerk\n10 Zahl der geschäftsführenden Gesellschafter  —\n12 Anschrift der Betriebsstätte  Mittelstraße 58, 68169 Mannheim\nTelefon  0621 3917 408\n`
    expect(sureIn(text('Emil'), 'Emil Kurz', 'DE')).toMatchObject({
      'business.legal_name': 'Emil Kurz',
      'business.trading_name': 'Radwerk',
      'business.phone': '0621 3917 408',
      'owner.last_name': 'Kurz',
    })
    expect(sureIn(text('Anna'), 'Emil Kurz', 'DE')['business.phone']).toBeUndefined()
  })

  test('a heading in capitals below an empty line ends what is said of a person', () => {
    const text = (between: string) =>
      `Dénomination  BRASSERIE NOYER\nExtrait Kbis\n\nGérant\nNom, prénoms  LEROUX Mathilde\nNationalité  Française\n${between}Nom commercial  LA NOYERAIE\n`
    const nameOf = (between: string) => sureIn(text(between), 'Brasserie Noyer', 'FR')['business.trading_name']
    expect(nameOf('\nRENSEIGNEMENTS RELATIFS À L’ACTIVITÉ\n')).toBe('LA NOYERAIE')
    expect(nameOf('')).toBeUndefined()
  })

  test('a deed of foundation is about the company it founds', () => {
    const deed =
      'NOTARÍA PÚBLICA NÚMERO 42\nTESTIMONIO DE LA ESCRITURA 18,442 – CONSTITUCIÓN DE “NOGAL OBRAS, S. DE R.L. DE C.V.”\nSocio                 Fecha de nacimiento   %\nArturo Salgado Paz    12/04/1981            55\nJimena Cortés Ruiz    30/09/1985            45\n'
    expect(sureIn(deed, 'Nogal Obras', 'MX')).toMatchObject({
      'business.legal_name': 'NOGAL OBRAS, S. DE R.L. DE C.V.',
      'owner.last_name': 'Cortés Ruiz',
    })
    expect(sureIn(deed, 'Obras del Valle', 'MX')).toEqual({})
    // Of a loan there are two parties, each with details of its own.
    expect(sureIn(deed.replace('CONSTITUCIÓN', 'PRÉSTAMO'), 'Nogal Obras', 'MX')).toEqual({})
  })
})

describe('years and columns', () => {
  const name = 'Menuiserie Noyer'

  test('days head columns, and a cover says when the year of the accounts ends', () => {
    const text =
      'COMPTES ANNUELS\nExercice du 01/07/2025 au 30/06/2026\nSociété  Menuiserie Noyer\n\f' +
      'COMPTE DE RÉSULTAT\n                        Exercice N   Exercice N-1\n                        30/06/2026   30/06/2025\n' +
      'CHIFFRE D’AFFAIRES NET     612 845        650 752\nBÉNÉFICE OU PERTE          (18 422)        16 267\n'
    expect(sureIn(text, name, 'FR')).toMatchObject({
      'business.annual_revenue': '612845.00',
      'business.annual_profit': '-18422.00',
    })
  })

  test('of the columns of a return, the total of the year counts', () => {
    const text = (last: string) =>
      `Exercice clos le 31/12/2025\nSociété : Menuiserie Noyer\nCompte de résultat\n                        France   Exportations   ${last}\nCHIFFRE D’AFFAIRES NET     898 695        18 200   916 895   864 334\n`
    expect(sureIn(text('TOTAL N       N-1'), name, 'FR')['business.annual_revenue']).toBe('916895.00')
    expect(sureIn(text('Suisse   Belgique'), name, 'FR')['business.annual_revenue']).toBeUndefined()
  })

  test('a column up to a day is a part of its year', () => {
    const text = (last: string) =>
      `Clínica Nogal, S.L.\nDatos económicos\n                                        2024      2025      ${last}\nImporte neto de la cifra de negocios    641.875   684.320   538.904\n`
    const revenueOf = (last: string) => sureIn(text(last), 'Clínica Nogal', 'ES')['business.annual_revenue']
    expect(revenueOf('2026 (hasta 30/09)')).toBe('684320.00')
    expect(revenueOf('2026')).toBeUndefined()
  })

  test('the term of a loan is not the period of the figures', () => {
    const text =
      'Raison sociale  Menuiserie Noyer\nDurée (mois)  60\n\f                          2024      2025    2026 prév.\nChiffre d’affaires total  405 800   431 800   465 000\n'
    expect(sureIn(text, name, 'FR')['business.annual_revenue']).toBe('431800.00')
  })

  test('a bracket in a label is not where its value begins', () => {
    const text =
      'Nogal Logistik GmbH\nJahresabschluss 2025\n                                           2025      Vorjahr\n11. Jahresfehlbetrag (Vorjahr: Jahresüberschuss)   -418.000   256.000\n'
    expect(sureIn(text, 'Nogal Logistik', 'DE')['business.annual_profit']).toBe('-418000.00')
  })

  test('beside a period of more than a year, the year before it is not the newest', () => {
    const text = (period: string) =>
      `Rowan Print Ltd\nProfit and loss account for the ${period} ended 31 December 2025\n           ${period} to 31.12.25   Year to 31.12.24\nTurnover   341,220             251,906\n`
    expect(sureIn(text('15 months'), 'Rowan Print', 'GB')['business.annual_revenue']).toBeUndefined()
    expect(sureIn(text('12 months'), 'Rowan Print', 'GB')['business.annual_revenue']).toBe('341220.00')
  })

  test('words between a label and its figure say which figure it is', () => {
    const text = (words: string) =>
      `Société : Menuiserie Noyer\nCompte de résultat\nExercice clos le 31/12/2025\nRésultat net : ${words}  24 915\n`
    expect(sureIn(text('bénéfice imposable'), name, 'FR')['business.annual_profit']).toBeUndefined()
    expect(sureIn(text('en euros'), name, 'FR')['business.annual_profit']).toBe('EUR 24915.00')
  })
})

describe('lists of owners', () => {
  test('of two columns of shares, the one of the whole holding counts', () => {
    const text = tableOf(
      ['Liste der Gesellschafter der Nogal Feinmechanik GmbH'],
      ['Lfd. Nr.', 'Gesellschafter', 'Beteiligung je Anteil', 'Beteiligung am Stammkapital gesamt'],
      ['1 – 20.000', 'Brunn, Karl-Heinz, geb. 17.03.1961, Esslingen', '0,002 %', '60 %'],
      ['20.001 – 35.000', 'KHB Beteiligungs GmbH, Esslingen', '0,002 %', '40 %'],
    )
    const { facts, company_owners } = found(text, 'Nogal Feinmechanik', 'DE')
    expect(facts.filter(({ fact }) => fact.startsWith('owner.')).map(({ text: value }) => value)).toEqual([
      'Karl-Heinz',
      'Brunn',
      '60',
      '1961-03-17',
    ])
    expect(company_owners.map(({ ownership_percent }) => ownership_percent)).toEqual(['40'])
  })

  test('the share of a company is not that of the person below it', () => {
    const text =
      'Dénomination de l’entreprise : GARAGE NOYER\n\nCAPITAL DÉTENU PAR LES PERSONNES MORALES\nDénomination : NOYER PATRIMOINE\n% de détention : 20,00\n\nCAPITAL DÉTENU PAR LES PERSONNES PHYSIQUES\nTitre : M.   Nom patronymique : NOYER   Prénom : Pierre\n% de détention : 80,00\nNaissance : Date 12/04/1973\n'
    const sure = sureIn(text, 'Garage Noyer', 'FR')
    expect([sure['owner.first_name'], sure['owner.ownership_percent'], sure['owner.role']]).toEqual([
      'Pierre',
      '80.00',
      undefined,
    ])
  })
})

describe('what forms and registers mean by their words', () => {
  test('the start in an extract of a register is the day of the foundation', () => {
    const text = (label: string) =>
      `Banque-Carrefour des Entreprises\nDénomination:  Boucherie Roy\n${label}:  12 mars 2015\nAdresse:  Grand-Place 4, 5000 Namur\n`
    expect(sureIn(text('Date de début'), 'Boucherie Roy', 'BE')['business.founded_on']).toBe('2015-03-12')
    expect(sureIn(text('Date de début du mandat'), 'Boucherie Roy', 'BE')['business.founded_on']).toBeUndefined()
    const loan = 'Raison sociale : Boucherie Roy\nDate de début : 12 mars 2015\nMontant du prêt : 20 000\n'
    expect(sureIn(loan, 'Boucherie Roy', 'BE')['business.founded_on']).toBeUndefined()
  })

  test('who takes a business over has not founded it on the day of the start', () => {
    const text = (reason: string) =>
      `Gewerbe-Anmeldung\nFirma  Nogal Holzbau GmbH\nDatum des Beginns der angemeldeten Tätigkeit  01.04.2023\nGrund der Anmeldung  ${reason}\n`
    const dayOf = (reason: string) => sureIn(text(reason), 'Nogal Holzbau', 'DE')['business.founded_on']
    expect(dayOf('☐ Neugründung ☒ Übernahme (Kauf)')).toBeUndefined()
    expect(dayOf('☒ Neugründung ☐ Übernahme (Kauf)')).toBe('2023-04-01')
  })

  test('a label of an e-mail and a website has both behind it', () => {
    const text = 'Firma  Nogal Holzbau GmbH\nE-Mail / Internet  post@nogal.example / www.nogal.example\n'
    expect(sureIn(text, 'Nogal Holzbau', 'DE')).toMatchObject({
      'business.email': 'post@nogal.example',
      'business.website': 'www.nogal.example',
    })
    expect(sureIn(text.replace('Internet', 'Bank'), 'Nogal Holzbau', 'DE')['business.website']).toBeUndefined()
  })

  test('the clauses of a deed begin with their number in words and their subject', () => {
    const clause = (label: string) =>
      `Escritura de constitución de Nogal Obras SL\nCUARTA. ${label}. Avenida 31 Poniente 1407, 72410 Puebla\n`
    const addressOf = (label: string) => sureIn(clause(label), 'Nogal Obras', 'MX')['business.registered_address']
    expect(addressOf('Domicilio social')).toBe('Avenida 31 Poniente 1407, 72410 Puebla')
    expect(addressOf('Domicilio del notario')).toBeUndefined()
  })

  test('profit without another word is that of the year in a statement of receipts and expenses', () => {
    const text = (label: string) =>
      `Einnahmenüberschussrechnung\nfür das Kalenderjahr 2025\nFirma  Nogal Praxis\n${label}  82.101,41\n`
    expect(sureIn(text('Gewinn'), 'Nogal Praxis', 'DE')['business.annual_profit']).toBe('82101.41')
    expect(sureIn(text('Gewinn vor Steuern'), 'Nogal Praxis', 'DE')['business.annual_profit']).toBeUndefined()
  })

  test('what owners have put in gives their shares where it comes to the whole capital', () => {
    const extract = (capital: string) =>
      tableOf(
        ['FIRMENBUCH'],
        ['FIRMA', 'Nogal Kältetechnik GmbH'],
        ['KAPITAL', capital],
        ['GESELLSCHAFTER/IN', 'STAMMEINLAGE'],
        ['Ing. Markus Berg', 'EUR 24.500'],
        ['Verena Hof', 'EUR 10.500'],
      )
    const sharesOf = (capital: string) =>
      found(extract(capital), 'Nogal Kältetechnik', 'AT').facts.flatMap(({ fact, text, confidence }) =>
        fact === 'owner.ownership_percent' && confidence >= 0.85 ? [text] : [],
      )
    expect(sharesOf('EUR 35.000')).toEqual(['70', '30'])
    expect(sharesOf('EUR 50.000')).toEqual([])
  })
})
