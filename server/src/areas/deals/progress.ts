// How far a deal has come, from the times at which it reached the steps.
import type { Static } from 'typebox'
import type { Progress } from './schema.ts'
import { type Category, categoryLabels, type Stage, steps } from './stages.ts'
import type { DealState } from './states.ts'

/** When each step was reached. */
type Reached = Readonly<Record<string, string>>

/** The steps after a deal has come to a category. A step that it reaches again on its way forward gets the new time. */
export function reach(
  { reached, stage_category: from }: { reached: Reached; stage_category: Category },
  category: Category,
  now: string,
): Reached {
  const place = placeOf(category)
  if (place === -1) return reached
  const isForward = placeOf(from) !== -1 && placeOf(from) < place
  return { ...reached, [category]: (isForward ? undefined : reached[category]) ?? now }
}

function placeOf(key: string): number {
  // safe because what is not a step is simply not found
  return steps.indexOf(key as (typeof steps)[number])
}

/** A deal as far as it says how far it has come. */
interface Course {
  state: DealState
  stage_category: Category
  stage_before_end: Pick<Stage, 'category'> | null
  reached: Reached
}

export function progressOf({ state, stage_category, stage_before_end, reached }: Course): Static<typeof Progress> {
  const isEnded = state !== 'open' && state !== 'on_hold'
  const last = placeOf(isEnded && state !== 'won' && stage_before_end ? stage_before_end.category : stage_category)
  return {
    percent: Math.round((Math.max(last, 0) / (steps.length - 1)) * 100),
    steps: steps.map((key, place) => {
      // After a way back, what lies ahead is ahead again; once the deal has ended, what it has reached was reached.
      const isAhead = !isEnded && place > last
      const at = isAhead ? null : (reached[key] ?? null)
      const isCurrent = !isEnded && place === last
      return {
        key,
        label: categoryLabels[key],
        state: isCurrent ? 'current' : isAhead ? 'upcoming' : at === null ? 'skipped' : 'done',
        at,
      }
    }),
  }
}
