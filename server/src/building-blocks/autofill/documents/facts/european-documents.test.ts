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
