import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import demoContract from '../../cli/demo-contract.json' with { type: 'json' }
import { answerSchema } from './answer-schema.ts'
import { valueProblem } from './answer-values.ts'
import { checkContract } from './contract-check.ts'
import { modelOf } from './contract-model.ts'
import type { ContractDraft, Question, QuestionType, Validation } from './contract-schema.ts'

const today = '2026-11-15'
const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }))

function contractOf(question: Question): ContractDraft {
  return {
    kind: 'client_intake',
    title: 'T',
    locale: 'en',
    sections: [{ key: 'one', title: 'One' }],
    questions: [question],
  }
}

const ajv = new Ajv2020({ strict: true, strictTypes: false, unicodeRegExp: true })
// safe because the package's default export is the plugin itself under both module systems
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020, formats: readonly string[]) => void
addFormats(ajv, ['date', 'email'])

function validatorOf(contract: Pick<ContractDraft, 'sections' | 'questions' | 'option_sets'>) {
  const id = 'https://portal.example.com/v1/contracts/ctr_1/schema.json'
  const text = JSON.stringify(answerSchema(contract, { id, title: 'T' }))
  const known = validators.get(text)
  if (known) return known
  ajv.removeSchema(id)
  const validate = ajv.compile(JSON.parse(text))
  validators.set(text, validate)
  return validate
}

/** By the text of the schema, as it is sent: many questions have the same one, and compiling takes most of the time. */
const validators = new Map<string, ValidateFunction>()

describe('the JSON Schema of the answers', () => {
  test('for any question and any value: it accepts what the service accepts and rejects what it rejects', () => {
    const counts = { accepted: 0, rejected: 0 }
    fc.assert(
      fc.property(questionsAndValues, ({ question, values }) => {
        const contract = contractOf(question)
        fc.pre(checkContract(contract, today).length === 0)
        const validate = validatorOf(contract)
        const model = modelOf(contract)
        for (const value of values) {
          const isAccepted = valueProblem(model, question, value, today) === undefined
          counts[isAccepted ? 'accepted' : 'rejected']++
          expect([question, value, validate({ [question.key]: value })]).toEqual([question, value, isAccepted])
        }
      }),
      { numRuns: 800 },
    )
    // A test in which one side never happened would prove nothing.
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(500)
  })

  test('the demo contract has one that refuses unknown questions and takes its groups', () => {
    // safe because it has passed the check of contracts, in the test of that check
    const validate = validatorOf(demoContract as unknown as ContractDraft)
    expect(validate({ legal_name: 'Lee Bakery LLC', owners: [{ first_name: 'Ann', ownership_percent: 60.25 }] })).toBe(
      true,
    )
    expect(validate({ colour: 'red' })).toBe(false)
    expect(validate({ owners: [{ colour: 'red' }] })).toBe(false)
    expect(validate({ bank_statements: 'fil_1' })).toBe(false)
  })
})

const amounts = fc.oneof(
  fc
    .tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom('', '.5', '.05', '.50', '.001', '.0001'))
    .map(([a, b]) => `${a}${b}`),
  fc.constantFrom('-0', '-0.00', '90071992547409.91', '90071992547409.92', '999999999999999', '007', '1.', 'x'),
)
const days = fc.constantFrom(
  '2020-01-01',
  '2019-12-31',
  '2020-02-29',
  '2021-02-29',
  '2026-11-15',
  '0000-01-01',
  '1999-10-10',
  '2020-1-1',
)

interface Kind {
  validations: fc.Arbitrary<Validation>
  values: fc.Arbitrary<unknown>
  more?: Partial<Question>
}
const none = fc.constant<Validation>({})
const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const compact = (validation: Validation): Validation =>
  Object.fromEntries(Object.entries(validation).filter(([, value]) => value !== undefined))
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', ' ', 'ab', 'AB123', '💶💶', 'a\nb'),
)
const lengths = fc.record({
  min_length: some(fc.integer({ min: 1, max: 4 })),
  max_length: some(fc.integer({ min: 2, max: 6 })),
  pattern: some(fc.constantFrom('^[A-Z]{2}', '[0-9]$', '^(a|b)+$', '\\S')),
})
const numbers = fc.record({
  min: some(fc.integer({ min: -10, max: 5 })),
  max: some(fc.integer({ min: 0, max: 200 })),
  multiple_of: some(fc.constantFrom(1, 2, 5)),
})
const numberValues = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.constantFrom(0.5, 1.13, 99.99, 100.01, 2 ** 53, -(2 ** 53), 1e15, 1e16),
)

const kinds: Partial<Record<QuestionType, Kind>> = {
  text: { validations: lengths, values: texts },
  identifier: { validations: lengths, values: texts },
  long_text: { validations: none, values: texts },
  boolean: { validations: none, values: fc.boolean() },
  declaration: { validations: none, values: fc.boolean() },
  integer: { validations: numbers, values: numberValues },
  decimal: { validations: numbers, values: numberValues },
  percent: { validations: numbers, values: numberValues },
  money: {
    validations: fc.record({
      min: some(fc.constantFrom('0', '10.00', '-5.5', '0.001')),
      max: some(fc.constantFrom('5000', '12.5')),
    }),
    values: fc.record({ amount: amounts, currency: fc.constantFrom('USD', 'JPY', 'KWD', 'CLF', 'XXX') }),
  },
  date: { validations: fc.record({ min_date: some(days), max_date: some(days) }), values: days },
  year_month: {
    validations: fc.record({ min_date: some(days), max_date: some(days) }),
    values: fc.constantFrom('2020-01', '2019-12', '2020-13', '0000-01', '2026-11', '2020-1'),
  },
  email: { validations: none, values: fc.constantFrom('ann@example.com', 'ann', 'a@b', `${'a'.repeat(250)}@b.co`) },
  phone: { validations: none, values: fc.constantFrom('+14155550100', '14155550100', '+0123', '+1415555010012345') },
  url: {
    validations: none,
    values: fc.constantFrom('https://example.com', 'http://a.b:80/x?y#z', 'ftp://a.b', 'https://', 'https://a b'),
  },
  country: { validations: none, values: fc.constantFrom('US', 'us', 'XX', 'DE') },
  region: { validations: none, values: fc.constantFrom('US-CA', 'US-XX', 'DE-HH', 'CA') },
  industry: {
    validations: none,
    values: fc.record({
      system: fc.constantFrom('naics_2022', 'nace_2', 'other'),
      code: fc.constantFrom('311811', 'A', '01.1', '0', ''),
    }),
  },
  address: {
    validations: none,
    values: fc.record(
      {
        line1: texts,
        city: fc.constantFrom('Boston', ''),
        country: fc.constantFrom('US', 'XX'),
        region: fc.constantFrom(null, 'US-MA', 'x'),
        colour: fc.constant(1),
      },
      { requiredKeys: ['line1', 'city'] },
    ),
  },
  single_choice: {
    validations: none,
    values: fc.constantFrom('a', 'd', { other: 'x' }, { other: ' ' }),
    more: { options },
  },
  multi_choice: {
    validations: fc.record({
      min_items: some(fc.integer({ min: 0, max: 2 })),
      max_items: some(fc.integer({ min: 1, max: 3 })),
    }),
    values: fc.array(fc.constantFrom('a', 'b', 'c', 'd', { other: 'x' }), { maxLength: 4 }),
    more: { options, allow_other: true },
  },
  file: { validations: none, values: fc.constant('fil_1') },
  display: { validations: none, values: fc.constant('x') },
}

const questionsAndValues = fc
  // safe because these are the types that have a kind
  .constantFrom(...(Object.entries(kinds) as [QuestionType, Kind][]))
  .chain(([type, { validations, values, more }]) =>
    fc.record({
      question: validations.map(
        (validation): Question => ({
          key: 'q',
          section: 'one',
          type,
          label: 'Q',
          validation: compact(validation),
          ...more,
        }),
      ),
      values: fc.array(fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.jsonValue() }), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  )
