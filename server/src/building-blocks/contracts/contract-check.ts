// Everything that can be wrong with a contract, found before it is published: each problem names its place.
import { checkAgainst } from '../../platform/protocol/validation.ts'
import { conditionShapeProblems, conditionValueProblem } from './condition-check.ts'
import { comparisonsOf } from './conditions.ts'
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

const checkShape = checkAgainst(ContractDraft)

export function checkContract(draft: unknown): ContractProblem[] {
  const size = Buffer.byteLength(JSON.stringify(draft) ?? '')
  if (size > maximumBytes)
    return [{ place: '', message: `It has ${size} bytes; a contract has at most ${maximumBytes}.` }]
  const misshapen = checkShape(draft).map(({ pointer, message }) => ({ place: pointer, message }))
  if (misshapen.length > 0) return misshapen
  // safe because it has just passed the schema
  const contract = draft as ContractDraft
  const conditions = conditionsIn(contract)
  const misformed = conditions.flatMap(({ place, condition }) => conditionShapeProblems(condition, place))
  if (misformed.length > 0) return misformed
  const problems = [...doubleKeys(contract), ...questionProblems(contract)]
  if (problems.length > 0) return problems
  const model = modelOf(contract)
  const references = conditions.flatMap((one) => referenceProblems(model, one))
  return references.length > 0 ? references : circles(model)
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

/** Keys that stand twice where each may stand once. */
function doubleKeys({ sections, questions, option_sets = {} }: ContractDraft): ContractProblem[] {
  const doubles = (place: string, field: string, names: readonly string[]): ContractProblem[] =>
    names.flatMap((name, index) =>
      names.indexOf(name) === index
        ? []
        : [
            {
              place: `${place}/${index}/${field}`,
              message: `${name} is there twice; it is also entry ${names.indexOf(name)}.`,
            },
          ],
    )
  const keysOf = (list: readonly { key: string }[]) => list.map(({ key }) => key)
  const valuesOf = (list: readonly { value: string }[] = []) => list.map(({ value }) => value)
  return [
    ...doubles('/sections', 'key', keysOf(sections)),
    ...doubles('/questions', 'key', keysOf(questions)),
    ...questions.flatMap((question, index) => [
      ...doubles(`/questions/${index}/questions`, 'key', keysOf(question.questions ?? [])),
      ...doubles(`/questions/${index}/options`, 'value', valuesOf(question.options)),
      ...(question.questions ?? []).flatMap((inner, at) =>
        doubles(`/questions/${index}/questions/${at}/options`, 'value', valuesOf(inner.options)),
      ),
    ]),
    ...Object.entries(option_sets).flatMap(([name, options]) =>
      doubles(`/option_sets/${name}`, 'value', valuesOf(options)),
    ),
  ]
}

/** What does not go together within one question. */
function questionProblems(contract: ContractDraft): ContractProblem[] {
  const sections = new Set(contract.sections.map(({ key }) => key))
  const check = (place: string, question: Question | GroupedQuestion, isGrouped: boolean): ContractProblem[] => {
    const problems: ContractProblem[] = []
    const add = (field: string, message: string) => problems.push({ place: `${place}/${field}`, message })
    const isChoice = question.type === 'single_choice' || question.type === 'multi_choice'
    if (isChoice) {
      if ((question.options === undefined) === (question.option_set === undefined))
        add('options', `${question.key} needs options or an option_set, and not both.`)
      else if (question.option_set !== undefined && !Object.hasOwn(contract.option_sets ?? {}, question.option_set))
        add('option_set', `There is no option set ${question.option_set}.`)
    } else {
      for (const field of ['options', 'option_set', 'allow_other'] as const) {
        if (question[field] !== undefined)
          add(field, `Only choices have ${field}; ${question.key} is ${question.type}.`)
      }
    }
    if (question.type === 'display') {
      for (const field of ['required', 'required_when', 'maps_to', 'autofill'] as const) {
        if (question[field] !== undefined) add(field, `${question.key} only displays something and takes no answer.`)
      }
    }
    problems.push(...validationProblems(question, `${place}/validation`, isGrouped))
    const { min_items = 0 } = question.validation ?? {}
    const count = optionCount(contract, question)
    if (question.type === 'multi_choice' && !question.allow_other && count > 0 && min_items > count)
      add('validation/min_items', `min_items of ${question.key} is more than its ${count} options.`)
    return problems
  }
  return contract.questions.flatMap((question, index) => {
    const place = `/questions/${index}`
    const problems = check(place, question, false)
    if (!sections.has(question.section))
      problems.push({ place: `${place}/section`, message: `There is no section ${question.section}.` })
    if (question.type === 'group') {
      if (!question.questions) problems.push({ place: `${place}/questions`, message: 'A group needs questions.' })
      if (!question.repeat) problems.push({ place: `${place}/repeat`, message: 'A group says how often it repeats.' })
      if (question.repeat && question.repeat.min > question.repeat.max)
        problems.push({ place: `${place}/repeat`, message: 'min is more than max.' })
    } else {
      for (const field of ['questions', 'repeat'] as const) {
        if (question[field] !== undefined)
          problems.push({ place: `${place}/${field}`, message: `Only a group has ${field}.` })
      }
    }
    return [
      ...problems,
      ...(question.questions ?? []).flatMap((inner, at) => check(`${place}/questions/${at}`, inner, true)),
    ]
  })
}

function optionCount({ option_sets = {} }: ContractDraft, { options, option_set = '' }: Question | GroupedQuestion) {
  return (options ?? (Object.hasOwn(option_sets, option_set) ? option_sets[option_set] : undefined))?.length ?? 0
}

function referenceProblems(model: ContractModel, { place, condition, group }: PlacedCondition): ContractProblem[] {
  const own = group && model.groups.get(group.key)
  return comparisonsOf(condition, place).flatMap(({ place: at, comparison }) => {
    const question = own?.questions.get(comparison.question) ?? model.questions.get(comparison.question)
    if (question) {
      const message = conditionValueProblem(comparison, question, optionsOf(model, question))
      return message === undefined ? [] : [{ place: at, message }]
    }
    const other = [...model.groups.values()].find(({ questions }) => questions.has(comparison.question))
    const message = other
      ? `${comparison.question} belongs to the group ${other.question.key}: a condition cannot reach into another group.`
      : `There is no question ${comparison.question}.`
    return [{ place: `${at}/question`, message }]
  })
}

/** Circles among what decides whether a question is visible. */
function circles(model: ContractModel): ContractProblem[] {
  const { sections, questions } = model.contract
  const edges = new Map<string, string[]>()
  const places = new Map<string, string>()
  const named = (condition: Condition | undefined) =>
    comparisonsOf(condition).map(({ comparison }) => comparison.question)
  sections.forEach(({ key, visible_when }, index) => {
    places.set(`section ${key}`, `/sections/${index}/visible_when`)
    edges.set(`section ${key}`, named(visible_when))
  })
  questions.forEach((question, index) => {
    places.set(question.key, `/questions/${index}/visible_when`)
    edges.set(question.key, [`section ${question.section}`, ...named(question.visible_when)])
    const inner = new Set(question.questions?.map(({ key }) => key))
    question.questions?.forEach(({ key, visible_when }, at) => {
      const name = `${question.key}.${key}`
      places.set(name, `/questions/${index}/questions/${at}/visible_when`)
      edges.set(name, [
        question.key,
        ...named(visible_when).map((one) => (inner.has(one) ? `${question.key}.${one}` : one)),
      ])
    })
  })
  const done = new Set<string>()
  const problems: ContractProblem[] = []
  const walk = (name: string, path: readonly string[]) => {
    const start = path.indexOf(name)
    if (start !== -1) {
      const circle = [...path.slice(start), name].join(' → ')
      problems.push({ place: places.get(name) ?? '', message: `These decide about each other in a circle: ${circle}.` })
    }
    if (start !== -1 || done.has(name)) return
    for (const next of edges.get(name) ?? []) walk(next, [...path, name])
    done.add(name)
  }
  for (const name of edges.keys()) walk(name, [])
  return problems
}
