// Answers that Autofill wrote and nobody has confirmed. Pure. Hidden questions are left out, as everywhere.
import type { GroupedQuestion, Question } from '../contracts/contract-schema.ts'
import type { AnswerSet, Evaluation } from '../contracts/evaluation.ts'
import type { GivenValue, Sheet } from './sheet.ts'

interface UnconfirmedAnswer {
  question_key: string
  group_key: string | null
  item_id: string | null
  label: string
  /** The contract demands that somebody confirms it before the submission. */
  must_confirm: boolean
}

export function unconfirmedAnswers(
  question: Question,
  { sheet, answers, evaluation }: { sheet: Sheet; answers: AnswerSet; evaluation: Evaluation },
): UnconfirmedAnswer[] {
  const { key, label, autofill } = question
  if (question.type !== 'group') {
    if (!isUnconfirmed(sheet.answers.get(key))) return []
    const must_confirm = autofill?.must_confirm === true
    return [{ question_key: key, group_key: null, item_id: null, label, must_confirm }]
  }
  const seen = answers.items.get(key) ?? []
  return (sheet.items.get(key) ?? []).flatMap((item, index) => {
    const level = evaluation.inItem(key, seen[index] ?? { id: item.id, values: new Map() })
    return (question.questions ?? [])
      .filter((inner) => level.isVisible(inner.key) && isUnconfirmed(item.values.get(inner.key)))
      .map((inner: GroupedQuestion) => ({
        question_key: inner.key,
        group_key: key,
        item_id: item.id,
        label: inner.label,
        must_confirm: (inner.autofill ?? autofill)?.must_confirm === true,
      }))
  })
}

function isUnconfirmed(given: GivenValue | undefined): boolean {
  return given?.state === 'answered' && given.source === 'autofill' && !given.confirmed
}
