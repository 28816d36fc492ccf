// Spanish returns count those who have a permanent contract and those who have not, each in a box of its own. Where the
// second box holds none, the first is all of them.
import type { Cell } from '../formats/document-text.ts'
import { numbersIn } from './numbers.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const permanent = /^(?:00041\s+)?personal fijo(?:\s*\(cifra media[^()]*\))?(?:\s+00041)?$/i
const other = /^(?:00042\s+)?personal no fijo(?:\s*\(cifra media[^()]*\))?(?:\s+00042)?$/i

export function readSalariedStaff({ pages, mark }: ReadDocument): Reading[] {
  const isReturn = pages.some(({ lines }) => lines.some(({ text }) => text.includes('00041')))
  if (!isReturn) return []
  return pages.slice(0, 3).flatMap(({ lines }) =>
    lines.flatMap((line, index): Reading[] => {
      const cell = line.cells.find(({ text }) => permanent.test(text))
      const near = lines.slice(index, index + 3)
      const second = near.findIndex(({ cells }) => cells.some(({ text }) => other.test(text)))
      const last = near[second]?.cells.find(({ text }) => other.test(text))
      if (!cell || !last) return []
      const [own, rest] = [countOf(lines, index, cell), countOf(lines, index + second, last)]
      if (own === undefined || rest === undefined) return []
      const value = numbersIn(own, mark)[0]?.value.replace(/\.0+$/, '') ?? ''
      const isAll = Number(numbersIn(rest, mark)[0]?.value ?? 1) === 0 && /^\d{1,6}$/.test(value)
      return [
        {
          fact: 'business.employee_count',
          value,
          label: cell.text,
          doubts: isAll ? [] : ['number'],
          is_total: true,
          place: placeOf(line),
        },
      ]
    }),
  )
}

/** The number in the row of a label, behind the number of its box, or below the label. */
function countOf(lines: readonly PlacedLine[], index: number, label: Cell): string | undefined {
  const isCount = ({ text }: Cell) => /^\d{1,6}(?:,\d{1,2})?$/.test(text) && !/^0\d{4}$/.test(text)
  const row = lines[index]?.cells ?? []
  const next = row.findIndex(({ left, text }) => left > label.left && /^\p{L}/u.test(text))
  const [beside, ...more] = row.slice(row.indexOf(label) + 1, next === -1 ? undefined : next).filter(isCount)
  // Two years side by side.
  if (more.length > 0) return undefined
  const below = lines.slice(index + 1, index + 3).find(({ cells }) => cells.length > 0)?.cells ?? []
  return (beside ?? below.find((cell) => isCount(cell) && overlap(cell, label) > 0))?.text
}
