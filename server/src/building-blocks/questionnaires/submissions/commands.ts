import { hash } from 'node:crypto'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { canonicalJson } from '../../../platform/values/canonical-json.ts'
import { counted } from '../../../platform/values/counted.ts'
import { type Review, reviewSheet, type SheetProblem } from '../completeness.ts'
import { blockingProblems } from '../editing.ts'
import { markSubmitted } from '../files/queries.ts'
import type { Questionnaire } from '../questionnaire.ts'
import { answerSetOf } from '../sheet.ts'
import { insertSubmission, type SubmissionContent } from './queries.ts'

/** Stores the current answers and files as a submission. Throws with all problems when the application is incomplete. */
export async function freezeSubmission(
  tx: Tx,
  caller: Caller,
  questionnaire: Questionnaire,
  number: number,
): Promise<{ submission: { number: number; submitted_at: string; sha256: string }; content: SubmissionContent }> {
  const { context } = caller
  const { portal_id, id } = questionnaire.application
  const submitted_at = isoTime(context.clock.now())
  const review = reviewSheet(questionnaire.contract.model, questionnaire.sheet, submitted_at.slice(0, 10))
  const problems = blockingProblems(questionnaire, review.problems)
  if (problems.length > 0) throw incomplete(problems)
  const content = contentOf(questionnaire, review)
  const sha256 = hash('sha256', canonicalJson(content), 'hex')
  await insertSubmission(tx, context.vault, portal_id, id, { number, submitted_at, sha256, content })
  await markSubmitted(
    tx,
    portal_id,
    content.files.map(({ id }) => id),
  )
  return { submission: { number, submitted_at, sha256 }, content }
}

/** The visible part of the sheet. */
function contentOf({ contract, sheet }: Questionnaire, { evaluation }: Review): SubmissionContent {
  const { model, row } = contract
  const values = answerSetOf(model, sheet)
  const items = [...model.groups.keys()].filter(evaluation.isVisible).flatMap((group) => {
    const seen = values.items.get(group) ?? []
    return (sheet.items.get(group) ?? []).map((item, index) => ({
      item,
      level: evaluation.inItem(group, seen[index] ?? { id: item.id, values: new Map() }),
    }))
  })
  const levels = new Map(items.map(({ item, level }) => [item.id, level]))
  return {
    contract_id: row.id,
    contract_version: row.version,
    answers: [...model.questions.keys()].flatMap((key) => {
      const answer = sheet.answers.get(key)
      return answer && evaluation.isVisible(key)
        ? [{ question_key: key, state: answer.state, value: answer.value ?? null }]
        : []
    }),
    items: items.map(({ item: { id, group_key, position, values: given }, level }) => {
      const asked = [...given].filter(([key]) => level.isVisible(key))
      const declined = asked.filter(([, { state }]) => state === 'declined').map(([key]) => key)
      const answered = asked.filter(([, { state }]) => state === 'answered').map(([key, { value }]) => [key, value])
      return {
        id,
        group_key,
        position,
        values: Object.fromEntries(answered),
        ...(declined.length > 0 && { declined }),
      }
    }),
    files: sheet.files
      .filter(({ state, question_key, item_id }) => {
        const level = item_id === null ? evaluation : levels.get(item_id)
        return state === 'available' && level?.isVisible(question_key)
      })
      .map(({ id, question_key, item_id, filename, content_type, size_bytes, sha256 }) => ({
        id,
        question_key,
        item_id,
        filename,
        content_type,
        size_bytes,
        sha256,
      })),
  }
}

/** Enough for every realistic application; `validation/` lists all problems. */
const mostDetails = 500

function incomplete(problems: readonly SheetProblem[]): ApiError {
  const count = problems.length
  return new ApiError('application_incomplete', {
    message: `The application cannot be submitted: ${counted(count, 'problem')}. Fix what details lists, then submit again.`,
    details: problems.slice(0, mostDetails).map(({ question_key, group_key, item_id, code, message }) => ({
      location: 'state' as const,
      name: question_key,
      code,
      message,
      meta: { question_key, group_key, item_id },
    })),
  })
}
