import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holds } from './conditions.ts'
import { checkContract } from './contract-check.ts'
import { modelOf } from './contract-model.ts'
import type { Condition, ContractDraft, GroupedQuestion, Question } from './contract-schema.ts'
import { type AnswerSet, evaluate, type ItemValues } from './evaluation.ts'

const today = '2026-11-15'
const yes = (question: string): Condition => ({ question, operator: 'equals', value: true })
const boolean = (key: string, more: Partial<Question> = {}): Question => ({
  key,
  section: 'one',
  type: 'boolean',
  label: key,
  ...more,
})

describe('what a questionnaire asks', () => {
  test('a hidden question behaves as absent: not required, and ignored by other conditions', () => {
    const evaluation = evaluateBooleans(
      [
        boolean('a'),
        boolean('b', { visible_when: yes('a'), required: true }),
        boolean('c', { visible_when: yes('b') }),
        boolean('d', { visible_when: { question: 'b', operator: 'exists', value: false } }),
      ],
      { a: false, b: true },
    )
    expect(['a', 'b', 'c', 'd'].map(evaluation.isVisible)).toEqual([true, false, false, true])
    expect(evaluation.isRequired('b')).toBe(false)
  })

  test('a hidden section hides its questions', () => {
    const contract = contractOf([boolean('a'), boolean('b', { section: 'two', required: true })])
    contract.sections.push({ key: 'two', title: 'Two', visible_when: yes('a') })
    const ask = (a: boolean) => evaluate(modelOf(contract), answersOf({ a }), today)
    expect(
      [true, false].map((a) => [ask(a).isSectionVisible('two'), ask(a).isVisible('b'), ask(a).isRequired('b')]),
    ).toEqual([
      [true, true, true],
      [false, false, false],
    ])
  })

  test('a hidden group hides what is in it, and has no items to exist', () => {
    const group = groupOf('owners', [{ key: 'is_director', type: 'boolean', label: 'Director', required: true }], {
      visible_when: yes('a'),
    })
    const contract = contractOf([
      boolean('a'),
      group,
      boolean('b', { visible_when: { question: 'owners', operator: 'exists', value: true } }),
    ])
    const item: ItemValues = { id: 'itm_1', values: new Map([['is_director', true]]) }
    const ask = (a: boolean) => evaluate(modelOf(contract), answersOf({ a }, { owners: [item] }), today)
    expect(
      [true, false].map((a) => [ask(a).inItem('owners', item).isRequired('is_director'), ask(a).isVisible('b')]),
    ).toEqual([
      [true, true],
      [false, false],
    ])
  })

  test('in an item a key means the same item, then the top level, never a sibling', () => {
    const group = groupOf('owners', [
      { key: 'foreign', type: 'boolean', label: 'Foreign' },
      { key: 'visa', type: 'text', label: 'Visa', visible_when: yes('foreign') },
      { key: 'note', type: 'text', label: 'Note', visible_when: yes('urgent') },
    ])
    const contract = contractOf([boolean('foreign'), boolean('urgent'), group])
    const items = [true, false, undefined].map(
      (foreign, index): ItemValues => ({
        id: `itm_${index}`,
        values: new Map(foreign === undefined ? [] : [['foreign', foreign]]),
      }),
    )
    const evaluation = evaluate(modelOf(contract), answersOf({ foreign: true, urgent: true }, { owners: items }), today)
    expect(items.map((item) => evaluation.inItem('owners', item).isVisible('visa'))).toEqual([true, false, false])
    expect(items.map((item) => evaluation.inItem('owners', item).isVisible('note'))).toEqual([true, true, true])
  })

  test('required_when makes an asked question required', () => {
    const questions = [boolean('a'), boolean('b', { required_when: yes('a') })]
    expect([true, false].map((a) => evaluateBooleans(questions, { a }).isRequired('b'))).toEqual([true, false])
  })

  test('a chain as long as a contract may be, each condition as deep as it may be, is followed to its end', () => {
    const deep = (condition: Condition, levels: number): Condition =>
      levels === 0 ? condition : { all: [deep(condition, levels - 1)] }
    const questions = Array.from({ length: 500 }, (_, index) =>
      boolean(`q${index}`, index === 0 ? {} : { visible_when: deep(yes(`q${index - 1}`), 7) }),
    )
    expect(checkContract(contractOf(questions), today)).toEqual([])
    const values = Object.fromEntries(questions.map(({ key }) => [key, true]))
    expect(evaluateBooleans(questions.reverse(), values).isVisible('q499')).toBe(true)
  })

  test('for any contract and answers: what a naive evaluator says that asks everything anew each time', () => {
    fc.assert(
      fc.property(
        questionLists,
        fc.array(fc.option(fc.boolean(), { nil: undefined }), { minLength: 8 }),
        (questions, values) => {
          const contract = contractOf(questions)
          expect(checkContract(contract, today)).toEqual([])
          const given = Object.fromEntries(
            questions.flatMap(({ key }, index) => (values[index] === undefined ? [] : [[key, values[index]]])),
          )
          const evaluation = evaluate(modelOf(contract), answersOf(given), today)
          for (const { key } of questions) expect(evaluation.isVisible(key)).toBe(naivelyVisible(questions, given, key))
        },
      ),
      { numRuns: 500 },
    )
  })
})

function naivelyVisible(questions: readonly Question[], given: Record<string, unknown>, key: string): boolean {
  const question = questions.find((one) => one.key === key)
  return (
    question !== undefined &&
    holds(question.visible_when, (other) => (naivelyVisible(questions, given, other) ? given[other] : undefined), today)
  )
}

/** Each question may be about those before it, so there are no circles. */
const questionLists = fc
  .integer({ min: 1, max: 8 })
  .chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, index) =>
        (index === 0 ? fc.constant(undefined) : fc.option(conditionsAbout(index), { nil: undefined })).map(
          (visible_when) => boolean(`q${index}`, visible_when && { visible_when }),
        ),
      ),
    ),
  )

function conditionsAbout(count: number): fc.Arbitrary<Condition> {
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      fc.record({
        question: fc.integer({ min: 0, max: count - 1 }).map((index) => `q${index}`),
        operator: fc.constantFrom('equals' as const, 'not_equals' as const, 'exists' as const),
        value: fc.boolean(),
      }),
      ...(['all', 'any', 'not'] as const).map((word) =>
        // safe because the word is one of the three
        fc
          .array(tie('condition'), { minLength: 1, maxLength: 3 })
          .map((list) => ({ [word]: list }) as unknown as Condition),
      ),
    ),
  }))
  return condition
}

function contractOf(questions: readonly Question[]): ContractDraft {
  return {
    kind: 'client_intake',
    title: 'Test',
    locale: 'en',
    sections: [{ key: 'one', title: 'One' }],
    questions: [...questions],
  }
}

function groupOf(key: string, questions: GroupedQuestion[], more: Partial<Question> = {}): Question {
  return {
    key,
    section: 'one',
    type: 'group',
    label: key,
    repeat: { min: 0, max: 10, item_label: key },
    questions,
    ...more,
  }
}

function answersOf(values: Record<string, unknown>, items: Record<string, ItemValues[]> = {}): AnswerSet {
  return { values: new Map(Object.entries(values)), items: new Map(Object.entries(items)) }
}

function evaluateBooleans(questions: readonly Question[], values: Record<string, unknown>) {
  return evaluate(modelOf(contractOf(questions)), answersOf(values), today)
}
