// The effect of writing answers. Pure: either every write is valid, or all problems are reported and nothing changes.
import { bodyDetail, type ErrorDetail } from '../../../platform/protocol/errors.ts'
import { plainValue, valueProblem } from '../../contracts/answer-values.ts'
import type { ContractModel } from '../../contracts/contract-model.ts'
import type { Question } from '../../contracts/contract-schema.ts'
import { type GivenAnswer, isSameValue, type Sheet } from '../sheet.ts'
import type { AnswerInput } from './schema.ts'

export interface AnswerWrite extends AnswerInput {
  question_key: string
}

interface AnswerChanges {
  problems: ErrorDetail[]
  written: GivenAnswer[]
  cleared: string[]
}

/**
 * `refusalOf` says why a question must not be written at all now, at this place of the request; undefined when it may.
 */
export function changeAnswers(
  model: ContractModel,
  sheet: Sheet,
  refusalOf: (key: string, pointer: string) => ErrorDetail | undefined,
  writes: readonly AnswerWrite[],
  /** The JSON Pointer of each write in the body. */
  pointerTo: (index: number) => string,
  now: string,
): AnswerChanges {
  const changes: AnswerChanges = { problems: [], written: [], cleared: [] }
  const seen = new Set<string>()
  for (const [index, write] of writes.entries()) {
    const { question_key: key } = write
    const refuse = (field: string, code: 'unknown_question' | 'invalid_answer', message: string) =>
      changes.problems.push(bodyDetail(`${pointerTo(index)}${field}`, code, message, { question_key: key }))
    const question = model.questions.get(key)
    if (!question) {
      refuse('/question_key', 'unknown_question', unknownQuestion(model, key))
      continue
    }
    if (seen.has(key)) refuse('/question_key', 'invalid_answer', `${key} must appear only once in the request.`)
    seen.add(key)
    const refusal = refusalOf(key, `${pointerTo(index)}/question_key`)
    if (refusal) {
      changes.problems.push(refusal)
      continue
    }
    const outcome = changeAnswer(model, question, sheet.answers.get(key), write, now)
    if ('problem' in outcome) refuse(outcome.field, 'invalid_answer', outcome.problem)
    else if (!outcome.answer) {
      if (sheet.answers.has(key)) changes.cleared.push(key)
    } else if (!isSameValue(sheet.answers.get(key), outcome.answer)) changes.written.push(outcome.answer)
  }
  return changes
}

type Outcome = { answer: GivenAnswer | undefined } | { field: string; problem: string }

function changeAnswer(
  model: ContractModel,
  question: Question,
  current: GivenAnswer | undefined,
  { value, state, confirmed: isConfirmed }: AnswerInput,
  now: string,
): Outcome {
  const { key, type } = question
  const confirmed = isConfirmed ?? true
  const fresh = { question_key: key, source: 'api', source_detail: null, confirmed, updated_at: now } as const
  if (state === 'declined') {
    if (value !== undefined)
      return { field: '', problem: `Send either a value or "state": "declined" for ${key}, not both.` }
    if (type === 'group' || type === 'display')
      return { field: '/state', problem: `${key} cannot be declined: its type is ${type}.` }
    return { answer: { ...fresh, value: null, state } }
  }
  if (value === undefined) {
    if (isConfirmed === undefined) return { field: '', problem: `Send value, state or confirmed for ${key}.` }
    if (!current) return { field: '/value', problem: `${key} has no answer to confirm. Send a value.` }
    return { answer: { ...current, confirmed, updated_at: now } }
  }
  // Files are cleared by deleting them; for a file question, null only clears a declined answer.
  if (value === null && type !== 'group' && type !== 'display') return { answer: undefined }
  const problem = valueProblem(model, question, value, now.slice(0, 10))
  if (problem !== undefined) return { field: '/value', problem }
  return { answer: { ...fresh, value: plainValue(question, value), state: 'answered' } }
}

function unknownQuestion(model: ContractModel, key: string): string {
  const group = [...model.groups.values()].find(({ questions }) => questions.has(key))
  return group
    ? `${key} is a question in the group ${group.question.key}. Write it as part of an item of this group.`
    : `The contract has no question with the key ${key}.`
}
