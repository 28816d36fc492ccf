import { confidences } from '../../confidence.ts'
import type { Doubt } from '../readings/reading.ts'

export function confidenceOf(doubts: readonly Doubt[]): number {
  const kinds = new Set(doubts).size
  return kinds === 0 ? confidences.sure : kinds === 1 ? confidences.one_doubt : confidences.more_doubts
}
