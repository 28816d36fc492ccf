// Returns and filings whose lines have codes of their own: the figure stands behind the code, whatever the columns are.
import { wordsOf } from '../words/phrases.ts'
import { codedForms } from '../words/vocabulary.ts'
import { headingsOf } from './columns.ts'
import { toCents } from './decimals.ts'
import { numbersIn } from './numbers.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

export function readFormLines(document: ReadDocument): Reading[] {
  const { pages, mark } = document
  return pages.slice(0, 20).flatMap(({ lines, title }, page) => {
    const head = wordsOf([title, ...lines.slice(0, 8).map(({ text }) => text)].join(' \n '))
    const codes = new Map(codedForms.flatMap(({ titles, lines: own }) => (titles.in(head) ? [...own] : [])))
    if (codes.size === 0) return []
    const headings = headingsOf(document, page)
    return lines.flatMap((line, index) =>
      line.cells.flatMap(({ text }, at): Reading[] => {
        const fact = codes.get(text.trim())
        const value = line.cells[at + 1]?.text ?? ''
        const [number, ...more] = numbersIn(value, mark)
        // The code stands behind a label, its figure at once behind the code.
        if (fact === undefined || at === 0 || !number || more.length > 0 || number.is_percent) return []
        const period = headings.periodAt(index)
        return [
          {
            fact,
            value:
              number.currency === undefined
                ? toCents(number.value, 1)
                : `${number.currency} ${toCents(number.value, 1)}`,
            label: `${line.cells[0]?.text ?? ''} ${text}`,
            doubts: [],
            is_total: true,
            place: placeOf(line),
            ...(period && { period }),
          },
        ]
      }),
    )
  })
}
