// The name of the record, where it runs over the end of a line: `LEE ARTISAN` and `BAKERY LIMITED` below it. Every later
// stage looks for names in one cell.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { isSubject, namesOf, type Subject } from './company-names.ts'
import { joinBelow, type ReadDocument } from './places.ts'

const aligned = 6
const longest = 90

export function withWholeNames(document: ReadDocument, subject: Subject): ReadDocument {
  const names = namesOf(subject)
  const firsts = new Set([subject.legal_name, subject.trading_name].map((name) => wordsOf(name ?? '')[0] ?? ''))
  const isBegin = ({ text, field }: Cell) =>
    field === undefined && text.length <= longest && firsts.has(wordsOf(text.slice(0, 40))[0] ?? '-')
  const pages = document.pages.map((page) => {
    const lines = [...page.lines]
    for (const [index, line] of page.lines.entries()) {
      const begin = line.cells.find((cell) => isBegin(cell) && !isSubject(cell.text, names))
      const below = lines[index + 1]
      const isBelow = ({ left, right }: Cell) =>
        begin && (Math.abs(left - begin.left) <= aligned || Math.abs(right - begin.right) <= aligned)
      const rest = begin && below?.cells.find(isBelow)
      if (!begin || !below || !rest || rest.text.length > longest) continue
      const whole = `${begin.text} ${rest.text}`
      if (isSubject(rest.text, names) || !isSubject(whole, names)) continue
      joinBelow(lines, index, begin, rest, whole)
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}
