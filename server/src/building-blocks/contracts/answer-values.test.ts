import { describe, expect, test } from 'vitest'
import { valueProblem } from './answer-values.ts'
import { modelOf } from './contract-model.ts'
import type { Question, QuestionType, Validation } from './contract-schema.ts'

const today = '2026-11-15'
const usd = (amount: string) => ({ amount, currency: 'USD' })
const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }))

function problemOf(type: QuestionType, value: unknown, validation: Validation = {}, more: Partial<Question> = {}) {
  const question: Question = { key: 'q', section: 'one', type, label: 'Q', validation, ...more }
  return valueProblem(
    modelOf({ sections: [{ key: 'one', title: 'One' }], questions: [question] }),
    question,
    value,
    today,
  )
}

describe('values that fit their question', () => {
  test.each<[QuestionType, unknown, Validation?, Partial<Question>?]>([
    ['text', 'x'],
    ['text', '💶💶', { max_length: 2 }],
    ['text', 'AB123456', { pattern: '^[A-Z]{2}[0-9]{6}$' }],
    ['long_text', 'several\nlines'],
    ['boolean', false],
    ['integer', -5, { min: -5 }],
    ['integer', 12, { multiple_of: 4 }],
    ['decimal', 1.13, { multiple_of: 0.01 }],
    ['percent', 100],
    ['percent', 140, { max: 200 }],
    ['money', usd('25000.00'), { min: '25000', max: '25000.00' }],
    ['money', { amount: '1500', currency: 'JPY' }],
    ['date', '2008-11-15', { max_date: 'today-18 years' }],
    ['date', '2026-11-15', { min_date: 'today', max_date: 'today' }],
    ['year_month', '2026-11', { max_date: 'today' }],
    ['email', 'ann@example.com'],
    ['phone', '+14155550100'],
    ['url', 'https://example.com:8080/a?b=c'],
    ['single_choice', 'a', {}, { options }],
    ['single_choice', { other: 'mine' }, {}, { options, allow_other: true }],
    ['multi_choice', ['a', 'c'], { min_items: 2, max_items: 2 }, { options }],
    ['address', { line1: '1 Harbour Street', city: 'Boston', country: 'US' }],
    ['country', 'DE'],
    ['region', 'US-CA'],
    ['industry', { system: 'naics_2022', code: '311811' }],
    ['identifier', '12-3456789'],
    ['declaration', true],
  ])('%s takes %j', (type, value, validation, more) => {
    expect(problemOf(type, value, validation, more)).toBeUndefined()
  })
})

describe('values that do not fit, and what is said about them', () => {
  test.each<[QuestionType, unknown, Validation, Partial<Question>, string]>([
    ['text', '', {}, {}, 'q must have at least 1 character.'],
    ['text', '   ', {}, {}, 'must not be blank'],
    ['text', 5, {}, {}, 'of type string'],
    ['text', null, {}, {}, 'of type string'],
    ['text', 'x'.repeat(1001), {}, {}, 'at most 1000'],
    ['text', 'abc', { max_length: 2 }, {}, 'at most 2 characters'],
    ['text', 'a', { min_length: 2 }, {}, 'at least 2 characters'],
    ['text', 'abc', { pattern: '^[0-9]+$' }, {}, 'must match the pattern'],
    ['boolean', 'true', {}, {}, 'of type boolean'],
    ['integer', 1.5, {}, {}, 'of type integer'],
    ['integer', 2 ** 53, {}, {}, 'at most'],
    ['integer', 3, { max: 2 }, {}, 'must be at most 2'],
    ['integer', 5, { multiple_of: 4 }, {}, 'multiple of 4'],
    ['decimal', '1.5', {}, {}, 'of type number'],
    ['decimal', 1.135, { multiple_of: 0.01 }, {}, 'multiple of 0.01'],
    ['percent', 101, {}, {}, 'at most 100'],
    ['money', usd('1.001'), {}, {}, 'at most 2 decimal places'],
    ['money', { amount: '1.5', currency: 'JPY' }, {}, {}, 'at most 0 decimal places'],
    ['money', usd('9.99'), { min: '10' }, {}, 'at least 10'],
    ['money', { amount: 5, currency: 'USD' }, {}, {}, 'of type string'],
    ['money', { amount: '5' }, {}, {}, 'currency is required'],
    ['date', '2026-02-30', {}, {}, 'a date such as'],
    ['date', '2008-11-16', { max_date: 'today-18 years' }, {}, 'must not be after 2008-11-15'],
    ['date', '2019-12-31', { min_date: '2020-01-01' }, {}, 'must not be before 2020-01-01'],
    ['year_month', '2026-13', {}, {}, 'must be a month such as 2026-01'],
    ['year_month', '2026-12', { max_date: 'today' }, {}, 'must not be after 2026-11'],
    ['email', 'ann', {}, {}, 'e-mail address'],
    ['phone', '555', {}, {}, 'E.164'],
    ['url', 'ftp://example.com', {}, {}, 'must be an http or https URL'],
    ['single_choice', 'd', {}, { options }, 'one of its options (a, b, c)'],
    ['single_choice', { other: 'mine' }, {}, { options }, 'one of its options'],
    ['single_choice', { other: ' ' }, {}, { options, allow_other: true }, '{"other": "a text"}'],
    ['multi_choice', 'a', {}, { options }, 'must be a list'],
    ['multi_choice', ['a', 'a'], {}, { options }, 'must not repeat a value'],
    ['multi_choice', [], {}, { options }, 'at least 1 choice.'],
    ['multi_choice', ['a', 'b'], { max_items: 1 }, { options }, 'at most 1 choice.'],
    ['multi_choice', ['a', 'x'], {}, { options }, 'one of its options'],
    ['address', { line1: 'x', city: 'y' }, {}, {}, 'country is required'],
    ['country', 'XX', {}, {}, 'country code'],
    ['industry', { system: 'naics_2022', code: '0' }, {}, {}, 'code must have the format of its system'],
    ['declaration', false, {}, {}, 'must be true'],
    ['file', 'fil_1', {}, {}, 'answered by files'],
    ['group', [], {}, {}, 'adding items'],
    ['display', 'x', {}, {}, 'accepts no answer'],
  ])('%s refuses %j (%j)', (type, value, validation, more, message) => {
    expect(problemOf(type, value, validation, more)).toContain(message)
  })
})
