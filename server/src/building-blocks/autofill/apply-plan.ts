// The effect of accepting suggestions. Pure; a suggestion that no longer fits the answers is reported.

import { bodyDetail, type ErrorDetail } from '../../platform/protocol/errors.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { counted } from '../../platform/values/counted.ts'
import type { Questionnaire } from '../questionnaires/questionnaire.ts'
import type { GivenAnswer, GivenValue, Item } from '../questionnaires/sheet.ts'
import type { AutofillOutcome } from './schema.ts'

type Suggestion = AutofillOutcome['suggested'][number]

export interface ApplyPlan {
  answers: GivenAnswer[]
  items: Item[]
  problems: ErrorDetail[]
  /** Suggestions for questions that were answered or confirmed after the run. */
  outdated: { suggestion: Suggestion; answered_at: string }[]
}

export function planApply(
  { contract, sheet }: Questionnaire,
  suggestions: readonly Suggestion[],
  { run_ended_at, now, newItemId }: { run_ended_at: string; now: string; newItemId(): string },
): ApplyPlan {
  const plan: ApplyPlan = { answers: [], items: [], problems: [], outdated: [] }
  const changed = new Map<string, Item>()
  const counts = new Map([...sheet.items].map(([group, items]) => [group, items.length]))
  for (const suggestion of suggestions) {
    const { question_key, group_key, item_id, value, candidates } = suggestion
    /** What the suggestion would replace. The run saw everything that was there before it ended. */
    const isNewer = (current: GivenValue | undefined) => {
      if (!current || current.updated_at < run_ended_at || isSame(current.value, value)) return false
      plan.outdated.push({ suggestion, answered_at: current.updated_at })
      return true
    }
    const isAccepted = (current: GivenValue | undefined) =>
      current?.state === 'answered' && current.confirmed && isSame(current.value, value)
    const source_detail = candidates[0]?.source_detail ?? null
    const given = (one: unknown): GivenValue => ({
      value: one,
      state: 'answered',
      source: 'autofill',
      source_detail,
      confirmed: true,
      updated_at: now,
    })
    if (group_key === null) {
      const current = sheet.answers.get(question_key)
      if (isNewer(current) || isAccepted(current)) continue
      plan.answers.push({ question_key, ...given(value) })
    } else if (item_id === null) {
      // Accepted before: the same person is not added twice.
      if ((sheet.items.get(group_key) ?? []).some((item) => holds(item, value))) continue
      const position = (counts.get(group_key) ?? 0) + 1
      const maximum = contract.model.questions.get(group_key)?.repeat?.max ?? 0
      if (position > maximum) {
        plan.problems.push(
          bodyDetail('/question_keys', 'out_of_range', `${group_key} must have at most ${counted(maximum, 'item')}.`, {
            maximum,
          }),
        )
        continue
      }
      counts.set(group_key, position)
      const id = newItemId()
      // safe because a whole item is suggested as an object of its values
      const values = new Map(Object.entries(value as Record<string, unknown>).map(([key, one]) => [key, given(one)]))
      changed.set(id, { id, group_key, position, values, created_at: now, updated_at: now })
    } else {
      const item = changed.get(item_id) ?? sheet.items.get(group_key)?.find(({ id }) => id === item_id)
      if (!item) {
        const message = `The item ${item_id} was deleted. Run Autofill again.`
        plan.problems.push(bodyDetail('/question_keys', 'unknown_reference', message))
        continue
      }
      const current = item.values.get(question_key)
      if (isNewer(current) || isAccepted(current)) continue
      changed.set(item_id, { ...item, values: new Map(item.values).set(question_key, given(value)), updated_at: now })
    }
  }
  plan.items.push(...changed.values())
  return plan
}

/** Whether an item already has all of these values. */
function holds({ values }: Item, suggested: unknown): boolean {
  // safe because a whole item is suggested as an object of its values
  const entries = Object.entries(suggested as Record<string, unknown>)
  return entries.every(([key, value]) => isSame(values.get(key)?.value ?? null, value))
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}
