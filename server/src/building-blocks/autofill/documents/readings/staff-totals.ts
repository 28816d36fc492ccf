// Forms that ask for those who work all day, those who do not, and all of them: three captions over three numbers. The last
// is the number of employees, although it is only called `Total`.
import type { Cell } from '../formats/document-text.ts'
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { parties, totals, workingHours } from '../words/vocabulary.ts'
import { readLabel } from './labels.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const linesAbove = 2

export function readStaffTotals({ pages }: ReadDocument): Reading[] {
  return pages.flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const at = line.cells.findIndex(({ text }) => workingHours.full.in(wordsOf(text)) !== undefined)
      const captions = at === -1 ? [] : line.cells.slice(at, at + 3)
      const [full, part, total] = captions
      if (!full || !part || !total || !isOfEmployees(full.text)) return []
      if (workingHours.part.in(wordsOf(part.text)) === undefined || !totals.has(wordsOf(total.text).join(' ')))
        return []
      // `Jobs to be created`, `Staff of the landlord`
      if (lines.slice(Math.max(0, index - linesAbove), index).some(isOfOthers)) return []
      const [values, next] = lines.slice(index + 1, index + 6).filter(({ cells }) => cells.length > 0)
      const [own = 0, others = 0, all = 0] = captions.map((caption) => countOf(caption, values) ?? Number.NaN)
      // Of several rows, one is not all of them.
      if (!values || own + others !== all || countOf(total, next) !== undefined) return []
      const value = String(all)
      return [
        {
          fact: 'business.employee_count',
          value,
          label: total.text,
          doubts: [],
          is_total: true,
          place: placeOf(values),
        },
      ]
    }),
  )
}

function isOfEmployees(caption: string): boolean {
  return readLabel(caption).some(({ fact }) => fact === 'business.employee_count')
}

function isOfOthers({ cells, text }: PlacedLine): boolean {
  const words = wordsOf(text.slice(0, 200))
  return cells.length === 1 && [periods.plan, parties.others].some((phrases) => phrases.in(words) !== undefined)
}

function countOf(caption: Cell, line: PlacedLine | undefined): number | undefined {
  const text = line?.cells.find((cell) => overlap(cell, caption) > 0)?.text ?? ''
  return /^\d{1,5}$/.test(text) ? Number(text) : undefined
}
