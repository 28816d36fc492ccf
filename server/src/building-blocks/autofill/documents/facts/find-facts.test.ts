// What holds for any text at all.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf, steepestGrowth } from '../../../../../test/growth.ts'
import { readPlainText } from '../formats/plain-text.ts'
import { findFacts } from './find-facts.ts'

const subject = { legal_name: 'Acme Ltd', trading_name: null, country: 'GB' }
const find = (lines: readonly string[]) =>
  findFacts(readPlainText(Buffer.from(lines.join('\n'))), subject, '2026-11-16')

describe('for any text', () => {
  test('no error; every fact has a value, a place and a confidence, and at most one value of a fact is sure', () => {
    const words = fc.constantFrom(
      ...['Turnover', 'EIN', 'legal name', ':', '  ', '2024', '(1,200)', '£000', '60%', ',', 'Ann Lee', '@', 'address'],
      ...[
        '\t',
        'Acme Ltd',
        'year ended',
        '31 December 2025',
        'Total',
        'Jan',
        'between',
        'Owner',
        'Ownership',
        '·',
        '.',
      ],
      ...[
        'Umsatzerlöse',
        'Résultat net',
        'Saldo final',
        '-',
        '1.250,00',
        'HRB 123',
        'a@b.example',
        'line 6',
        '$1.9 million',
      ],
    )
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { facts } = find(lines)
        for (const { text, confidence, page, line: number } of facts) {
          expect(text.trim()).toBe(text)
          expect(text).not.toBe('')
          expect(confidence).toBeGreaterThan(0)
          expect(confidence).toBeLessThan(1)
          expect([page, number].every((place) => place >= 1)).toBe(true)
        }
        const sure = facts.filter(({ confidence, row }) => confidence >= 0.85 && row === undefined)
        expect(new Set(sure.map(({ fact }) => fact)).size).toBe(sure.length)
      }),
      { numRuns: 1_000, examples: [[['address', 'line 6', ',']]] },
    )
  })

  test.each<[string, (size: number) => string[]]>([
    ['one endless line of digits', (size) => ['1'.repeat(100 * size)]],
    ['one endless line of labels', (size) => ['closing balance: '.repeat(6 * size)]],
    ['labels without values', (size) => Array.from({ length: size }, () => 'Registered address:  Legal name:')],
    [
      'lines of figures',
      (size) => Array.from({ length: size }, (_, at) => `Turnover  ${at},000  (${at},5${'0'.repeat(60)})`),
    ],
    ['lines of commas', (size) => Array.from({ length: size }, () => `Ann Lee${', 5%'.repeat(25)}`)],
    ['lines of headings', (size) => Array.from({ length: size }, () => 'Account  2025  2024  Total')],
    [
      'whoever writes',
      (size) => [...mailHead, ...Array.from({ length: size }, () => `Owners: me, ${'A'.repeat(74)} 5%`)],
    ],
    ['lines of owners', (size) => Array.from({ length: size }, () => 'Owner: Ann Lee (5%)')],
    [
      'rows of businesses',
      (size) => [
        'Legal name  VAT number  Phone  Employees  Turnover 2025  Date founded',
        ...Array.from({ length: size }, (_, at) => `Lee ${at} Ltd  GB ${at}  020 ${at}  ${at}  ${at},000  2001-01-01`),
        'Harbor Lane Bakery LLC  GB 301 7725 85  020 7946 0355  38  2,318,750  2017-08-21',
      ],
    ],
    [
      'rows of contributions',
      (size) => Array.from({ length: size }, (_, at) => contributions[at % contributions.length] ?? ''),
    ],
    [
      'captions with commas',
      (size) => Array.from({ length: size / 5 }, () => 'Phone, 020 7946 0355  E-mail, a@b.example'),
    ],
    ['colons in brackets', (size) => Array.from({ length: size / 4 }, () => `Turnover (${'a: '.repeat(60)})  5,000`)],
    [
      'names in turned order',
      (size) => Array.from({ length: size }, (_, at) => (at % 50 === 0 ? 'Owner   Share' : `Lee${at} Peter   1%`)),
    ],
    ['streets', (size) => Array.from({ length: size }, () => 'Street address: 12 Old Road')],
    ['boxes of owners', (size) => Array.from({ length: size }, (_, at) => boxes[at % boxes.length] ?? '')],
    ['lines of dates', (size) => Array.from({ length: size }, () => '1 January 2025 to 31 March 2025  31.12.2025')],
  ])('%s: four times as much takes about four times as long, not sixteen', (_name, linesOf) => {
    expect(growthOf(find, linesOf(500), linesOf(2_000))).toBeLessThan(steepestGrowth)
  })
})

/** Lines of the longest length that is read, as a search with the lines of real documents found them to be dear. */
test.each<[string, string, string]>([
  ['dots that lead to an amount', 'Annual revenue 2025: ', '…0'],
  ['numbers', 'Turnover, year ended 31 December 2025, ', '1 1 '],
  ['years over columns', 'Net sales  ', '2025  '],
  ['days', 'Date registered  ', '1 Jan 2025 ()'],
  ['one endless word', 'Company profile ', 'é'],
  ['a word of dashes', 'Auskunft: Tel. ', '-'],
  ['slashes', 'Net income ', '/'],
  ['an endless number', 'Registernummer  ', '0'],
  ['shares', 'Owners: Ann Lee ', '5% '],
  ['commas before shares', 'Owners: Ann Lee', ' ,'],
  ['boxes', 'Legal form: ☒ ', ', '],
  ['boxes and amounts', 'Principal balance as of 10/31/2026: ', '☐ € 1 '],
  ['names with a colon', 'Articles of organization of name', ' NAME.'],
  ['places behind numbers', 'Registered address: 1 ', 'A 0000 A'],
])('%s: four times as wide takes about four times as long, not sixteen', (_, beginning, pump) => {
  const lines = (width: number) =>
    Array.from({ length: 4 }, () => beginning + pump.repeat(Math.ceil(width / pump.length)))
  expect(growthOf(find, lines(240), lines(960))).toBeLessThan(steepestGrowth)
})

const mailHead = [
  'From: Ann Lee <ann@harborlanebakery.example>',
  'To: Bank <b@bank.example>',
  'Subject: shares',
  'Company: Harbor Lane Bakery LLC',
]
const contributions = ['Capital   EUR 10', 'Gesellschafter   Stammeinlage', 'Ann Lee   EUR 5', 'Bob Lee   EUR 6']
const boxes = ['First name   Last name', 'Ann   Lee', 'Ownership %   Date of birth', '5   1978-03-09']
