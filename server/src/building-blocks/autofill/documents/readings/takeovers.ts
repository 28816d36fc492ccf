// A business that was taken over: the day on which its new owner began is not that of its foundation.
import { wordsOf } from '../words/phrases.ts'
import { foundingWords, takeovers } from '../words/vocabulary.ts'
import { hasBoxes, tickedIn } from './choices.ts'
import type { ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

export function withoutTakeover(document: ReadDocument, readings: readonly Reading[]): readonly Reading[] {
  const isStart = ({ fact, label, is_plain }: Reading) =>
    fact === 'business.founded_on' && is_plain === true && !wordsOf(label).some((word) => foundingWords.has(word))
  if (!readings.some(isStart) || !isTakenOver(document)) return readings
  return readings.map((reading) => (isStart(reading) ? { ...reading, is_plain: false } : reading))
}

/** `Reason: ☐ foundation ☒ takeover` */
function isTakenOver({ pages }: ReadDocument): boolean {
  return pages.slice(0, 3).some(({ lines }) =>
    lines.some(({ text }) => {
      const ticked = hasBoxes(text) ? tickedIn(text) : undefined
      return ticked !== undefined && takeovers.at(wordsOf(ticked), 0) !== undefined
    }),
  )
}
