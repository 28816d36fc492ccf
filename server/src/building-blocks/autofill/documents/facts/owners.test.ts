// Owners in forms and lists of every shape; nobody who only acts for the business.
import { describe, expect, test } from 'vitest'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Harbor Lane Bakery, LLC', trading_name: null, country: 'US' }

/** The owners that are sure, each with their share. */
function ownersIn(text: string): string[] {
  const { facts } = findFacts(
    readPlainText(Buffer.from(`Legal name: Harbor Lane Bakery LLC\n${text}`)),
    subject,
    '2026-11-16',
  )
  const rows = new Map<number, string[]>()
  for (const { fact, text: value, row = 0, confidence } of facts)
    if (confidence >= 0.85 && /owner\.(first_name|last_name|ownership_percent)/.test(fact))
      rows.set(row, [...(rows.get(row) ?? []), value])
  return [...rows.values()].map((parts) => parts.join(' '))
}

const boxes = 'First name\tLast name\nCal\tRay\nDate of birth\tOwnership %\n1970-01-01\t100'

describe('owners', () => {
  test.each([
    ['fields in one line', 'Name: Ann Lee   Title: President   Ownership %: 80\nName: Bob Lee   Ownership %: 20'],
    ['fields below each other', 'Name: Ann Lee\nTitle: President\nOwnership %: 80\n\nName: Bob Lee\nOwnership %: 20'],
    ['a list behind a label', 'Shareholders: Ann Lee (director) 80%, Bob Lee (director) 20%'],
    ['a list of those who are it now', 'Derzeitige Gesellschafter: Ann Lee 80%, Bob Lee 20%'],
    ['a list with a company in it', 'Shareholders: Ann Lee 80%, Bob Lee 20%, Lee Holdings Inc. 0%'],
    [
      'headings in two lines',
      'Name   First name   Date of birth   Percent of\n                                    issued shares\nLee    Ann          1978-03-09      80\nLee    Bob          1981-11-22      20',
    ],
    ['degrees behind names', 'Member\tInterest %\nAnn Lee, M.D. (Manager)\t80%\nBob Lee, D.O.\t20%'],
    [
      'another list below the total',
      'Holder\tShares\t% of issued shares\nAnn Lee\t80\t80%\nBob Lee\t20\t20%\nTotal\t100\t100%\nCal Lee\t200\t100%',
    ],
    [
      'boxes with their labels above them',
      'Owner 1\nFirst Name\tLast Name\tTitle\nAnn\tLee\tMember\nOwnership %\tDate of Birth\tE-mail\n80\t03/09/1978\tann@lee.example\n' +
        'Home Address\tCell Phone\n918 Grandview Ave\t(614) 555-0162\n\nOwner 2\nFirst Name\tLast Name\tTitle\nBob\tLee\tMember\nOwnership %\tDate of Birth\n20\t11/22/1981',
    ],
    ['somebody who holds nothing any more', 'Holder\t% of issued shares\nAnn Lee\t80%\nBob Lee\t20%\nCal Lee\t0.0%'],
  ])('%s', (_, text) => {
    expect(ownersIn(text)).toEqual(['Ann Lee 80', 'Bob Lee 20'])
  })

  test('an owner without a share is one, a director is not', () => {
    expect(ownersIn('Proprietor: Ann Lee')).toEqual(['Ann Lee'])
    expect(ownersIn('Director: Ann Lee')).toEqual([])
  })

  test.each([
    ['the rate of a loan', 'Name: Ann Lee\nInterest: 5%'],
    ['somebody who has left', 'Shareholders: Ann Lee (resigned) 80%'],
    ['a discount', 'Contact: Ann Lee\nDiscount: 20%'],
    ['boxes of a former owner', `Former owner (until 2024)\n${boxes}`],
    ['boxes of an accountant', `Accountant\n${boxes}`],
  ])('%s makes nobody an owner', (_, text) => {
    expect(ownersIn(text)).toEqual([])
  })

  test('shares that come to more than all there is are not sure', () => {
    expect(ownersIn('Ownership: Ann Lee 60%, Bob Lee 60%')).toEqual([])
  })
})
