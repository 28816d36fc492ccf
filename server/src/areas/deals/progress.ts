// How far a deal has come, from the times at which it reached the steps.
import type { Static } from 'typebox'
import type { Progress } from './schema.ts'
import { type Category, categoryLabels, type Stage, steps } from './stages.ts'
import type { DealState } from './states.ts'

/** When each step was reached. */
type Reached = Readonly<Record<string, string>>

/** The steps after a deal has come to a category: a way back is a way not gone. */
export function reach(reached: Reached, category: Category, now: string): Reached {
  const place = placeOf(category)
  if (place === -1) return reached
  const kept = Object.entries(reached).filter(([key]) => placeOf(key) < place)
  return { ...Object.fromEntries(kept), [category]: reached[category] ?? now }
}

function placeOf(key: string): number {
  // safe because what is not a step is simply not found
  return steps.indexOf(key as (typeof steps)[number])
}

export function progressOf({
  state,
  stage,
  reached,
}: {
  state: DealState
  stage: Pick<Stage, 'category'>
  reached: Reached
}): Static<typeof Progress> {
  const isEnded = state !== 'open' && state !== 'on_hold'
  const last = steps.findLastIndex((step) => step in reached)
  return {
    percent: Math.round((Math.max(last, 0) / (steps.length - 1)) * 100),
    steps: steps.map((key, place) => {
      const at = reached[key] ?? null
      const isCurrent = key === stage.category && !isEnded
      const isPassed = place < last || (isEnded && at === null)
      return {
        key,
        label: categoryLabels[key],
        state: isCurrent ? 'current' : at !== null ? 'done' : isPassed ? 'skipped' : 'upcoming',
        at,
      }
    }),
  }
}
