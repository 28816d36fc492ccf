import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, validationFailed } from '../../../platform/protocol/errors.ts'
import type { Application, ApplicationKind } from '../application-kind.ts'
import { isOpen, notOpen } from '../editing.ts'
import { openForEdit, type Target } from '../load-questionnaire.ts'
import type { Questionnaire } from '../questionnaire.ts'
import { requireRoom } from '../sheet-size.ts'
import { type AnswerWrite, changeAnswers } from './changes.ts'
import { deleteAnswers, upsertAnswers } from './queries.ts'
import type { AnswerInput } from './schema.ts'

interface QuestionTarget extends Target {
  question_key: string
}

/** Writes all of them or none. */
export async function writeAnswers<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  target: Target,
  answers: readonly AnswerWrite[],
): Promise<Questionnaire<Row>> {
  return write(tx, caller, await openForEdit(tx, caller, kind, target), answers, (index) => `/answers/${index}`)
}

/** Writes the answer an address names. */
export async function writeAnswer<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { question_key, ...target }: QuestionTarget,
  answer: AnswerInput,
): Promise<Questionnaire<Row>> {
  const questionnaire = await openForEdit(tx, caller, kind, target, ({ contract }) => {
    if (!contract.model.questions.has(question_key)) throw new ApiError('not_found')
  })
  return write(tx, caller, questionnaire, [{ question_key, ...answer }], () => '')
}

export async function clearAnswer<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  target: QuestionTarget,
): Promise<Questionnaire<Row>> {
  return writeAnswer(tx, caller, kind, target, { value: null })
}

/** What changes nothing makes no new version. */
async function write<Row extends Application>(
  tx: Tx,
  caller: Caller,
  questionnaire: Questionnaire<Row>,
  writes: readonly AnswerWrite[],
  pointerTo: (index: number) => string,
): Promise<Questionnaire<Row>> {
  const { kind, contract, sheet, application } = questionnaire
  const now = isoTime(caller.context.clock.now())
  const refusalOf = (key: string, pointer: string) =>
    isOpen(questionnaire, key) ? undefined : notOpen(questionnaire, key, { location: 'body', pointer })
  const changes = changeAnswers(contract.model, sheet, refusalOf, writes, pointerTo, now)
  const { problems, written, cleared } = changes
  if (problems.length > 0) throw validationFailed(problems)
  if (written.length === 0 && cleared.length === 0) return questionnaire

  const answers = new Map(sheet.answers)
  for (const answer of written) answers.set(answer.question_key, answer)
  for (const key of cleared) answers.delete(key)
  requireRoom({ ...sheet, answers })

  const saved = await kind.saveEdited(tx, caller, questionnaire)
  const { portal_id, id } = application
  await upsertAnswers(tx, caller.context.vault, portal_id, id, written, contract.restricted)
  await deleteAnswers(tx, portal_id, id, cleared)
  return { ...questionnaire, application: saved, sheet: { ...sheet, answers } }
}
