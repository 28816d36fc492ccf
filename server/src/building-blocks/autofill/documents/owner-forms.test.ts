import { describe, expect, test } from 'vitest'
import { findFacts } from './labelled-facts.ts'

/** People as `first last share`, in their order. */
function peopleIn(lines: string[]): string[] {
  const rows = new Map<number, string[]>()
  for (const { fact, text, row = 0 } of findFacts({ pages: [{ number: 1, lines, tables: [] }] })) {
    if (fact.startsWith('owner.')) rows.set(row, [...(rows.get(row) ?? []), text])
  }
  return [...rows.values()].map((texts) => texts.join(' '))
}

describe('people in forms', () => {
  test.each<[string, string[], string[]]>([
    [
      'a label and a share in brackets',
      ['Owner: Ann Lee (60%)', 'Owner: Bob Ray (40%)'],
      ['Ann Lee 60%', 'Bob Ray 40%'],
    ],
    [
      'numbers, and fields below the name',
      ['Owner 1: Ann Lee', 'Ownership: 60%', 'Owner 2: Bob Ray', 'Ownership: 40%'],
      ['Ann Lee 60%', 'Bob Ray 40%'],
    ],
    [
      'every field with its number',
      ['Owner 1 first name: Ann', 'Owner 1 last name: Lee', 'Owner 2 first name: Bob', 'Owner 2 last name: Ray'],
      ['Ann Lee', 'Bob Ray'],
    ],
    ['columns', ['Shareholder  Ann Lee', 'Shareholding  60%'], ['Ann Lee 60%']],
    ['a list below a heading', ['Shareholders:', 'Ann Lee 60%', 'Bob Ray 40%'], ['Ann Lee 60%', 'Bob Ray 40%']],
    ['a name with particles', ['Director: Jan van der Berg (25 %)'], ['Jan van der Berg 25%']],
    ['a company is nobody', ['Owner: Harbour Holdings Ltd'], []],
    ['rates are nobody', ['Interest Rate 5%', 'Owners', '', '', '', 'Base Rate 4%'], []],
    ['fields without an owner are nobody', ['First name: Ann', 'Last name: Lee'], []],
  ])('%s', (_, lines, people) => {
    expect(peopleIn(lines)).toEqual(people)
  })

  test('the last balance of a list of movements is the balance, whatever stands above it', () => {
    const table = [
      ['Date', 'Text', 'Balance'],
      ['2026-03-01', 'Opening', '1,000.00'],
      ['2026-03-31', 'Rent', '960.00'],
      ['', 'Total', ''],
    ]
    expect(findFacts({ pages: [{ number: 1, lines: [], tables: [table] }] })).toEqual([
      { fact: 'business.bank_balance', text: '960.00', confidence: 0.55, place: 'page 1, table 1, row 3' },
    ])
  })
})
