import { describe, expect, test } from 'vitest'
import type { Line } from '../formats/document-text.ts'
import { joinWrapped, splitCells } from './cells.ts'
import { hasBoxes, tickedIn } from './choices.ts'

const textsOf = (line: Line) => line.map(({ text }) => text)
const cell = (text: string, left: number) => ({ text, left, right: left + 5 * text.length })

describe('cells of a line', () => {
  test.each<[string, string[]]>([
    ['First Bank · Tel. 0303 555 0100 | VAT 123', ['First Bank', 'Tel. 0303 555 0100', 'VAT 123']],
    ['Name: _Lee Bakery____ City: _Leeds_', ['Name: Lee Bakery', 'City: Leeds']],
    ['Gross receipts or sales . . . . . . . 1a', ['Gross receipts or sales', '1a']],
    ['EIN: 12-3456789; Phone: 555 0100', ['EIN: 12-3456789', 'Phone: 555 0100']],
    [
      'Registered No. 07729103. Registered office: 9 High St',
      ['Registered No. 07729103', 'Registered office: 9 High St'],
    ],
    ['Client: Lee Bakery — SIREN 793 551 029', ['Client: Lee Bakery', 'SIREN 793 551 029']],
    ['a_b@lee.example', ['a_b@lee.example']],
  ])('%s', (text, parts) => {
    expect(textsOf(splitCells([cell(text, 0)]))).toEqual(parts)
  })
})

describe('labels over several lines', () => {
  test('what runs on below belongs to the label of the figures', () => {
    const lines = [[cell('Profit for the financial', 40), cell('164,902', 400)], [cell('year', 40)]]
    expect(joinWrapped(lines).map(textsOf)).toEqual([['Profit for the financial year', '164,902'], []])
  })

  test('a value half-way between two lines has both as its label', () => {
    const lines = [[cell('Fecha inicio de', 40)], [cell('11 de junio de 2015', 200)], [cell('operaciones:', 40)]]
    expect(joinWrapped(lines).map(textsOf)).toEqual([['Fecha inicio de operaciones:', '11 de junio de 2015'], [], []])
  })

  test('a new label below is left alone', () => {
    const lines = [[cell('Turnover', 40), cell('164,902', 400)], [cell('Gross profit', 40)]]
    expect(joinWrapped(lines)).toEqual(lines)
  })
})

describe('boxes', () => {
  test.each<[string, string | undefined]>([
    ['☐ Sole trader ☐ Partnership ☒ Limited company ☐ Trust', 'Limited company'],
    ['[ ] LLC [ ] C Corp [X] S Corp [ ] Non-profit', 'S Corp'],
    ['□ Sole Proprietor □ Partnership ■ LLC', 'LLC'],
    ['☐ Sole trader ☐ Partnership', undefined],
    ['☒ Sole trader ☒ Partnership', undefined],
  ])('of %s the ticked one is %s', (text, choice) => {
    expect(hasBoxes(text)).toBe(true)
    expect(tickedIn(text)).toBe(choice)
  })
})
