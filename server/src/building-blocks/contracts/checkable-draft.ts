// A draft with errors of form, made checkable: each malformed part is left out or replaced by a harmless one in the same
// place, so that errors of meaning in the other parts are reported together with the errors of form.
import { escapePointer } from '../../platform/protocol/validation.ts'
import { conditionShapeProblems } from './condition-check.ts'
import type { ContractDraft, ContractProblem, GroupedQuestion, Question, Section } from './contract-schema.ts'

interface CheckableDraft {
  contract: ContractDraft
  /** Keys of questions and sections whose own form is wrong: nothing can be said about references to them. */
  malformed: ReadonlySet<string>
  /** What is wrong with the form of conditions, which the schema leaves open. */
  conditionProblems: readonly ContractProblem[]
}

type Json = Record<string, unknown>

/** Undefined when too little of the draft is well-formed to say anything about the rest. */
export function checkableDraft(draft: unknown, places: readonly string[]): CheckableDraft | undefined {
  if (!isObject(draft) || !Array.isArray(draft.sections) || !Array.isArray(draft.questions)) return undefined
  const isMalformed = (place: string) => places.some((one) => one === place || one.startsWith(`${place}/`))
  const malformed = new Set<string>()
  const conditionProblems: ContractProblem[] = []

  const keyOf = (part: unknown, place: string): string => {
    const key = isObject(part) && typeof part.key === 'string' ? part.key : `(${place})`
    malformed.add(key)
    return key
  }
  const withConditions = <Part extends object>(part: Part, place: string): Part => {
    const kept: Record<string, unknown> = Object.fromEntries(Object.entries(part))
    for (const name of ['visible_when', 'required_when']) {
      if (kept[name] === undefined) continue
      const problems = isObject(kept[name]) ? conditionShapeProblems(kept[name], `${place}/${name}`) : []
      conditionProblems.push(...problems)
      if (problems.length > 0 || isMalformed(`${place}/${name}`)) delete kept[name]
    }
    return kept as Part // safe because only optional fields were removed
  }

  const sections = draft.sections.map((section: unknown, index): Section => {
    const place = `/sections/${index}`
    if (!isObject(section) || isMalformed(`${place}/key`)) return { key: keyOf(section, place), title: '' }
    // safe because its key is well-formed, and its conditions are checked here
    return withConditions(section as Section, place)
  })

  const givenSets: Json = isObject(draft.option_sets) ? draft.option_sets : {}
  // A set under a name that is not allowed is reported as an unknown field, and what it holds has not been looked at.
  const isUsableSet = (name: unknown) =>
    typeof name === 'string' && isOptionList(givenSets[name]) && !isMalformed(`/option_sets/${escapePointer(name)}`)
  const option_sets = Object.fromEntries(Object.entries(givenSets).filter(([name]) => isUsableSet(name)))
  const isMissingSet = (name: unknown) => typeof name === 'string' && !Object.hasOwn(givenSets, name)

  const checkableQuestion = (question: unknown, place: string): Question => {
    const isUsable =
      isObject(question) &&
      !['key', 'type', 'options', 'option_set'].some((name) => isMalformed(`${place}/${name}`)) &&
      (question.option_set === undefined ||
        (isMissingSet(question.option_set) && !isMalformed('/option_sets')) ||
        isUsableSet(question.option_set)) &&
      (question.questions === undefined || Array.isArray(question.questions))
    if (!isUsable) return { key: keyOf(question, place), section: '', type: 'display', label: '' }
    // safe because the fields that are used are well-formed, or replaced here
    const kept = withConditions(question as Question, place)
    if (kept.validation !== undefined) {
      const words = isObject(kept.validation) ? Object.entries(kept.validation) : []
      kept.validation = Object.fromEntries(words.filter(([word]) => !isMalformed(`${place}/validation/${word}`)))
    }
    if (isMalformed(`${place}/section`)) kept.section = keyOf(undefined, `${place}/section`)
    if (isMalformed(`${place}/repeat`)) kept.repeat = { min: 0, max: 100, item_label: '' }
    if (kept.questions)
      // safe because a grouped question is a question without a section
      kept.questions = kept.questions.map(
        (inner, at) => checkableQuestion(inner, `${place}/questions/${at}`) as GroupedQuestion,
      )
    return kept
  }
  const questions = draft.questions.map((question, index) => checkableQuestion(question, `/questions/${index}`))
  // safe because everything the checks look at has been kept, left out or replaced above
  const contract = { ...draft, sections, questions, option_sets } as ContractDraft
  return { contract, malformed, conditionProblems }
}

function isOptionList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && typeof one.value === 'string')
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
