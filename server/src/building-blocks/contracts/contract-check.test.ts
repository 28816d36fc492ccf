import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import demoContract from '../../cli/demo-contract.json' with { type: 'json' }
import { checkContract } from './contract-check.ts'

type Json = Record<string, unknown>

const today = '2026-11-15'

/** A contract with these questions in a section `one`, besides a section `two`. */
function contractOf(questions: Json[], more: Json = {}): Json {
  return {
    kind: 'client_intake',
    title: 'Test',
    locale: 'en',
    sections: [
      { key: 'one', title: 'One' },
      { key: 'two', title: 'Two' },
    ],
    questions: questions.map((question, index) => ({
      key: `q${index}`,
      section: 'one',
      type: 'text',
      label: `Question ${index}`,
      ...question,
    })),
    ...more,
  }
}

const yes = (question: string) => ({ question, operator: 'equals', value: true })
/** A condition inside so many others. */
const nested = (depth: number): unknown => {
  let condition: unknown = yes('q0')
  for (let i = 0; i < depth; i++) condition = { all: [condition] }
  return condition
}
const group = (questions: Json[], more: Json = {}): Json => ({
  type: 'group',
  repeat: { min: 0, max: 5, item_label: 'Item' },
  questions: questions.map((question, index) => ({ key: `g${index}`, type: 'text', label: `G ${index}`, ...question })),
  ...more,
})
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
]

describe('publishing a contract', () => {
  test('the demo contract has nothing wrong with it', () => {
    expect(checkContract(demoContract, today)).toEqual([])
  })

  test.each<[string, unknown, string, string]>([
    ['20,000 nested conditions', contractOf([{ visible_when: nested(20_000) }]), '', 'at most 32 levels deep'],
    [
      'conditions nested deeper than anybody reads',
      contractOf([{ type: 'boolean' }, { visible_when: nested(9) }]),
      `/questions/1/visible_when${'/all/0'.repeat(8)}`,
      'at most 8 levels deep',
    ],
    ['no object', 'x', '', 'must be of type object'],
    ['an unknown key', contractOf([{ colour: 'red' }]), '/questions/0/colour', 'colour is not a known field'],
    ['an unknown type', contractOf([{ type: 'colour' }]), '/questions/0/type', 'must be one of'],
    ['a key that is there twice', contractOf([{ key: 'a' }, { key: 'a' }]), '/questions/1/key', 'a must be unique'],
    ['a section that is not there', contractOf([{ section: 'three' }]), '/questions/0/section', 'no section three'],
    [
      'a share that begins above 100',
      contractOf([{ type: 'percent', validation: { min: 150 } }]),
      '/questions/0/validation/min',
      'the minimum is 150 and the maximum is 100',
    ],
    [
      'more choices than there are options',
      contractOf([{ type: 'multi_choice', options, validation: { min_items: 3 } }]),
      '/questions/0/validation/min_items',
      'must be at most 2: the question has 2 options',
    ],
    [
      'days relative to today the wrong way round',
      contractOf([
        { type: 'date' },
        { visible_when: { question: 'q0', operator: 'between', value: ['today', 'today-1 years'] } },
      ]),
      '/questions/1/visible_when',
      'must not be more than the second',
    ],
    [
      'a country that is none',
      contractOf([{ type: 'country' }, { visible_when: { question: 'q0', operator: 'equals', value: 'XX' } }]),
      '/questions/1/visible_when',
      'a country such as US',
    ],
    [
      'more than anybody can hold',
      contractOf([{}], { title: 'x'.repeat(1024 * 1024) }),
      '',
      'must have at most 1048576 bytes',
    ],
    [
      'a choice without options',
      contractOf([{ type: 'single_choice' }]),
      '/questions/0/options',
      'must have either options or an option_set',
    ],
    [
      'an option that is there twice',
      contractOf([{ type: 'single_choice', options: [...options, options[0]] }]),
      '/questions/0/options/2/value',
      'a must be unique',
    ],
    [
      'an option set that is not there',
      contractOf([{ type: 'single_choice', option_set: 'colours' }]),
      '/questions/0/option_set',
      'no option set colours',
    ],
    [
      'an option set by a name every object has',
      contractOf([{ type: 'single_choice', option_set: 'constructor' }], { option_sets: {} }),
      '/questions/0/option_set',
      'no option set constructor',
    ],
    [
      'an industry that is none in a condition',
      contractOf([
        { type: 'industry' },
        { visible_when: { question: 'q0', operator: 'equals', value: { system: 1, code: [] } } },
      ]),
      '/questions/1/visible_when',
      'a system and a code',
    ],
    [
      'options on a text',
      contractOf([{ options }]),
      '/questions/0/options',
      'options is allowed only for single_choice and multi_choice',
    ],
    ['a group without questions', contractOf([{ type: 'group' }]), '/questions/0/questions', 'must have questions'],
    [
      'a text that repeats',
      contractOf([{ repeat: { min: 0, max: 1, item_label: 'X' } }]),
      '/questions/0/repeat',
      'allowed only for questions of type group',
    ],
    ['a group in a group', contractOf([group([{ type: 'group' }])]), '/questions/0/questions/0/type', 'must be one of'],
    [
      'a display that is required',
      contractOf([{ type: 'display', required: true }]),
      '/questions/0/required',
      'accepts no answer',
    ],
    [
      'a word of another type',
      contractOf([{ validation: { max_files: 2 } }]),
      '/questions/0/validation/max_files',
      'max_files is not allowed',
    ],
    [
      'bounds the wrong way round',
      contractOf([{ type: 'integer', validation: { min: 5, max: 4 } }]),
      '/questions/0/validation/min',
      'min must not be more than max',
    ],
    [
      'money bounds the wrong way round',
      contractOf([{ type: 'money', validation: { min: '10.00', max: '9.99' } }]),
      '/questions/0/validation/min',
      'min must not be more than max',
    ],
    [
      'a bound that is no number',
      contractOf([{ type: 'integer', validation: { min: 1.5 } }]),
      '/questions/0/validation/min',
      'whole number',
    ],
    [
      'a day that is none',
      contractOf([{ type: 'date', validation: { min_date: '2026-02-30' } }]),
      '/questions/0/validation/min_date',
      'must be a date such as',
    ],
    [
      'a pattern nobody can run safely',
      contractOf([{ validation: { pattern: '(a+)\\1' } }]),
      '/questions/0/validation/pattern',
      'not supported',
    ],
    [
      'uniqueness outside a group',
      contractOf([{ validation: { unique_in_group: true } }]),
      '/questions/0/validation/unique_in_group',
      'allowed only for questions in a group',
    ],
    [
      'a condition on nothing',
      contractOf([{ visible_when: yes('nothing') }]),
      '/questions/0/visible_when/question',
      'no question nothing',
    ],
    [
      'a condition that is a text',
      contractOf([{ visible_when: { all: ['q1'] } }]),
      '/questions/0/visible_when/all/0',
      'A condition must be an object',
    ],
    [
      'a condition with an unknown word',
      contractOf([{ visible_when: { question: 'q0', operator: 'equals', valeu: 1 } }]),
      '/questions/0/visible_when/valeu',
      'valeu is not a known field of a condition',
    ],
    [
      'an operator that does not fit the type',
      contractOf([{ type: 'boolean' }, { visible_when: { question: 'q0', operator: 'gt', value: 1 } }]),
      '/questions/1/visible_when',
      'gt is not allowed',
    ],
    [
      'a value that does not fit the type',
      contractOf([
        { type: 'integer' },
        { visible_when: { any: [{ question: 'q0', operator: 'equals', value: '5' }] } },
      ]),
      '/questions/1/visible_when/any/0',
      'compared with a number',
    ],
    [
      'an option that is not there in a condition',
      contractOf([
        { type: 'single_choice', options },
        { visible_when: { question: 'q0', operator: 'in', value: ['c'] } },
      ]),
      '/questions/1/visible_when',
      'no option c',
    ],
    [
      'a condition about a display',
      contractOf([{ type: 'display' }, { visible_when: { question: 'q0', operator: 'exists' } }]),
      '/questions/1/visible_when',
      'never answered',
    ],
    [
      'a reference into a group from outside',
      contractOf([group([{ key: 'inner', type: 'boolean' }]), { visible_when: yes('inner') }]),
      '/questions/1/visible_when/question',
      'inner is in the group q0',
    ],
    [
      'a reference into another group',
      contractOf([group([{ key: 'inner', type: 'boolean' }]), group([{ key: 'other', visible_when: yes('inner') }])]),
      '/questions/1/questions/0/visible_when/question',
      'must name a question of its own group',
    ],
    [
      'a circle of two',
      contractOf([
        { key: 'a', type: 'boolean', visible_when: yes('b') },
        { key: 'b', type: 'boolean', visible_when: yes('a') },
      ]),
      '/questions/0/visible_when',
      'a → b → a',
    ],
    [
      'a question about itself',
      contractOf([{ key: 'a', type: 'boolean', visible_when: { not: [yes('a')] } }]),
      '/questions/0/visible_when',
      'a → a',
    ],
    [
      'a circle through a section',
      contractOf([{ key: 'a', type: 'boolean', section: 'two' }], {
        sections: [
          { key: 'one', title: 'One' },
          { key: 'two', title: 'Two', visible_when: yes('a') },
        ],
      }),
      '/sections/1/visible_when',
      'section two → a → section two',
    ],
    [
      'a circle inside a group',
      contractOf([
        group([
          { key: 'a', type: 'boolean', visible_when: yes('b') },
          { key: 'b', type: 'boolean', visible_when: yes('a') },
        ]),
      ]),
      '/questions/0/questions/0/visible_when',
      'q0.a → q0.b → q0.a',
    ],
  ])('%s is refused, with its place', (_, contract, place, message) => {
    const problems = checkContract(contract, today)
    expect(problems).toContainEqual({ place, message: expect.stringContaining(message) })
  })

  test.each<[string, Json, string, string]>([
    ['integer', { min: 11, max: 19, multiple_of: 10 }, 'multiple_of', 'there is no multiple of 10 between 11 and 19'],
    ['integer', { min: -19, max: -11, multiple_of: 10 }, 'multiple_of', 'no multiple of 10'],
    ['integer', { min: 2 ** 53 - 3, multiple_of: 2 ** 53 - 4, max: 2 ** 53 - 1 }, 'multiple_of', 'no multiple of'],
    ['decimal', { min: 0.11, max: 0.19, multiple_of: 0.1 }, 'multiple_of', 'no multiple of 0.1'],
    ['decimal', { min: 2e15 }, 'min', 'the minimum is 2000000000000000 and the maximum is 1000000000000000'],
    ['percent', { max: -1 }, 'max', 'the minimum is 0 and the maximum is -1'],
    ['percent', { min: 61, max: 79, multiple_of: 20 }, 'multiple_of', 'no multiple of 20'],
    ['money', { min: '999999999999999.5', max: '999999999999999.9' }, 'min', 'no currency has an amount'],
    ['text', { min_length: 5, max_length: 4 }, 'min_length', 'must not be more than max_length'],
    ['multi_choice', { min_items: 2, max_items: 1 }, 'min_items', 'must not be more than max_items'],
    ['file', { min_files: 2, max_files: 1 }, 'min_files', 'must not be more than max_files'],
    ['date', { min_date: '2026-01-02', max_date: '2026-01-01' }, 'min_date', 'must not be more than max_date'],
    ['date', { min_date: 'today', max_date: '2020-01-01' }, 'min_date', 'must not be more than max_date'],
    ['date', { min_date: 'today', max_date: 'today-1 days' }, 'min_date', 'must not be more than max_date'],
  ])('%s with %j is refused: nobody could answer it', (type, validation, word, message) => {
    const contract = contractOf([{ type, validation, ...(type === 'multi_choice' && { options }) }])
    expect(checkContract(contract, today)).toEqual([
      { place: `/questions/0/validation/${word}`, message: expect.stringContaining(message) },
    ])
  })

  test.each<[string, Json]>([
    ['integer', { min: 11, max: 20, multiple_of: 10 }],
    ['integer', { min: -20, max: -11, multiple_of: 10 }],
    ['integer', { min: -5, max: 5, multiple_of: 100 }],
    ['decimal', { min: 0.3, max: 0.3, multiple_of: 0.1 }],
    ['decimal', { min: 1.13, max: 1.13, multiple_of: 0.01 }],
    ['money', { min: '10.001', max: '10.004' }],
    ['money', { min: '-0.0001', max: '-0.0001' }],
    ['date', { min_date: '2026-12-24', max_date: 'today' }],
    ['date', { min_date: 'today', max_date: '2026-11-15' }],
    ['date', { min_date: 'today-31 days', max_date: 'today-1 months' }],
  ])('%s with %j is published: there are answers', (type, validation) => {
    expect(checkContract(contractOf([{ type, validation }]), today)).toEqual([])
  })

  test('for any bounds of a whole number: refused exactly when no number fits', () => {
    const small = fc.integer({ min: -30, max: 30 })
    fc.assert(
      fc.property(small, small, fc.integer({ min: 1, max: 40 }), (min, max, multiple_of) => {
        const numbers = Array.from({ length: 61 }, (_, index) => index - 30)
        const isAnswerable = numbers.some((one) => one >= min && one <= max && one % multiple_of === 0)
        const contract = contractOf([{ type: 'integer', validation: { min, max, multiple_of } }])
        expect(checkContract(contract, today).length === 0).toBe(isAnswerable)
      }),
    )
  })

  test('unique answers in a group are refused when there are fewer than items', () => {
    const inner = (more: Json) => ({ required: true, validation: { unique_in_group: true }, ...more })
    const repeat = { min: 3, max: 5, item_label: 'Item' }
    const contract = contractOf([
      group([inner({ type: 'single_choice', options })], { repeat }),
      group([inner({ type: 'integer', validation: { unique_in_group: true, min: 1, max: 2 } })], { repeat }),
      group([inner({ type: 'integer', validation: { unique_in_group: true, min: 1, max: 3 } })], { repeat }),
      group([inner({ type: 'single_choice', options, allow_other: true })], { repeat }),
    ])
    expect(checkContract(contract, today)).toEqual([
      {
        place: '/questions/0/questions/0/validation/unique_in_group',
        message: expect.stringContaining(
          '3 different answers, one for each item, but the number of possible answers is 2',
        ),
      },
      {
        place: '/questions/1/questions/0/validation/unique_in_group',
        message: expect.stringContaining('possible answers is 2'),
      },
    ])
  })

  test('errors of form and of meaning are reported together, without any that follow from another', () => {
    const contract = contractOf(
      [
        { key: 'a', label: 5, validation: { min_length: 3, max_length: 2 } },
        { key: 'b', type: 'colour', visible_when: yes('nothing') },
        { key: 'c', visible_when: yes('b'), required_when: { question: 'a', operator: 'near' } },
        { key: 'd', validation: { min_length: 'x', pattern: '(' } },
        { key: 'e', type: 'single_choice', option_set: 'colours' },
        { key: 'f', section: 7, visible_when: { question: 'e', operator: 'equals', value: 'red' } },
        group([{ key: 'h', type: 'integer', help: 1, validation: { min: 2, max: 1 } }], { key: 'g', repeat: 'often' }),
        { key: 'i', visible_when: yes('missing') },
      ],
      { title: 9, option_sets: { colours: 'red' } },
    )
    expect(checkContract(contract, today).map(({ place }) => place)).toEqual([
      '/title',
      '/questions/0/label',
      '/questions/1/type',
      '/questions/3/validation/min_length',
      '/questions/5/section',
      '/questions/6/repeat',
      '/questions/6/questions/0/help',
      '/option_sets/colours',
      '/questions/2/required_when/operator',
      '/questions/0/validation/min_length',
      '/questions/3/validation/pattern',
      '/questions/6/questions/0/validation/min',
      '/questions/7/visible_when/question',
    ])
  })

  test('for any damage to a contract that can be published: problems, and never a crash', () => {
    const text = JSON.stringify(demoContract)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { minLength: 1, maxLength: 4 }), (damages) => {
        const draft: unknown = JSON.parse(text)
        for (const [where, value] of damages) damage(draft, where, value)
        const problems = checkContract(draft, today)
        for (const { message } of problems) expect(message).toMatch(/\.$/)
      }),
      { numRuns: 300 },
    )
  })

  test('all problems are told at once', () => {
    const contract = contractOf([{ section: 'three' }, { options }, { validation: { pattern: '(' } }])
    expect(checkContract(contract, today).map(({ place }) => place)).toEqual([
      '/questions/0/section',
      '/questions/1/options',
      '/questions/2/validation/pattern',
    ])
  })

  test('conditions may go back and forth as long as there is no circle, also by keys a group shares with the top level', () => {
    const contract = contractOf([
      { key: 'a', type: 'boolean' },
      group(
        [
          { key: 'a', type: 'boolean' },
          { key: 'b', visible_when: yes('a') },
        ],
        { key: 'g', visible_when: yes('a') },
      ),
      { key: 'c', visible_when: { question: 'g', operator: 'exists' }, required_when: yes('a') },
    ])
    expect(checkContract(contract, today)).toEqual([])
  })
})

/** Replaces one value, anywhere inside. */
function damage(draft: unknown, where: number, value: unknown): void {
  const holders: { holder: Record<string, unknown>; name: string }[] = []
  const collect = (one: unknown) => {
    if (one === null || typeof one !== 'object') return
    for (const [name, member] of Object.entries(one)) {
      holders.push({ holder: one as Record<string, unknown>, name }) // safe because lists have names as well: their numbers
      collect(member)
    }
  }
  collect(draft)
  const chosen = holders[where % holders.length]
  if (chosen) chosen.holder[chosen.name] = value
}
