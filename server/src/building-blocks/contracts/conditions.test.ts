import { describe, expect, test } from 'vitest'
import { holds } from './conditions.ts'
import type { Comparison, Condition } from './contract-schema.ts'

const today = '2026-11-15'
const usd = (amount: string) => ({ amount, currency: 'USD' })

describe('conditions', () => {
  test.each<[unknown, Comparison['operator'], unknown, boolean]>([
    ['x', 'exists', true, true],
    ['x', 'exists', undefined, true],
    ['x', 'exists', false, false],
    [undefined, 'exists', true, false],
    [undefined, 'exists', false, true],
    [[], 'exists', true, false],
    [false, 'exists', true, true],
    [0, 'exists', true, true],
    ['a', 'equals', 'a', true],
    ['a', 'equals', 'A', false],
    [usd('25000.00'), 'equals', usd('25000'), true],
    [usd('25000.00'), 'equals', { amount: '25000.00', currency: 'EUR' }, false],
    [{ system: 'naics_2022', code: '311811' }, 'equals', { code: '311811', system: 'naics_2022' }, true],
    ['a', 'not_equals', 'b', true],
    ['a', 'not_equals', 'a', false],
    ['a', 'in', ['b', 'a'], true],
    ['a', 'in', ['b'], false],
    ['a', 'not_in', ['b'], true],
    ['a', 'not_in', ['a'], false],
    ['Lee Bakery', 'contains', 'bake', true],
    ['Lee Bakery', 'not_contains', 'bank', true],
    [5, 'gt', 4, true],
    [5, 'gt', 5, false],
    [5, 'gte', 5, true],
    [5, 'lt', 6, true],
    [5, 'lte', 4, false],
    [5, 'between', [5, 6], true],
    [7, 'between', [5, 6], false],
    [usd('9007199254740993.01'), 'gt', '9007199254740993.00', true],
    [usd('10.00'), 'gt', usd('9.99'), true],
    [usd('10.00'), 'gt', { amount: '9.99', currency: 'EUR' }, false],
    ['2026-01-31', 'before', '2026-02-01', true],
    ['2026-02-01', 'after', '2026-02-01', false],
    ['2008-11-15', 'lte', 'today-18 years', true],
    ['2008-11-16', 'lte', 'today-18 years', false],
    ['2026-11', 'equals', '2026-11', true],
    ['2026-10', 'before', 'today', true],
    ['2026-11', 'before', 'today', false],
    ['text', 'gt', 3, false],
    [usd('100.00'), 'equals', '100', true],
    [usd('100.00'), 'not_equals', '100', false],
    ['2026-11-15', 'equals', 'today', true],
    ['2026-11-15', 'in', ['today-1 days', 'today'], true],
    ['2026-11', 'equals', '2026-11-01', true],
    ['2026-07-15', 'after', '2026-07', false],
    ['2026-07-15', 'lte', '2026-07', true],
    ['abc', 'equals', 'abcd', false],
    ['0076-11-15', 'equals', 'today-1950 years', true],
    ['9999-12-31', 'equals', 'today+9000 years', true],
  ])('%j %s %j is %s', (answer, operator, value, expected) => {
    expect(holds({ question: 'q', operator, value }, () => answer, today)).toBe(expected)
  })

  test.each<[unknown[], Comparison['operator'], unknown, boolean]>([
    [['a', 'b'], 'equals', 'b', true],
    [['a', 'b'], 'equals', 'c', false],
    [['a', 'b'], 'not_equals', 'a', true],
    [['a'], 'not_equals', 'a', false],
    [['a', 'b'], 'in', ['c', 'b'], true],
    [['a', 'b'], 'contains', 'b', true],
    [['ab'], 'contains', 'a', false],
    [['a', 'b'], 'not_contains', 'c', true],
    [['a', 'b'], 'not_contains', 'a', false],
  ])('of several answers %j any may match: %s %j is %s', (answers, operator, value, expected) => {
    expect(holds({ question: 'q', operator, value }, () => answers, today)).toBe(expected)
  })

  test.each([
    'equals',
    'not_equals',
    'in',
    'not_in',
    'contains',
    'not_contains',
    'gt',
    'lt',
    'between',
    'before',
  ] as const)('without an answer %s does not hold, whatever it is compared with', (operator) => {
    for (const value of [true, false, 'a', 0, ['a'], [0, 1], '2026-01-01'])
      expect(holds({ question: 'q', operator, value }, () => undefined, today)).toBe(false)
  })

  test('a boolean has three states: not answered is neither true nor false', () => {
    const is = (value: boolean): Condition => ({ question: 'q', operator: 'equals', value })
    const states = [true, false, undefined].map((answer) => [
      holds(is(true), () => answer, today),
      holds(is(false), () => answer, today),
    ])
    expect(states).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ])
  })

  test('all, any and not (none of them) nest', () => {
    const a: Condition = { question: 'a', operator: 'equals', value: 1 }
    const b: Condition = { question: 'b', operator: 'equals', value: 1 }
    const table = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ].map(([x, y]) => {
      const answerTo = (key: string) => (key === 'a' ? x : y)
      return [{ all: [a, b] }, { any: [a, b] }, { not: [a, b] }, { all: [a, { not: [b] }] }].map((condition) =>
        Number(holds(condition, answerTo, today)),
      )
    })
    expect(table).toEqual([
      [0, 0, 1, 0],
      [0, 1, 0, 0],
      [0, 1, 0, 1],
      [1, 1, 0, 0],
    ])
  })
})
