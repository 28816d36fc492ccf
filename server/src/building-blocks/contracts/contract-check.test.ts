import { describe, expect, test } from 'vitest'
import demoContract from '../../cli/demo-contract.json' with { type: 'json' }
import { checkContract } from './contract-check.ts'

type Json = Record<string, unknown>

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
    expect(checkContract(demoContract)).toEqual([])
  })

  test.each<[string, unknown, string, string]>([
    ['no object', 'x', '', 'must be of type object'],
    ['an unknown key', contractOf([{ colour: 'red' }]), '/questions/0/colour', 'not known'],
    ['an unknown type', contractOf([{ type: 'colour' }]), '/questions/0/type', 'must be one of'],
    ['a key that is there twice', contractOf([{ key: 'a' }, { key: 'a' }]), '/questions/1/key', 'a is there twice'],
    ['a section that is not there', contractOf([{ section: 'three' }]), '/questions/0/section', 'no section three'],
    [
      'a share that begins above 100',
      contractOf([{ type: 'percent', validation: { min: 150 } }]),
      '/questions/0/validation/min',
      'more than max',
    ],
    [
      'more choices than there are options',
      contractOf([{ type: 'multi_choice', options, validation: { min_items: 3 } }]),
      '/questions/0/validation/min_items',
      'more than its 2 options',
    ],
    [
      'days relative to today the wrong way round',
      contractOf([
        { type: 'date' },
        { visible_when: { question: 'q0', operator: 'between', value: ['today', 'today-1 years'] } },
      ]),
      '/questions/1/visible_when',
      'wrong way round',
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
      'a contract has at most 1048576',
    ],
    ['a choice without options', contractOf([{ type: 'single_choice' }]), '/questions/0/options', 'needs options'],
    [
      'an option that is there twice',
      contractOf([{ type: 'single_choice', options: [...options, options[0]] }]),
      '/questions/0/options/2/value',
      'a is there twice',
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
    ['options on a text', contractOf([{ options }]), '/questions/0/options', 'Only choices have options'],
    ['a group without questions', contractOf([{ type: 'group' }]), '/questions/0/questions', 'needs questions'],
    [
      'a text that repeats',
      contractOf([{ repeat: { min: 0, max: 1, item_label: 'X' } }]),
      '/questions/0/repeat',
      'Only a group',
    ],
    ['a group in a group', contractOf([group([{ type: 'group' }])]), '/questions/0/questions/0/type', 'must be one of'],
    [
      'a display that is required',
      contractOf([{ type: 'display', required: true }]),
      '/questions/0/required',
      'takes no answer',
    ],
    [
      'a word of another type',
      contractOf([{ validation: { max_files: 2 } }]),
      '/questions/0/validation/max_files',
      'not max_files',
    ],
    [
      'bounds the wrong way round',
      contractOf([{ type: 'integer', validation: { min: 5, max: 4 } }]),
      '/questions/0/validation/min',
      'more than max',
    ],
    [
      'money bounds the wrong way round',
      contractOf([{ type: 'money', validation: { min: '10.00', max: '9.99' } }]),
      '/questions/0/validation/min',
      'more than max',
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
      'is a date, today',
    ],
    [
      'a pattern nobody can run safely',
      contractOf([{ validation: { pattern: '(a+)\\1' } }]),
      '/questions/0/validation/pattern',
      'not understood',
    ],
    [
      'uniqueness outside a group',
      contractOf([{ validation: { unique_in_group: true } }]),
      '/questions/0/validation/unique_in_group',
      'not in a group',
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
      'A condition is an object',
    ],
    [
      'a condition with an unknown word',
      contractOf([{ visible_when: { question: 'q0', operator: 'equals', valeu: 1 } }]),
      '/questions/0/visible_when/valeu',
      'has no valeu',
    ],
    [
      'an operator that does not fit the type',
      contractOf([{ type: 'boolean' }, { visible_when: { question: 'q0', operator: 'gt', value: 1 } }]),
      '/questions/1/visible_when',
      'not by gt',
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
      'belongs to the group q0',
    ],
    [
      'a reference into another group',
      contractOf([group([{ key: 'inner', type: 'boolean' }]), group([{ key: 'other', visible_when: yes('inner') }])]),
      '/questions/1/questions/0/visible_when/question',
      'cannot reach into another group',
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
    const problems = checkContract(contract)
    expect(problems).toContainEqual({ place, message: expect.stringContaining(message) })
  })

  test('all problems are told at once', () => {
    const contract = contractOf([{ section: 'three' }, { options }, { validation: { pattern: '(' } }])
    expect(checkContract(contract).map(({ place }) => place)).toEqual([
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
    expect(checkContract(contract)).toEqual([])
  })
})
