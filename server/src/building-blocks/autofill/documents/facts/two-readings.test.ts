// One document in two readings: as it is drawn, and as its tags tell it.
import { describe, expect, test } from 'vitest'
import { marked, part, type TaggedNode, writeTaggedPdf } from '../../../../../test/documents/tagged-pdf.ts'
import { confidences } from '../../confidence.ts'
import { textOf } from '../formats/document-text.ts'
import { createOcr } from '../formats/ocr.ts'
import { readPdf } from '../formats/pdf-text.ts'
import { findFacts } from './find-facts.ts'
import type { FoundFact } from './found-fact.ts'
import { together } from './two-readings.ts'

const { sure, one_doubt } = confidences
const place = { page: 1, line: 1, words: '' }
const found = (fact: string, text: string, confidence: number = sure): FoundFact => ({
  fact,
  text,
  confidence,
  ...place,
})
const revenue = (text: string, confidence?: number) => found('business.annual_revenue', text, confidence)
const address = (text: string, confidence?: number) => found('business.registered_address', text, confidence)

const settled = (drawn: FoundFact[], tagged: FoundFact[]) =>
  together({ facts: drawn, company_owners: [] }, { facts: tagged, company_owners: [] }, []).facts.map(
    ({ text, confidence }) => [text, confidence],
  )

describe('two readings of a fact', () => {
  test('what one of them is sure of counts, whichever it is', () => {
    expect(settled([revenue('USD 5')], [])).toEqual([['USD 5', sure]])
    expect(settled([], [revenue('USD 5')])).toEqual([['USD 5', sure]])
    expect(settled([revenue('USD 7', one_doubt)], [revenue('USD 5')])).toEqual([
      ['USD 5', sure],
      ['USD 7', one_doubt],
    ])
  })

  test('what both are sure of is found once', () => {
    expect(settled([revenue('USD 5')], [revenue('USD 5')])).toEqual([['USD 5', sure]])
  })

  test('where both are sure and differ, nobody is', () => {
    expect(settled([revenue('USD 5')], [revenue('USD 7')])).toEqual([
      ['USD 5', one_doubt],
      ['USD 7', one_doubt],
    ])
  })

  test('where the tags show the value of the other and doubt it, theirs counts', () => {
    expect(settled([revenue('USD 5')], [revenue('USD 7'), revenue('USD 5', one_doubt)])).toEqual([
      ['USD 7', sure],
      ['USD 5', one_doubt],
    ])
  })

  test('a part of an address is no other address, and the whole counts', () => {
    const whole = address('12 High Street, Leeds, LS1 4AB')
    expect(settled([address('12 High Street')], [whole])).toEqual([[whole.text, sure]])
    expect(settled([whole], [address('12 High Street, Leeds')])).toEqual([[whole.text, sure]])
    expect(settled([whole], [address('14 High Street, Leeds')]).map(([, confidence]) => confidence)).toEqual([
      one_doubt,
      one_doubt,
    ])
  })

  test('the fuller of two names of the business counts', () => {
    const name = (text: string) => found('business.legal_name', text)
    expect(settled([name('Lee Bakery')], [name('Lee Bakery Ltd')])).toEqual([['Lee Bakery Ltd', sure]])
  })

  test('owners are those of one reading: of the tags only where the drawn page is sure of none', () => {
    const owner = (text: string, confidence?: number) => found('owner.last_name', text, confidence)
    expect(settled([owner('Lee')], [owner('Roe')])).toEqual([['Lee', sure]])
    expect(settled([owner('Lee', one_doubt)], [owner('Roe')])).toEqual([['Roe', sure]])
    expect(settled([owner('Lee', one_doubt)], [owner('Roe', one_doubt)])).toEqual([['Lee', one_doubt]])
  })

  test('a company that owns is named once', () => {
    const facts: FoundFact[] = []
    const company = (name: string) => ({ facts, company_owners: [{ name, page: 1, line: 1 }] })
    expect(together(company('Mills Ltd'), company('MILLS LTD.'), []).company_owners).toMatchObject([
      { name: 'Mills Ltd' },
    ])
    expect(together(company('Mills Ltd'), company('Oven Ltd'), []).company_owners).toHaveLength(2)
  })
})

const p = (x: number, y: number, ...lines: string[]) => part('P', marked(x, y, ...lines))
const row = (...cells: [x: number, y: number, text: string][]) =>
  part('TR', ...cells.map(([x, y, text]) => part('TD', marked(x, y, text))))
const head = [p(40, 60, 'Legal name: Harbor Lane Bakery LLC'), p(40, 80, 'Year ended 31 December 2025')]
const smallPrint = 'The figures are those of the last full year of trading of the business.'
const foot = [p(36, 700, smallPrint, smallPrint, smallPrint)]

/** What is filled, and the line of the drawn page that it is found in. */
async function filledFrom(tree: readonly TaggedNode[]) {
  const text = await readPdf(writeTaggedPdf([...head, ...tree, ...foot]), createOcr({ program: undefined, time_ms: 0 }))
  const subject = { legal_name: 'Harbor Lane Bakery', trading_name: null, country: 'US' }
  const { facts } = findFacts(text, subject, '2026-11-16')
  return facts.flatMap(({ fact, text: value, confidence, page, line }) =>
    confidence >= sure && fact !== 'business.legal_name'
      ? [[fact.slice(fact.indexOf('.') + 1), value, textOf(text.pages[page - 1]?.lines[line - 1] ?? [])]]
      : [],
  )
}

const card = (x: number, owner: string, name: string, share: string) =>
  part('Div', p(x, 140, owner), p(x, 160, 'NAME'), p(x, 174, name), p(x, 194, 'OWNERSHIP'), p(x, 208, share))

test('owners in cards side by side are each found, in the line of the page that has their name', async () => {
  const owners = [card(40, 'Owner 1', 'Ann Lee', '60%'), card(300, 'Owner 2', 'Jan Roe', '40%')]
  expect(await filledFrom(owners)).toEqual(
    [
      ['first_name', 'Ann'],
      ['last_name', 'Lee'],
      ['ownership_percent', '60'],
      ['first_name', 'Jan'],
      ['last_name', 'Roe'],
      ['ownership_percent', '40'],
    ].map((filled) => [...filled, 'Ann Lee  Jan Roe']),
  )
})

test('a value of several lines is found in the line of the page that has most of it', async () => {
  const tree = part(
    'TR',
    part('TD', marked(40, 140, 'Registered office')),
    part('TD', marked(200, 140, '12 High Street', 'Austin, TX 78701')),
  )
  expect(await filledFrom([part('Table', tree)])).toEqual([
    ['registered_address', '12 High Street, Austin, TX 78701', 'Registered office  12 High Street'],
  ])
})

const label = 'Total revenue'
const amount = '$9,000,000'
test.each([
  ['from the foot of the page', [part('Table', row([40, 140, label], [300, 660, amount]))]],
  ['from below another text', [p(40, 140, label), p(40, 660, amount), p(40, 400, 'Remarks')]],
  ['from beyond another one', [part('Table', row([40, 140, label], [400, 140, amount]), row([250, 140, '$500,000']))]],
  ['of a label that goes on', [p(40, 140, label), p(103, 140, 'of our main supplier'), p(300, 140, amount)]],
])('an amount %s is not filled for what tags say', async (_, tree) => {
  expect(await filledFrom(tree)).toEqual([])
})

test('what the page shows in a row counts, however its tags order the rows', async () => {
  const rows = [row([40, 140, label], [300, 156, '$40,000']), row([40, 156, 'Net income'], [300, 140, '$500,000'])]
  expect(await filledFrom([part('Table', ...rows)])).toEqual([
    ['annual_revenue', '$ 500000.00', `${label}  $500,000`],
    ['annual_profit', '$ 40000.00', 'Net income  $40,000'],
  ])
})
