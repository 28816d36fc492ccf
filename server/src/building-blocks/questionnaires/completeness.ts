// What is missing in an application, and its progress. Pure; computed on every read and never stored.
// Hidden questions never cause a problem.
import { counted } from '../../platform/values/counted.ts'
import { valueProblem } from '../contracts/answer-values.ts'
import type { ContractModel } from '../contracts/contract-model.ts'
import type { GroupedQuestion, Question } from '../contracts/contract-schema.ts'
import { type AnswerSet, type Evaluation, evaluate, type Level } from '../contracts/evaluation.ts'
import { answerSetOf, filesOf, type Item, type Sheet } from './sheet.ts'
import { unconfirmedAnswers } from './unconfirmed.ts'

export const problemCodes = [
  'required',
  'declined',
  'invalid_answer',
  'too_few_items',
  'too_many_items',
  'too_few_files',
  'too_many_files',
  'upload_not_completed',
  'not_unique',
  'must_confirm',
] as const
export const noticeCodes = ['unconfirmed'] as const

export interface SheetProblem {
  question_key: string
  group_key: string | null
  item_id: string | null
  code: (typeof problemCodes)[number]
  message: string
}

/** What somebody should look at before the submission, and may leave as it is. */
type SheetNotice = Omit<SheetProblem, 'code'> & { code: (typeof noticeCodes)[number] }

export const sectionStates = ['hidden', 'not_started', 'in_progress', 'complete'] as const

interface Progress {
  required: number
  answered: number
  percent: number
  sections: { key: string; state: (typeof sectionStates)[number] }[]
}

export interface Review {
  evaluation: Evaluation
  problems: SheetProblem[]
  notices: SheetNotice[]
  progress: Progress
}

export function reviewSheet(model: ContractModel, sheet: Sheet, today: string): Review {
  const answers = answerSetOf(model, sheet)
  const evaluation = evaluate(model, answers, today)
  const problems: SheetProblem[] = []
  const notices: SheetNotice[] = []
  const sections = new Map(model.contract.sections.map(({ key }) => [key, { problems: 0, given: 0 }]))
  let required = 0
  let answered = 0

  for (const question of model.contract.questions) {
    if (!evaluation.isVisible(question.key)) continue
    const found =
      question.type === 'group'
        ? reviewGroup(model, question, { sheet, answers, evaluation, today })
        : reviewQuestion(model, question, { sheet, item: null, level: evaluation, today })
    for (const { must_confirm, label, ...place } of unconfirmedAnswers(question, { sheet, answers, evaluation })) {
      if (must_confirm)
        found.problems.push({
          ...place,
          code: 'must_confirm',
          message: `“${label}” was filled in by Autofill and must be confirmed.`,
        })
      else
        notices.push({
          ...place,
          code: 'unconfirmed',
          message: `“${label}” was filled in by Autofill and is not confirmed.`,
        })
    }
    problems.push(...found.problems)
    required += found.required
    answered += found.answered
    const section = sections.get(question.section)
    if (section) {
      section.problems += found.problems.length
      section.given += found.given
    }
  }
  return {
    evaluation,
    problems,
    notices,
    progress: {
      required,
      answered,
      percent: required === 0 ? 100 : Math.floor((100 * answered) / required),
      sections: [...sections].map(([key, { problems, given }]) => ({
        key,
        state: !evaluation.isSectionVisible(key)
          ? 'hidden'
          : problems === 0
            ? 'complete'
            : given === 0
              ? 'not_started'
              : 'in_progress',
      })),
    },
  }
}

interface Found {
  problems: SheetProblem[]
  /** How many questions must be answered, and how many of these are answered. */
  required: number
  answered: number
  /** How many questions have an answer of any kind. */
  given: number
}

interface Place {
  sheet: Sheet
  item: Item | null
  level: Level
  today: string
}

function reviewQuestion(model: ContractModel, question: Question | GroupedQuestion, place: Place): Found {
  const { sheet, item, level } = place
  const { key, type } = question
  if (type === 'display' || !level.isVisible(key)) return { problems: [], required: 0, answered: 0, given: 0 }
  const isRequired = level.isRequired(key)
  const declined = (item ? item.values : sheet.answers).get(key)?.state === 'declined'
  const { given, problem } = type === 'file' ? reviewFiles(question, place) : reviewValue(model, question, place)
  let found = problem
  if (given === 0 && isRequired)
    found = declined
      ? { code: 'declined', message: `“${question.label}” was declined but must be answered.` }
      : { code: 'required', message: `“${question.label}” must be answered.` }
  return {
    problems: found
      ? [{ question_key: key, group_key: item?.group_key ?? null, item_id: item?.id ?? null, ...found }]
      : [],
    required: isRequired ? 1 : 0,
    answered: isRequired && !found ? 1 : 0,
    given: given > 0 || declined ? 1 : 0,
  }
}

type Finding = Pick<SheetProblem, 'code' | 'message'> | undefined

function reviewValue(
  model: ContractModel,
  question: Question | GroupedQuestion,
  { sheet, item, today }: Place,
): { given: number; problem: Finding } {
  const answer = item ? item.values.get(question.key) : sheet.answers.get(question.key)
  if (answer?.state !== 'answered') return { given: 0, problem: undefined }
  // A bound relative to today may have made a stored value invalid.
  const message = valueProblem(model, question, answer.value, today)
  return { given: 1, problem: message === undefined ? undefined : { code: 'invalid_answer', message } }
}

function reviewFiles(
  question: Question | GroupedQuestion,
  { sheet, item }: Place,
): { given: number; problem: Finding } {
  const { key, label, validation: { min_files = 0, max_files = Number.POSITIVE_INFINITY } = {} } = question
  const files = filesOf(sheet.files, key, item?.id ?? null)
  const given = files.length
  const waiting = files.filter(({ state }) => state !== 'available').length
  if (waiting > 0)
    return {
      given,
      problem: {
        code: 'upload_not_completed',
        message: `“${label}”: ${waiting} of ${counted(given, 'file')} ${waiting === 1 ? 'is' : 'are'} not available yet. Upload missing files, wait for the virus scan, or delete the files.`,
      },
    }
  if (given > 0 && given < min_files)
    return {
      given,
      problem: { code: 'too_few_files', message: `“${label}” must have at least ${counted(min_files, 'file')}.` },
    }
  if (given > max_files)
    return {
      given,
      problem: { code: 'too_many_files', message: `“${label}” must have at most ${counted(max_files, 'file')}.` },
    }
  return { given, problem: undefined }
}

function reviewGroup(
  model: ContractModel,
  question: Question,
  { sheet, answers, evaluation, today }: { sheet: Sheet; answers: AnswerSet; evaluation: Evaluation; today: string },
): Found {
  const { key, label, repeat = { min: 0, max: Number.POSITIVE_INFINITY, item_label: 'Item' } } = question
  const items = sheet.items.get(key) ?? []
  const inner = question.questions ?? []
  const own: SheetProblem[] = []
  const add = (code: SheetProblem['code'], message: string) =>
    own.push({ question_key: key, group_key: key, item_id: null, code, message })
  const isRequired = evaluation.isRequired(key) || repeat.min > 0
  if (items.length === 0 && isRequired)
    add('required', `“${label}” must have at least ${counted(Math.max(1, repeat.min), 'item')}.`)
  else if (items.length < repeat.min)
    add('too_few_items', `“${label}” must have at least ${counted(repeat.min, 'item')}.`)
  else if (items.length > repeat.max)
    add('too_many_items', `“${label}” must have at most ${counted(repeat.max, 'item')}.`)

  const total: Found = {
    problems: own,
    required: isRequired ? 1 : 0,
    answered: isRequired && own.length === 0 ? 1 : 0,
    given: items.length > 0 ? 1 : 0,
  }
  const seen = answers.items.get(key) ?? []
  const asked = new Map<string, Level>()
  for (const [index, item] of items.entries()) {
    const level = evaluation.inItem(key, seen[index] ?? { id: item.id, values: new Map() })
    asked.set(item.id, level)
    for (const one of inner) {
      const found = reviewQuestion(model, one, { sheet, item, level, today })
      total.problems.push(...found.problems)
      total.required += found.required
      total.answered += found.answered
    }
  }
  for (const one of inner) {
    const visible = items.filter(({ id }) => asked.get(id)?.isVisible(one.key))
    if (one.validation?.unique_in_group) total.problems.push(...repetitions(one, visible))
  }
  return total
}

/** Every value that duplicates the value of an earlier item. */
function repetitions(question: GroupedQuestion, items: readonly Item[]): SheetProblem[] {
  const seen = new Set<string>()
  return items.flatMap((item) => {
    const given = item.values.get(question.key)
    if (given?.state !== 'answered') return []
    const text = JSON.stringify(given.value).toLowerCase()
    if (!seen.has(text)) {
      seen.add(text)
      return []
    }
    const message = `${question.label} must be different in every item.`
    return [
      { question_key: question.key, group_key: item.group_key, item_id: item.id, code: 'not_unique' as const, message },
    ]
  })
}
