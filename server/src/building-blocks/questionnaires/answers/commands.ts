import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, validationFailed } from '../../../platform/protocol/errors.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { openForEdit, type Target } from '../load-questionnaire.ts'
import type { Questionnaire } from '../questionnaire.ts'
import { requireRoom } from '../sheet-size.ts'
import { type AnswerWrite, changeAnswers } from './changes.ts'
import { deleteAnswers, upsertAnswers } from './queries.ts'
import type { AnswerInput } from './schema.ts'

/** Writes all of them or none. */
export async function writeAnswers(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  target: Target,
  answers: readonly AnswerWrite[],
): Promise<Questionnaire> {
  return change(tx, caller, kind, target, answers, (index) => `/answers/${index}`)
}

export async function writeAnswer(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  { question_key, ...target }: Target & { question_key: string },
  answer: AnswerInput,
): Promise<Questionnaire> {
  return change(tx, caller, kind, target, [{ question_key, ...answer }], () => '', question_key)
}

export async function clearAnswer(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  { question_key, ...target }: Target & { question_key: string },
): Promise<Questionnaire> {
  return change(tx, caller, kind, target, [{ question_key, value: null }], () => '', question_key)
}

async function change(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  target: Target,
  writes: readonly AnswerWrite[],
  pointerTo: (index: number) => string,
  /** The question the address names, if it names one. */
  named?: string,
): Promise<Questionnaire> {
  const questionnaire = await openForEdit(tx, caller, kind, target, ({ contract }) => {
    if (named !== undefined && !contract.model.questions.has(named)) throw new ApiError('not_found')
  })
  const { contract, sheet, application } = questionnaire
  const now = isoTime(caller.context.clock.now())
  const { problems, written, cleared } = changeAnswers(contract.model, sheet, writes, pointerTo, now)
  if (problems.length > 0) throw validationFailed(problems)

  const answers = new Map(sheet.answers)
  for (const answer of written) answers.set(answer.question_key, answer)
  for (const key of cleared) answers.delete(key)
  requireRoom({ ...sheet, answers })

  const saved = await kind.saveEdited(tx, caller, application)
  const { portal_id, context } = caller
  await upsertAnswers(tx, context.vault, portal_id, application.id, written, contract.restricted)
  await deleteAnswers(tx, portal_id, application.id, cleared)

  return { ...questionnaire, application: saved, sheet: { ...sheet, answers } }
}
