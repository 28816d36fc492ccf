// Whose document it is, where it was written for others too: e-mails that answer somebody, and tables of many businesses.
import { describe, expect, test } from 'vitest'
import { createOcr } from '../formats/ocr.ts'
import { readDocument } from '../formats/read-document.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'GB' }
const noOcr = createOcr({ program: undefined, time_ms: 0 })

async function factsIn(text: string, type = 'text/plain') {
  const document = await readDocument(Buffer.from(text), type, noOcr)
  if (!('pages' in document)) throw new Error(document.message)
  return findFacts(document, subject, '2026-11-16').facts
}

async function sureIn(text: string, type?: string): Promise<Record<string, string>> {
  const facts = await factsIn(text, type)
  return Object.fromEntries(facts.filter(({ confidence }) => confidence >= 0.85).map((one) => [one.fact, one.text]))
}

describe('an e-mail', () => {
  const body =
    'Turnover year to 31 Dec 2025: £742,600\nEmployees: 11\nVAT number: GB 301 7725 85\n\n--\nAnn Lee\nHarbor Lane Bakery Ltd\n'
  const asked =
    'On Tue, 3 Nov 2026, Bob Ray <bob@rayfinance.example> wrote:\nSend the turnover, please.\nRay Finance Ltd, company no. 08831907\n'
  const mail = (from: string, rest = asked) =>
    `From: Ann Lee <ann@${from}>\nTo: Bob Ray <bob@rayfinance.example>\nDate: Wed, 4 Nov 2026 08:52:17 +0000\nSubject: RE: Figures\n\nAs promised:\n\n${body}\n${rest}`

  test('from an address of the business says what it says of itself', async () => {
    expect(await sureIn(mail('harborlane.example'))).toMatchObject({
      'business.annual_revenue': 'GBP 742600.00',
      'business.employee_count': '11',
      'business.tax_id': 'GB 301 7725 85',
    })
  })

  test.each([
    ['behind a line that names its author', asked],
    ['behind marks', asked.replace(/^/gm, '> ')],
    ['behind a heading', `-----Original Message-----\n${asked}`],
    ['behind a heading of what is passed on', `---------- Forwarded message ---------\n${asked}`],
    ['behind another head', `From: Bob Ray <bob@rayfinance.example>\nSent: Tuesday\nTo: Ann Lee\n${asked.slice(60)}`],
    ['behind two lines that name its author', asked.replace('Bob Ray <', 'Bob Ray\n<')],
  ])('says nothing of what it answers to: %s', async (_, rest) => {
    const facts = await factsIn(mail('harborlane.example', rest))
    expect(facts.some(({ text }) => text.includes('08831907'))).toBe(false)
  })

  test.each([
    ['a name that begins like it', 'ann@harbor.example'],
    ['a subdomain', 'ann@harborlane.brokers.example'],
    ['an address that only stands before the real one', '"ann@harborlane.example" <x@broker.example'],
  ])('is not its own for %s', async (_, from) => {
    const text = mail('x').replace(/From: .*/, `From: ${from.includes('<') ? `${from}>` : `Ann Lee <${from}>`}`)
    const facts = await factsIn(text.replace('\nHarbor Lane Bakery Ltd\n', '\nWe know Harbor Lane Bakery well.\n'))
    expect(facts.filter(({ fact, confidence }) => fact === 'business.tax_id' && confidence >= 0.85)).toEqual([])
  })

  test('that is not signed with the name only suggests', async () => {
    const text = mail('harborlane.example').replace(
      'As promised:',
      'What the seller told Harbor Lane Bakery of its mill:',
    )
    const sure = await sureIn(text.replace('\nHarbor Lane Bakery Ltd\n', '\n'))
    expect(sure['business.annual_revenue']).toBeUndefined()
  })

  test('from somebody who writes about the business only suggests', async () => {
    const other = mail('lee-accountants.example').replace(
      'As promised:',
      'The figures of our client Harbor Lane Bakery:',
    )
    const sure = await sureIn(other.replace('\nHarbor Lane Bakery Ltd\n', '\nLee Accountants LLP\n'))
    expect(Object.keys(sure).filter((fact) => fact !== 'business.legal_name')).toEqual([])
  })
})

describe('a table of businesses', () => {
  const head = '"Account Name","Legal Entity Name","VAT number","Phone","Employees","Turnover 2025","Date founded"'
  const rows = [
    '"Bluestone","Bluestone Tile Ltd","GB 111 2222 33","020 7946 0101","41","6,120,400","1998-05-04"',
    '"Harbor Lane","Harbor Lane Bakery Ltd","GB 301 7725 85","020 7946 0355","38","2,318,750","2017-08-21"',
    '"Harbour Auto","Harbour Lane Auto Ltd","GB 444 5555 66","020 7946 0202","12","1,406,000","2009-02-17"',
  ]

  test('says of the business what its own row says, and where', async () => {
    const facts = await factsIn([head, ...rows].join('\n'), 'text/csv')
    const sure = facts.filter(({ confidence }) => confidence >= 0.85)
    expect(Object.fromEntries(sure.map(({ fact, text }) => [fact, text]))).toMatchObject({
      'business.legal_name': 'Harbor Lane Bakery Ltd',
      'business.tax_id': 'GB 301 7725 85',
      'business.employee_count': '38',
      'business.annual_revenue': '2318750.00',
      'business.founded_on': '2017-08-21',
    })
    expect(new Set(sure.map(({ line }) => line))).toEqual(new Set([3]))
  })

  test('gives nobody a value that stands below two headings', async () => {
    const text =
      'Company       VAT number       Phone           Employees   Turnover 2025\n' +
      'Ray Mills Ltd            GB 111 2222 33   020 7946 0101   41          6,120,400\n' +
      'Harbor Lane Bakery Ltd   GB 301 7725 85   020 7946 0355   38          2,318,750\n'
    expect((await sureIn(text))['business.phone']).toBeUndefined()
  })

  test('leaves the lines around it where they are', async () => {
    const facts = await factsIn(`${[head, ...rows].join('\n')}\n\nWebsite: www.harborlane.example\n`, 'text/csv')
    expect(facts.find(({ fact }) => fact === 'business.website')?.line).toBe(6)
  })

  test.each([
    ['without its row', rows.filter((row) => !row.includes('Bakery'))],
    ['with two rows of its name', [...rows, rows[1]?.replace('301', '302') ?? '']],
  ])('fills nothing but the name %s', async (_, own) => {
    const sure = await sureIn([head, ...own].join('\n'), 'text/csv')
    expect(Object.keys(sure).filter((fact) => fact !== 'business.legal_name')).toEqual([])
  })
})
