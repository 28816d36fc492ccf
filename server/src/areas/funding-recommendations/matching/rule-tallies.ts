// What a rule adds to the sums of its programme, by its effect and by the results of its condition and its comparison.
// Looked up instead of decided: which way such decisions go is as good as random, and guessing wrong is what would cost
// most of the time of an evaluation.
import { fail, near, notApplicable, pass, underCondition, unknown } from './predicates.ts'

/** What a rule counts for. A wish is required, but only of a project that states it. */
export const preferred = 0
export const required = 1
export const wished = 2

/** In the sum of a programme each has its own digits. No programme has as many as 1024 rules. */
export const oneUnknown = 1
export const oneNear = 1 << 10
const oneFar = 1 << 20

/** Every effect with every result of a condition and of a comparison has a number. */
export function kindOf(effect: number, condition: number, own: number): number {
  return (effect << 4) | (condition << 2) | own
}

/** By kind: what it adds to the failures and unknowns, and whether its weight is passed and decided. */
export const tallies = new Int32Array(48)
export const passes = new Uint8Array(48)
export const decisions = new Uint8Array(48)

const results = [pass, fail, near, unknown]
for (const effect of [preferred, required, wished])
  for (const condition of results)
    for (const own of results) {
      const kind = kindOf(effect, condition, own)
      const result = underCondition(own, condition)
      if (result === unknown) tallies[kind] = effect === required ? oneUnknown : 0
      if (result === unknown || result === notApplicable) continue
      decisions[kind] = 1
      passes[kind] = result === pass ? 1 : 0
      if (result !== pass && effect !== preferred) tallies[kind] = result === near ? oneNear : oneFar
    }
