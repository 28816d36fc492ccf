// The one place that decides what may be written under an application, and whether it may be submitted.
import { type ErrorDetail, validationFailed } from '../../platform/protocol/errors.ts'
import { type Access, type ApplicationKind, rightsOf } from './application-kind.ts'
import type { Review } from './completeness.ts'
import type { Sheet } from './sheet.ts'

type Held = Access & { kind: ApplicationKind }

/** Throws 409 while the state lets this caller write nothing at all. */
export function requireEditable({ kind, application, role }: Held): void {
  kind.states.requireStep(application.state, 'answer', rightsOf(kind, role).acts_as, kind.obstacle?.(application))
}

/** Whether the state lets this caller write anything at all. */
function isEditable({ kind, application, role }: Held): boolean {
  return kind.states.isAllowed(application.state, 'answer', rightsOf(kind, role).acts_as, kind.obstacle?.(application))
}

/** Whether the caller may write this question of the top level now, with the items and files under it. */
export function isOpen(held: Held, key: string): boolean {
  if (!isEditable(held)) return false
  const { kind, application } = held
  const open = kind.openQuestions(application)
  return open === 'all' || open.has(key)
}

/** Throws 422 unless the caller may write this question. `where` names the part of the request that asks for it. */
export function requireOpen(held: Held, key: string, where: Pick<ErrorDetail, 'location' | 'pointer' | 'name'>): void {
  if (!isOpen(held, key)) throw validationFailed([notOpen(held, key, where)])
}

export function notOpen(
  { kind, application }: Held,
  key: string,
  where: Pick<ErrorDetail, 'location' | 'pointer' | 'name'>,
): ErrorDetail {
  const open = kind.openQuestions(application)
  const open_question_keys = open === 'all' ? [] : [...open]
  const message = `${key} cannot be changed now. Questions that can be changed: ${open_question_keys.join(', ') || 'none'}.`
  return { ...where, code: 'not_editable', message, meta: { question_key: key, open_question_keys } }
}

/** The question of the top level that a file belongs to: its own, or the group of its item. */
export function topLevelKeyOf(
  { items }: Pick<Sheet, 'items'>,
  { question_key, item_id = null }: { question_key: string; item_id?: string | null | undefined },
): string {
  if (item_id === null) return question_key
  for (const [group, list] of items) if (list.some(({ id }) => id === item_id)) return group
  return question_key
}

/** Whether the caller could submit it, or respond with it: the state allows it and nothing is missing. */
export function isSubmittable({ kind, application, role }: Held, { problems }: Pick<Review, 'problems'>): boolean {
  const { acts_as } = rightsOf(kind, role)
  const obstacle = kind.obstacle?.(application)
  const isAwaited = submittingActions.some((action) =>
    kind.states.isAllowed(application.state, action, acts_as, obstacle),
  )
  return isAwaited && blockingProblems({ kind, application }, problems).length === 0
}

/**
 * The problems that stand in the way of a submission: those of questions that may be changed. What the recipient has
 * accepted before and did not ask for again does not block what it did ask for.
 */
export function blockingProblems(
  { kind, application }: Pick<Held, 'kind' | 'application'>,
  problems: Review['problems'],
): Review['problems'] {
  const open = kind.openQuestions(application)
  return open === 'all'
    ? problems
    : problems.filter(({ group_key, question_key }) => open.has(group_key ?? question_key))
}

const submittingActions = ['submit', 'respond']
