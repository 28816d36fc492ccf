// When a question is asked, and when it must be answered. Pure: a condition, a way to look answers up, a day.
//   Nothing is known about an answer that is not there, or whose question is hidden: only `exists: false` holds for it.
//   An answer of several values fulfils a comparison when any of them does; `not_contains` when none of them is meant.

import type { Comparison, Condition, Operator } from './contract-schema.ts'
import { compareDecimals } from './decimals.ts'
import { resolveDay } from './relative-days.ts'

/** The answer to a question as conditions see it; undefined when there is none. */
export type AnswerTo = (question: string) => unknown

export function holds(condition: Condition | undefined, answerTo: AnswerTo, today: string): boolean {
  if (condition === undefined) return true
  if ('all' in condition) return condition.all.every((one) => holds(one, answerTo, today))
  if ('any' in condition) return condition.any.some((one) => holds(one, answerTo, today))
  if ('not' in condition) return !condition.not.some((one) => holds(one, answerTo, today))
  return compare(condition, answerTo(condition.question), today)
}

/** The comparisons in a condition, each with its place in it. */
export function comparisonsOf(
  condition: Condition | undefined,
  place = '',
): { place: string; comparison: Comparison }[] {
  if (condition === undefined) return []
  for (const word of ['all', 'any', 'not'] as const) {
    const list = (condition as Partial<Record<typeof word, readonly Condition[]>>)[word] // safe because absent words are undefined
    if (list) return list.flatMap((one, index) => comparisonsOf(one, `${place}/${word}/${index}`))
  }
  // safe because a condition is a list under one of the words, or a comparison
  return [{ place, comparison: condition as Comparison }]
}

function compare({ operator, value: expected }: Comparison, answer: unknown, today: string): boolean {
  if (operator === 'exists') return isThere(answer) === (expected ?? true)
  if (!isThere(answer)) return false
  if (Array.isArray(answer)) {
    if (operator === 'contains') return answer.some((one) => isEqual(one, expected, today))
    if (operator === 'not_contains') return !answer.some((one) => isEqual(one, expected, today))
    return answer.some((one) => comparisons[operator](one, expected, today))
  }
  return comparisons[operator](answer, expected, today)
}

function isThere(answer: unknown): boolean {
  return answer !== undefined && answer !== null && answer !== '' && !(Array.isArray(answer) && answer.length === 0)
}

const comparisons: Record<
  Exclude<Operator, 'exists'>,
  (answer: unknown, expected: unknown, today: string) => boolean
> = {
  equals: isEqual,
  not_equals: (answer, expected, today) => !isEqual(answer, expected, today),
  in: isAmong,
  not_in: (answer, expected, today) => !isAmong(answer, expected, today),
  contains: isPart,
  not_contains: (answer, expected) => !isPart(answer, expected),
  gt: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order > 0),
  gte: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order >= 0),
  lt: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order < 0),
  lte: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order <= 0),
  between: (answer, expected, today) =>
    Array.isArray(expected) &&
    isOrdered(answer, expected[0], today, (order) => order >= 0) &&
    isOrdered(answer, expected[1], today, (order) => order <= 0),
  before: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order < 0),
  after: (answer, expected, today) => isOrdered(answer, expected, today, (order) => order > 0),
}

/** Money is equal by its amount, a day by the day that is meant; everything else as it is written. */
function isEqual(answer: unknown, expected: unknown, today: string): boolean {
  if (answer === expected) return true
  if (isMoney(answer) || isDayText(answer)) return orderOf(answer, expected, today) === 0
  if (!isRecord(answer) || !isRecord(expected)) return false
  const names = Object.keys(answer)
  return names.length === Object.keys(expected).length && names.every((name) => answer[name] === expected[name])
}

function isAmong(answer: unknown, expected: unknown, today: string): boolean {
  return Array.isArray(expected) && expected.some((one) => isEqual(answer, one, today))
}

/** Part of a text, however it is written. */
function isPart(answer: unknown, expected: unknown): boolean {
  return (
    typeof answer === 'string' && typeof expected === 'string' && answer.toLowerCase().includes(expected.toLowerCase())
  )
}

function isOrdered(answer: unknown, expected: unknown, today: string, test: (order: number) => boolean): boolean {
  const order = orderOf(answer, expected, today)
  return order !== undefined && test(order)
}

/** Below zero when the answer comes first; undefined where there is no order, as between two currencies. */
function orderOf(answer: unknown, expected: unknown, today: string): number | undefined {
  if (typeof answer === 'number' && typeof expected === 'number') return answer - expected
  if (isMoney(answer)) {
    if (typeof expected === 'string') return compareDecimals(answer.amount, expected)
    if (!isMoney(expected) || answer.currency !== expected.currency) return undefined
    return compareDecimals(answer.amount, expected.amount)
  }
  if (typeof expected !== 'string' || !isDayText(answer)) return undefined
  const day = resolveDay(expected, today) ?? expected
  if (!isDayText(day)) return undefined
  // A month and a day are compared as months.
  const length = Math.min(answer.length, day.length)
  const [a, b] = [answer.slice(0, length), day.slice(0, length)]
  return a < b ? -1 : a > b ? 1 : 0
}

function isDayText(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}(-\d{2})?$/.test(value)
}

interface Money {
  amount: string
  currency: string
}

function isMoney(value: unknown): value is Money & Record<string, unknown> {
  return isRecord(value) && typeof value.amount === 'string' && typeof value.currency === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
