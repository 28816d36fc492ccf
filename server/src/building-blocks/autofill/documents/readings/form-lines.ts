// Returns and filings whose lines have codes of their own: the figure stands behind the code, whatever the columns are.
import { wordsOf } from '../words/phrases.ts'
import { codedForms } from '../words/vocabulary.ts'
import { headingsOf } from './columns.ts'
import { toCents } from './decimals.ts'
import { numbersIn } from './numbers.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

/** By then the head of a form has named its year. */
const belowHead = 30

export function readFormLines(document: ReadDocument): Reading[] {
  const { pages, mark } = document
  const formsOf = ({ lines, title }: (typeof pages)[number]) => {
    const head = wordsOf([title, ...lines.slice(0, 8).map(({ text }) => text)].join(' \n '))
    // A letter may speak of a form.
    const begins = (titles: (typeof codedForms)[number]['titles']) =>
      lines.slice(0, 8).some(({ cells }) => cells.some(({ text }) => titles.at(wordsOf(text), 0) !== undefined))
    return codedForms.filter(({ titles, said }) => titles.in(head) && (!said || begins(titles)))
  }
  const whole = pages
    .slice(0, 1)
    .flatMap(formsOf)
    .filter(({ is_whole }) => is_whole)
  // What a later page says of another year is of that year's losses or reserves.
  const wholePeriod = whole.length > 0 ? headingsOf(document, 0).periodAt(belowHead) : undefined
  return pages.slice(0, 20).flatMap((current, page) => {
    const { lines } = current
    const known = [...whole, ...formsOf(current)]
    const codes = new Map(
      known.flatMap(({ said, lines: own }) => [...own].map(([code, fact]) => [code, { fact, said }])),
    )
    if (codes.size === 0) return []
    const headings = headingsOf(document, page)
    return lines.flatMap((line, index) =>
      line.cells.flatMap(({ text }, at): Reading[] => {
        const { fact, said } = codes.get(text.trim()) ?? {}
        if (said && !said.in(wordsOf(line.text))) return []
        const value = line.cells[at + 1]?.text ?? ''
        const [number, ...more] = numbersIn(value, mark)
        // The code stands behind a label, its figure at once behind the code.
        if (fact === undefined || at === 0 || !number || more.length > 0 || number.is_percent) return []
        const period = whole.length > 0 ? wholePeriod : headings.periodAt(index)
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
