// Everything that can be wrong with a contract, found before it is published: each problem names its place.
import { checkAgainst, type Problem } from '../../platform/protocol/validation.ts'
import { counted } from '../../platform/values/counted.ts'
import { tooFewDifferentAnswers } from './answerable-bounds.ts'
import { checkableDraft } from './checkable-draft.ts'
import { conditionValueProblem } from './condition-check.ts'
import { comparisonsOf } from './conditions.ts'
import { circularConditions } from './contract-circles.ts'
import { type ContractModel, modelOf, optionsOf } from './contract-model.ts'
import {
  type Condition,
  ContractDraft,
  type ContractProblem,
  type GroupedQuestion,
  type Question,
} from './contract-schema.ts'
import { validationProblems } from './validation-words.ts'

/** Contracts are kept in memory and sent whole. */
const maximumBytes = 1024 * 1024
/** More than the deepest condition of a question in a group. */
const maximumDepth = 32

const checkShape = checkAgainst(ContractDraft)

/** `today` decides whether a bound relative to the day can still be met. */
export function checkContract(draft: unknown, today: string): ContractProblem[] {
  // First of all: everything below goes through the draft by recursion.
  if (isDeeperThan(draft, maximumDepth))
    return [{ place: '', message: `It must be nested at most ${maximumDepth} levels deep.` }]
  const size = Buffer.byteLength(JSON.stringify(draft) ?? '')
  if (size > maximumBytes)
    return [{ place: '', message: `It must have at most ${maximumBytes} bytes; it has ${size}.` }]
  const misshapen = checkShape(draft)
  const problems = misshapen.map(({ pointer, message }) => ({ place: pointer, message }))
  // What a list that is too long holds has not been looked at.
  const checkable = misshapen.some((problem) => isOverlongList(draft, problem))
    ? undefined
    : checkableDraft(
        draft,
        misshapen.filter(({ code }) => code !== 'unknown_field').map(({ pointer }) => pointer),
      )
  if (!checkable) return problems
  const { contract, malformed, conditionProblems } = checkable
  const model = modelOf(contract)
  return [
    ...problems,
    ...conditionProblems,
    ...repeatedKeys(contract),
    ...questionProblems(contract, malformed, today),
    ...conditionsIn(contract).flatMap((one) => referenceProblems(model, one, malformed)),
    ...circularConditions(model),
  ]
}

function isDeeperThan(value: unknown, levels: number): boolean {
  let here: unknown[] = [value]
  for (let depth = 0; here.length > 0; depth++) {
    if (depth > levels) return true
    here = here.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []))
  }
  return false
}

function isOverlongList(draft: unknown, { code, pointer }: Problem): boolean {
  if (code !== 'too_long') return false
  let value: unknown = draft
  for (const name of pointer.split('/').slice(1)) {
    // safe because absent members are undefined
    value = (value as Record<string, unknown> | undefined)?.[name]
  }
  return Array.isArray(value)
}

interface PlacedCondition {
  place: string
  condition: Condition
  /** The group whose questions can be named besides those of the top level. */
  group?: Question
}

function conditionsIn({ sections, questions }: ContractDraft): PlacedCondition[] {
  const found: PlacedCondition[] = []
  const add = (place: string, condition: Condition | undefined, group?: Question) => {
    if (condition !== undefined) found.push({ place, condition, ...(group && { group }) })
  }
  for (const [index, section] of sections.entries()) add(`/sections/${index}/visible_when`, section.visible_when)
  const addQuestion = (place: string, question: Question | GroupedQuestion, group?: Question) => {
    add(`${place}/visible_when`, question.visible_when, group)
    add(`${place}/required_when`, question.required_when, group)
  }
  for (const [index, question] of questions.entries()) {
    addQuestion(`/questions/${index}`, question)
    for (const [at, inner] of question.questions?.entries() ?? [])
      addQuestion(`/questions/${index}/questions/${at}`, inner, question)
  }
  return found
}

/** Keys and values that must be unique and are not. */
function repeatedKeys({ sections, questions, option_sets = {} }: ContractDraft): ContractProblem[] {
  const repeated = (place: string, field: string, names: readonly string[]): ContractProblem[] =>
    names.flatMap((name, index) =>
      names.indexOf(name) === index
        ? []
        : [
            {
              place: `${place}/${index}/${field}`,
              message: `${name} must be unique: ${place}/${names.indexOf(name)}/${field} has the same value.`,
            },
          ],
    )
  const keysOf = (list: readonly { key: string }[]) => list.map(({ key }) => key)
  const valuesOf = (list: readonly { value: string }[] = []) => list.map(({ value }) => value)
  return [
    ...repeated('/sections', 'key', keysOf(sections)),
    ...repeated('/questions', 'key', keysOf(questions)),
    ...questions.flatMap((question, index) => [
      ...repeated(`/questions/${index}/questions`, 'key', keysOf(question.questions ?? [])),
      ...repeated(`/questions/${index}/options`, 'value', valuesOf(question.options)),
      ...(question.questions ?? []).flatMap((inner, at) =>
        repeated(`/questions/${index}/questions/${at}/options`, 'value', valuesOf(inner.options)),
      ),
    ]),
    ...Object.entries(option_sets).flatMap(([name, options]) =>
      repeated(`/option_sets/${name}`, 'value', valuesOf(options)),
    ),
  ]
}

/** What contradicts itself within one question. */
function questionProblems(contract: ContractDraft, malformed: ReadonlySet<string>, today: string): ContractProblem[] {
  const sections = new Set(contract.sections.map(({ key }) => key))
  const check = (place: string, question: Question | GroupedQuestion, group?: Question): ContractProblem[] => {
    const problems: ContractProblem[] = []
    const add = (field: string, message: string) => problems.push({ place: `${place}/${field}`, message })
    const isChoice = question.type === 'single_choice' || question.type === 'multi_choice'
    if (isChoice) {
      if ((question.options === undefined) === (question.option_set === undefined))
        add('options', `${question.key} must have either options or an option_set.`)
      else if (question.option_set !== undefined && !Object.hasOwn(contract.option_sets ?? {}, question.option_set))
        add('option_set', `The contract has no option set ${question.option_set}.`)
    } else {
      for (const field of ['options', 'option_set', 'allow_other'] as const) {
        if (question[field] !== undefined)
          add(
            field,
            `${field} is allowed only for single_choice and multi_choice; ${question.key} is of type ${question.type}.`,
          )
      }
    }
    if (question.type === 'display') {
      for (const field of ['required', 'required_when', 'maps_to', 'autofill'] as const) {
        if (question[field] !== undefined) add(field, `${question.key} only displays text and accepts no answer.`)
      }
    }
    problems.push(...validationProblems(question, `${place}/validation`, { isGrouped: group !== undefined, today }))
    const { min_items = 0 } = question.validation ?? {}
    const count = optionCount(contract, question)
    if (question.type === 'multi_choice' && !question.allow_other && count > 0 && min_items > count)
      add(
        'validation/min_items',
        `min_items of ${question.key} must be at most ${count}: the question has ${counted(count, 'option')}.`,
      )
    const tooFew = tooFewDifferentAnswers(question, count, group?.repeat?.min ?? 0)
    if (tooFew) add('validation/unique_in_group', `No answer to ${question.key} can be valid: ${tooFew}.`)
    return problems
  }
  return contract.questions.flatMap((question, index) => {
    const place = `/questions/${index}`
    const problems = check(place, question)
    if (!sections.has(question.section) && !malformed.has(question.section) && !malformed.has(question.key))
      problems.push({ place: `${place}/section`, message: `The contract has no section ${question.section}.` })
    if (question.type === 'group') {
      if (!question.questions) problems.push({ place: `${place}/questions`, message: 'A group must have questions.' })
      if (!question.repeat)
        problems.push({ place: `${place}/repeat`, message: 'A group must have repeat with min and max.' })
      if (question.repeat && question.repeat.min > question.repeat.max)
        problems.push({ place: `${place}/repeat`, message: 'min must not be more than max.' })
    } else {
      for (const field of ['questions', 'repeat'] as const) {
        if (question[field] !== undefined)
          problems.push({
            place: `${place}/${field}`,
            message: `${field} is allowed only for questions of type group.`,
          })
      }
    }
    return [
      ...problems,
      ...(question.questions ?? []).flatMap((inner, at) => check(`${place}/questions/${at}`, inner, question)),
    ]
  })
}

function optionCount({ option_sets = {} }: ContractDraft, { options, option_set = '' }: Question | GroupedQuestion) {
  return (options ?? (Object.hasOwn(option_sets, option_set) ? option_sets[option_set] : undefined))?.length ?? 0
}

function referenceProblems(
  model: ContractModel,
  { place, condition, group }: PlacedCondition,
  malformed: ReadonlySet<string>,
): ContractProblem[] {
  const own = group && model.groups.get(group.key)
  return comparisonsOf(condition, place).flatMap(({ place: at, comparison }) => {
    if (malformed.has(comparison.question)) return []
    const question = own?.questions.get(comparison.question) ?? model.questions.get(comparison.question)
    if (question) {
      const message = conditionValueProblem(comparison, question, optionsOf(model, question))
      return message === undefined ? [] : [{ place: at, message }]
    }
    const other = [...model.groups.values()].find(({ questions }) => questions.has(comparison.question))
    const message = other
      ? `${comparison.question} is in the group ${other.question.key}; a condition must name a question of its own group or of the top level.`
      : `The contract has no question ${comparison.question}.`
    return [{ place: `${at}/question`, message }]
  })
}
