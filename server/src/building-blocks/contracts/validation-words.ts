// The words a question's `validation` may use: which belong to which type, and whether each is well-formed.
import { knownContentTypes } from '../../platform/storage/content-sniffing.ts'
import { isDate } from '../../platform/values/times.ts'
import { unanswerableBound } from './answerable-bounds.ts'
import type { ContractProblem, GroupedQuestion, Question, QuestionType, Validation } from './contract-schema.ts'
import { isAmount } from './decimals.ts'
import { isFastEverywhere } from './pattern-ambiguity.ts'
import { isRelativeDay } from './relative-days.ts'
import { compilePattern, PatternError } from './safe-patterns.ts'

type Word = keyof Validation

const lengths = ['min_length', 'max_length'] as const satisfies Word[]
const numbers = ['min', 'max', 'multiple_of', 'unique_in_group'] as const satisfies Word[]

const wordsByType: Record<QuestionType, readonly Word[]> = {
  text: [...lengths, 'pattern', 'unique_in_group'],
  identifier: [...lengths, 'pattern', 'unique_in_group'],
  long_text: lengths,
  integer: numbers,
  decimal: numbers,
  percent: numbers,
  money: ['min', 'max'],
  date: ['min_date', 'max_date', 'unique_in_group'],
  year_month: ['min_date', 'max_date', 'unique_in_group'],
  email: ['unique_in_group'],
  phone: ['unique_in_group'],
  url: ['unique_in_group'],
  single_choice: ['unique_in_group'],
  multi_choice: ['min_items', 'max_items'],
  file: ['accept', 'max_bytes', 'min_files', 'max_files'],
  boolean: [],
  address: [],
  country: ['unique_in_group'],
  region: ['unique_in_group'],
  industry: [],
  declaration: [],
  group: [],
  display: [],
}

/** The longest text of each text type; a question may allow less. */
export const longestText = { text: 1000, identifier: 100, long_text: 20_000 } as const

export function validationProblems(
  { key, type, validation = {} }: Question | GroupedQuestion,
  place: string,
  { isGrouped, today }: { isGrouped: boolean; today: string },
): ContractProblem[] {
  const problems: ContractProblem[] = []
  const add = (word: Word, message: string) => problems.push({ place: `${place}/${word}`, message })
  const allowed = wordsByType[type]
  for (const word of Object.keys(validation) as Word[]) {
    // safe because the schema knows no other words
    if (!allowed.includes(word))
      add(
        word,
        `${word} is not allowed: ${key} is of type ${type}, which accepts ${allowed.length > 0 ? allowed.join(', ') : 'no validation'}.`,
      )
  }
  if (problems.length > 0) return problems
  const { pattern, min, max, multiple_of, min_date, max_date, unique_in_group, accept = [] } = validation
  for (const [index, contentType] of accept.entries()) {
    if (!knownContentTypes.includes(contentType))
      problems.push({
        place: `${place}/accept/${index}`,
        message: `${contentType} is not supported; it must be one of ${knownContentTypes.join(', ')}.`,
      })
  }
  if (unique_in_group !== undefined && !isGrouped)
    add('unique_in_group', `unique_in_group is allowed only for questions in a group; ${key} is not in a group.`)
  if (type in longestText) {
    const longest = longestText[type as keyof typeof longestText] // safe because it is one of its keys
    for (const word of lengths)
      if ((validation[word] ?? 0) > longest)
        add(word, `${word} must be at most ${longest}, the maximum length of the type ${type}.`)
  }
  if (pattern !== undefined) {
    try {
      if (!isFastEverywhere(compilePattern(pattern).program)) add('pattern', ambiguousPattern)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      add('pattern', `${error.message}.`)
    }
  }
  for (const [word, bound] of [
    ['min', min],
    ['max', max],
  ] as const) {
    const problem = bound === undefined ? undefined : boundProblem(type, bound)
    if (problem) add(word, `${word} of ${key} ${problem}.`)
  }
  if (type === 'integer' && multiple_of !== undefined && !Number.isInteger(multiple_of))
    add('multiple_of', `multiple_of of ${key} must be a whole number.`)
  for (const [word, day] of [
    ['min_date', min_date],
    ['max_date', max_date],
  ] as const) {
    if (day !== undefined && !isDate(day) && !isRelativeDay(day))
      add(
        word,
        `${word} of ${key} must be a date such as 2026-01-31, today, or a relative date such as today-18 years.`,
      )
  }
  if (problems.length > 0) return problems
  const impossible = unanswerableBound(type, validation, today)
  if (impossible) add(impossible.word, `No answer to ${key} can be valid: ${impossible.message}.`)
  return problems
}

const ambiguousPattern =
  'The pattern must not be ambiguous: a text that matches it in very many ways takes very long in other validators. Begin it with ^, and let neighbouring repeated parts accept different characters: ^a+$ instead of ^(a+)+$, ^[^@]+@[^@]+$ instead of ^.+@.+$.'

function boundProblem(type: QuestionType, bound: number | string): string | undefined {
  if (type === 'money') return isAmount(bound) ? undefined : 'must be a decimal string such as "25000.00"'
  if (typeof bound !== 'number') return 'must be a number'
  if (type === 'integer' && !Number.isSafeInteger(bound)) return 'must be a whole number'
  return undefined
}
