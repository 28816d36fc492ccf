// The effect of writing an item's values. Pure: either every value is valid, or all problems are reported.
import { bodyDetail, type ErrorDetail } from '../../../platform/protocol/errors.ts'
import { plainValue, valueProblem } from '../../contracts/answer-values.ts'
import type { ContractModel, GroupModel } from '../../contracts/contract-model.ts'
import { type GivenValue, isSameValue } from '../sheet.ts'
import type { ItemChange } from './schema.ts'

/** The values of an item after a change: what was sent replaces what was there, the rest stays. */
export function changeItemValues(
  model: ContractModel,
  group: GroupModel,
  current: ReadonlyMap<string, GivenValue>,
  { values = {}, declined = [], confirmed = {} }: Omit<ItemChange, 'position'>,
  now: string,
): { problems: ErrorDetail[]; values: Map<string, GivenValue> } {
  const problems: ErrorDetail[] = []
  const changed = new Map(current)
  const refuse = (pointer: string, code: 'unknown_question' | 'invalid_answer', key: string, message: string) =>
    problems.push(bodyDetail(pointer, code, message, { question_key: key }))
  const set = (key: string, given: Pick<GivenValue, 'value' | 'state'>) => {
    const next: GivenValue = {
      ...given,
      source: 'api',
      source_detail: null,
      confirmed: Object.hasOwn(confirmed, key) ? (confirmed[key] ?? true) : true,
      updated_at: now,
    }
    if (!isSameValue(current.get(key), next)) changed.set(key, next)
  }
  const requireQuestion = (key: string, pointer: string) => {
    const question = group.questions.get(key)
    const known = [...group.questions.keys()].join(', ')
    if (!question)
      refuse(
        pointer,
        'unknown_question',
        key,
        `The group ${group.question.key} has no question with the key ${key}. Its questions: ${known}.`,
      )
    return question
  }

  for (const [key, value] of Object.entries(values)) {
    const question = requireQuestion(key, `/values/${key}`)
    if (!question) continue
    if (value === null) changed.delete(key)
    else {
      const problem = valueProblem(model, question, value, now.slice(0, 10))
      if (problem === undefined) set(key, { value: plainValue(question, value), state: 'answered' })
      else refuse(`/values/${key}`, 'invalid_answer', key, problem)
    }
  }
  for (const [index, key] of declined.entries()) {
    const pointer = `/declined/${index}`
    const question = requireQuestion(key, pointer)
    if (!question) continue
    if (Object.hasOwn(values, key))
      refuse(pointer, 'invalid_answer', key, `Send either a value for ${key} or decline it, not both.`)
    else if (question.type === 'display')
      refuse(pointer, 'invalid_answer', key, `${key} cannot be declined: its type is display.`)
    else set(key, { value: null, state: 'declined' })
  }
  for (const [key, isConfirmed] of Object.entries(confirmed)) {
    const pointer = `/confirmed/${key}`
    if (!requireQuestion(key, pointer) || Object.hasOwn(values, key) || declined.includes(key)) continue
    const given = changed.get(key)
    if (!given) refuse(pointer, 'invalid_answer', key, `${key} has no value to confirm. Send a value.`)
    else if (given.confirmed !== isConfirmed) changed.set(key, { ...given, confirmed: isConfirmed, updated_at: now })
  }
  return { problems, values: changed }
}
