// E-mails that answer below each question they were sent: a question is the label of its answer, and whoever answers for the
// business is known by what they answer.
import { describe, expect, test } from 'vitest'
import { factsIn, filledIn, ownerFilled } from '../../../../../test/documents/facts-in-text.ts'

const questions = [
  '> 1. Exact legal name of the company, and what kind of entity?\nHarbor Lane Bakery LLC - it is a limited liability company.',
  '> 2. EIN?\n61-4408127',
  '> 3. Business phone and website?\n(401) 555-0138, www.hlb-bread.example',
  '> 4. How many people do you employ?\nCurrently 14. We began with three.',
  '> 5. Total sales 2025 (full year), and 2026 so far?\n2025: $1,655,210\n2026 January to October: $1,512,900',
  '> 6. Who owns the company? Please list everybody\n> with percentage.\nAnn Lee 80%\nBob Ray 20%',
]
const mail = (from: string, body: readonly string[]) =>
  `From: ${from}\nTo: Underwriting <docs@rayfunding.example>\nDate: Tue, 10 Nov 2026 08:51:17 -0500\nSubject: RE: missing information\n\nmy answers are below each question.\n\n${body.join('\n\n')}\n\nThanks\n\n-----Original Message-----\nFrom: Bob Fund <docs@rayfunding.example>\nTo: Ann Lee\nCall me: (212) 555-0172, EIN 55-1234567\n`
const answered = [
  ['employee_count', '14'],
  ['annual_revenue', '$ 1655210.00'],
  ['legal_form', 'it is a limited liability company.'],
  ['tax_id', '61-4408127'],
  ['phone', '(401) 555-0138'],
  ['website', 'www.hlb-bread.example'],
]

describe('an e-mail with answers', () => {
  test.each([
    ['an address that is called like the business', 'Ann Lee <ann@harborlane.example>'],
    ['somebody at the website that is answered', 'Carl Dunn <carl@hlb-bread.example>'],
  ])('from %s is filled in, the year that is over and each owner with it', (_, from) => {
    expect(filledIn(mail(from, questions)).sort()).toEqual(
      [...answered, ...ownerFilled('Ann', 'Lee', '80'), ...ownerFilled('Bob', 'Ray', '20')].sort(),
    )
  })

  test.each([
    ['a broker, who owns nothing', 'Carl Dunn <carl@dunnbrokers.example>'],
    ['somebody who only has the name of an owner', 'Ann Lee <ann@dunnbrokers.example>'],
  ])('from %s is only suggested', (_, from) => {
    expect(filledIn(mail(from, questions))).toEqual([])
  })

  test('shows the line that answers', () => {
    const facts = factsIn(mail('Ann Lee <ann@harborlane.example>', questions))
    expect(facts.find(({ fact }) => fact === 'business.tax_id')).toMatchObject({ line: 12, words: '61-4408127' })
  })

  test('finds what runs on below an answer, behind answers that became several lines', () => {
    const own = [...questions, '> 7. Where is the registered office?\nRegistered office: 14 Mill Road\nLeeds LS1 4AB']
    const facts = factsIn(mail('Ann Lee <ann@harborlane.example>', own), 'GB')
    expect(facts.find(({ fact }) => fact === 'business.registered_address')?.text).toBe('14 Mill Road, Leeds LS1 4AB')
  })

  test('whose answers say themselves what they are keeps their labels', () => {
    const own = [...questions.slice(0, 3), '> 4. Anything else?\nVAT number: 12-3456789\nFounded: 3 May 2012']
    expect(filledIn(mail('Ann Lee <ann@harborlane.example>', own))).toContainEqual(['founded_on', '2012-05-03'])
  })

  test('to two questions alone has no labels but its own', () => {
    const filled = filledIn(mail('Ann Lee <ann@harborlane.example>', questions.slice(0, 2)))
    expect(filled.filter(([fact]) => fact === 'tax_id')).toEqual([])
  })
})
