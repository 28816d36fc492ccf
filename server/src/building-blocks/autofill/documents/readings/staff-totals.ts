// Forms that ask for those who work all day, those who do not, and all of them: three captions over three numbers. The last
// is the number of employees, although it is only called `Total`.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { totals, workingHours } from '../words/vocabulary.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

export function readStaffTotals({ pages }: ReadDocument): Reading[] {
  return pages.flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const at = line.cells.findIndex(({ text }) => workingHours.full.in(wordsOf(text)) !== undefined)
      const captions = at === -1 ? [] : line.cells.slice(at, at + 3)
      const [, part, total] = captions
      if (!part || !total || workingHours.part.in(wordsOf(part.text)) === undefined) return []
      if (!totals.has(wordsOf(total.text.replace(/:?\s*\d+$/, '')).join(' '))) return []
      const below = lines.slice(index + 1).find(({ cells }) => cells.length > 0)
      const counts = captions.map((caption) => countOf(caption, below))
      const [full, others, all] = counts
      if (full === undefined || others === undefined || all === undefined || full + others !== all) return []
      const place = placeOf(/\d$/.test(total.text) ? line : (below ?? line))
      return [
        { fact: 'business.employee_count', value: String(all), label: total.text, doubts: [], is_total: true, place },
      ]
    }),
  )
}

/** `Full-time: 14`, or the number right below the caption. */
function countOf(caption: Cell, below: PlacedLine | undefined): number | undefined {
  const own = /(?<=[:\s])\d{1,5}$/.exec(caption.text)?.[0]
  const under = below?.cells.find((cell) => overlap(cell, caption) > 0)?.text ?? ''
  const text = own ?? (/^\d{1,5}$/.test(under) ? under : undefined)
  return text === undefined ? undefined : Number(text)
}
