// What forms say by their layout: codes, captions over several lines, boxes, and the person behind a business.
import { describe, expect, test } from 'vitest'
import type { DocumentText } from '../formats/document-text.ts'
import { fieldsOf } from '../formats/pdf-form.ts'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' }

function sureIn(text: string | DocumentText, by = subject): Record<string, string> {
  const document = typeof text === 'string' ? readPlainText(Buffer.from(text)) : text
  const { facts } = findFacts(document, by, '2026-11-16')
  return Object.fromEntries(facts.filter(({ confidence }) => confidence >= 0.85).map((one) => [one.fact, one.text]))
}

describe('codes', () => {
  const lines =
    'Total sales of goods and services   8089   1,204,318\nTotal revenue   8299   1,210,000\nNet income   9999   88,420\n'

  test('the figure stands behind the code of its line', () => {
    const text = `Harbor Lane Bakery Ltd\nIncome Statement Information (GIFI)\nTax year end: 2025-12-31\nFor the year ended December 31, 2025\n${lines}`
    const { 'business.annual_revenue': revenue, 'business.annual_profit': profit } = sureIn(text)
    expect(revenue).toBe('1210000.00')
    expect(profit).toBe('88420.00')
  })

  test('numbers of boxes that only rise are no figures', () => {
    const rows = ['Sales   210   612,480', 'Stock   214   1,200', 'Other   218   314', 'Grants   222   50']
    const more = [
      'Total   226   613,994',
      'Wages   230   88',
      'Gifts   240',
      'Rent   250',
      'Number of employees   376   7',
    ]
    const text = `Harbor Lane Bakery LLC\nIncome statement for the year ended 31 December 2025\n${[...rows, ...more].map(inColumns).join('\n')}\n`
    expect(sureIn(text)['business.employee_count']).toBe('7')
  })
})

/** The parts of a line, each in its own column. */
function inColumns(line: string): string {
  const [label = '', box = '', figure = ''] = line.split(/ {3}/)
  return `${label.padEnd(24)}${box}   ${figure.padStart(10)}`
}

describe('captions', () => {
  test('a caption that asks for a number is no name', () => {
    const text =
      'Form 1040, Schedule C   Profit or Loss From Business (Sole Proprietorship)   2025\n' +
      'Name of proprietor        Social security number (SSN)\nRosalind K. Lane          ***-**-9051\n' +
      'Business name             Employer ID number (EIN)\nHarbor Lane Upholstery    20-8813374\n'
    const sole = { legal_name: 'Rosalind Lane', trading_name: null, country: 'US' }
    expect(sureIn(text, sole)).toMatchObject({
      'business.legal_name': 'Rosalind K. Lane',
      'business.tax_id': '20-8813374',
    })
  })

  test('a name has nothing of its label', () => {
    const text = 'ARTICLES OF ORGANIZATION\n1. Name of the limited liability company: Harbor Lane Bakery LLC\n'
    expect(sureIn(text)['business.legal_name']).toBe('Harbor Lane Bakery LLC')
  })

  test.each([
    ['Trading name    The Dress Code\nOld Mill Shop   y', 'business.trading_name', 'The Dress Code'],
    ['4 Number of employees   38 people\n5 Other   x', 'business.employee_count', '38'],
    ['Registration number   HRB 12345 AG Oldenburg', 'business.registration_number', 'HRB 12345'],
    ['Phone   5550   4000 1234 5678', 'business.phone', undefined],
  ])('a value is not mistaken for a caption, nor the next one for its end: %s', (line, fact, expected) => {
    expect(sureIn(`Legal name      Harbor Lane Bakery LLC\n${line}\n`)[fact]).toBe(expected)
  })

  test('what stands in another column is no postcode', () => {
    const text =
      'Legal name: Harbor Lane Bakery LLC\nRegistered address\n12 High Street, Bend\n                         Phone 020\n12345\n'
    expect(sureIn(text)['business.registered_address']).not.toContain('12345')
  })

  test('letters with numbers before captions only count them', () => {
    const text = 'A1 Full name of the business   Harbor Lane Bakery LLC\nA4 Date trading commenced   2017-10-02\n'
    expect(sureIn(text)['business.founded_on']).toBe('2017-10-02')
  })

  test('a value around the line of its label is one', () => {
    const text = '              Harbor Lane Bakery\nLegal name\n              LLC\n\nTax ID        47-3391826\n'
    expect(sureIn(text)['business.legal_name']).toBe('Harbor Lane Bakery LLC')
  })

  test('a place in parts behind their labels is one address', () => {
    const text =
      'Legal name:      Harbor Lane Bakery LLC\nStreet address:  3310 Old Stage Road\n' +
      'City:   Greeneville   State:   TN   Zip:   37745\n'
    expect(sureIn(text)['business.registered_address']).toBe('3310 Old Stage Road, Greeneville, TN 37745')
  })

  const british = { ...subject, country: 'GB' }
  const office = 'Legal name          Harbor Lane Bakery Ltd\n'
  test.each([
    [
      'begins with the name of a house',
      `${office}\nRegistered office   The Old Maltings\n                    Glenfarg Road\n                    Kinross\n                    KY13 8AA\nAccountants         Cairn & Forbes LLP\n`,
      'The Old Maltings, Glenfarg Road, Kinross, KY13 8AA',
    ],
    [
      'ends with its postcode, whatever the sentence behind it says',
      `${office}Registered office: Unit 9, Tollgate Park, Ashford, TN24 0LL. VAT Reg. No. GB 407 1935 05\n`,
      'Unit 9, Tollgate Park, Ashford, TN24 0LL',
    ],
  ])('an address %s', (_, text, expected) => {
    expect(sureIn(text, british)['business.registered_address']).toBe(expected)
  })

  test.each([
    ['AT', 'Kremser Gasse 5, 3100 St. Pölten'],
    ['CH', 'Bahnhofstrasse 5, 9000 St. Gallen'],
    ['FR', '7 quai du Port, 93200 St. Denis'],
    ['ES', 'Calle Mayor 5, 38001 Sta. Cruz de Tenerife'],
    ['MX', 'Av. Insurgentes Sur 1602. Col. Crédito Constructor, 03940 Ciudad de México'],
    ['US', 'P.O. Box 12345. Portland, OR 97204'],
  ])('an address is not cut at a dot that only shortens a word, %s', (country, address) => {
    const text = `Legal name: Harbor Lane Bakery Ltd\nRegistered office: ${address}\n`
    expect(sureIn(text, { ...subject, country })['business.registered_address']).toBe(address)
  })

  test('a town in boxes of its own belongs to its street, beyond an empty line as well', () => {
    const text =
      'Legal name         Harbor Lane Bakery LLC\nBusiness address   61 LARCH LANE\n\n                   NORTHAMPTON    MA    01060\n'
    expect(sureIn(text)['business.registered_address']).toBe('61 LARCH LANE, NORTHAMPTON, MA 01060')
  })

  test.each([
    ['a street alone', 'Business address   61 Larch Lane\n\nFleet of vans\n'],
    [
      'lines around a label, of which some may be those of another',
      'Directors           Ann Lee\n                    The Old Forge\nRegistered office   Blandford Forum\n                    DT11 7AW\n',
    ],
    [
      'a list of others',
      'Registered office   Accountants\n                    Cairn & Forbes\n                    12 Mill Road\n                    York YO1 7AA\n',
    ],
    ['hours', 'Business address    Opening hours\n                    Monday 9-17\n                    Tuesday 9-17\n'],
    ['a row of a table', 'Business address    61 Larch Lane\n\n                    Checking    USD    12345\n'],
    [
      'the employer of a guarantor',
      '\nGuarantor: Ann Lee\nEmployer: Bend School\nEmployer address: 5 Wall St, Bend, OR 97703\n',
    ],
  ])('no sure address: %s', (_, text) => {
    expect(sureIn(`${office}\n${text}`, british)['business.registered_address']).toBeUndefined()
  })

  test('a caption over two lines is one, and its value stands below', () => {
    const text =
      'Name of the business     Date of\n                         incorporation\nHarbor Lane Bakery LLC   2014-03-03\n'
    expect(sureIn(text)['business.founded_on']).toBe('2014-03-03')
  })

  test('where captions are numbered, the one beside is no value', () => {
    const text =
      '5. Tax identification number   6. Branch   11. Company name\n900417220                      6           Harbor Lane Bakery LLC\n'
    expect(sureIn(text)).toMatchObject({ 'business.tax_id': '900417220' })
  })

  test('a website below its caption is its value', () => {
    const text = 'Company name             Company website\nHarbor Lane Bakery LLC   www.harborlane.example\n'
    expect(sureIn(text)['business.website']).toBe('www.harborlane.example')
  })
})

describe('boxes', () => {
  test('of a row of choices none is taken where no mark can be seen', () => {
    const text =
      'Legal name: Harbor Lane Bakery\nBusiness structure\nSole proprietor   Partnership   LLC   C corporation\n'
    expect(sureIn(text)['business.legal_form']).toBeUndefined()
  })

  const widget = (left: number, value: string, own: string) => ({
    subtype: 'Widget',
    fieldType: 'Btn',
    checkBox: true,
    fieldValue: value,
    exportValue: own,
    rect: [left, 700, left + 10, 710],
  })

  test('of the boxes of a PDF form, the one that is on is ticked', () => {
    const { boxes } = fieldsOf([widget(100, 'Off', 'Yes'), widget(200, 'Yes', 'Yes')], [1, 0, 0, -1, 0, 792])
    expect(boxes.map(({ text, left }) => [text, left])).toEqual([
      ['☐', 100],
      ['☒', 200],
    ])
  })

  test.each([
    ['Entity type   ☐ Partnership   ☒ LLC   ☐ C-Corp', 'LLC'],
    ['Legal form: [ ] Sole proprietor [x] Partnership', 'Partnership'],
    ['Entity type   ☐ Partnership   ☐ LLC   ☐ C-Corp', undefined],
    ['Entity type   ☒ Partnership   ☒ LLC   ☐ C-Corp', undefined],
  ])('%s', (line, form) => {
    expect(sureIn(`Legal name: Harbor Lane Bakery\n${line}\n`)['business.legal_form']).toBe(form)
  })
})

describe('legal forms', () => {
  test.each([
    ['U.S. Return of Partnership Income', 'Partnership'],
    ['U.S. Income Tax Return for an S Corporation', 'S corporation'],
  ])('%s', (title, form) => {
    const found = sureIn(`${title}\nCalendar year 2025\nName: Harbor Lane Bakery\n`)['business.legal_form']
    expect(found?.toLowerCase()).toContain(form.toLowerCase())
  })

  test('in a text about others, words for a form say nothing', () => {
    const text = 'Legal name: Harbor Lane Bakery\nOur customers are mostly partnerships and an S corporation.\n'
    expect(sureIn(text)['business.legal_form']).toBeUndefined()
  })
})

describe('a sole proprietor', () => {
  const person = { legal_name: 'Ann Lee', trading_name: null, country: 'US' }
  const text = 'Legal form: Sole proprietorship\nName of proprietor: Ann Lee\nBusiness name: Lee Bakery\n'

  test('owns the business, and its other name is the one it trades under', () => {
    const found = sureIn(text, person)
    expect(found).toMatchObject({ 'owner.first_name': 'Ann', 'owner.last_name': 'Lee' })
    expect(found['business.trading_name']).toBe('Lee Bakery')
  })

  test('nobody is one whose document does not say so', () => {
    expect(sureIn('Name of proprietor: Ann Lee\nBusiness name: Lee Bakery\n', person)['business.trading_name']).toBe(
      undefined,
    )
  })
})
