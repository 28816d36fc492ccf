// How sure a value is. The figures are measured: `npm run bench -- autofill` prints how often values of each are right.
import type { Doubt } from '../readings/reading.ts'

/** A sure label, owner and period, and nothing that says otherwise: written without asking. */
const sure = 0.95
const withOneDoubt = 0.3
const withMore = 0.15

export function confidenceOf(doubts: readonly Doubt[]): number {
  const kinds = new Set(doubts).size
  return kinds === 0 ? sure : kinds === 1 ? withOneDoubt : withMore
}
