// The name of the record, where it runs over the end of a line: `LEE ARTISAN` and `BAKERY LIMITED` below it. Every later
// stage looks for names in one cell.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { legalForms } from '../words/vocabulary.ts'
import { isSubject, namesOf, type Subject } from './company-names.ts'
import { readLabel } from './labels.ts'
import { joinBelow, type PlacedLine, type ReadDocument } from './places.ts'

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
      const below = lines[index + 1]
      const begin = line.cells.find(
        (cell, at) =>
          isBegin(cell) &&
          (!isSubject(cell.text, names) || endsOpen.test(cell.text) || runsOn(cell, line.cells[at - 1], below)),
      )
      const isBelow = ({ left, right }: Cell) =>
        begin && (Math.abs(left - begin.left) <= aligned || Math.abs(right - begin.right) <= aligned)
      const rest = begin && below?.cells.find(isBelow)
      if (!begin || !below || !rest || rest.text.length > longest) continue
      const whole = `${begin.text} ${rest.text}`
      const isName = isSubject(begin.text, names) || isSubject(whole, names)
      if (isSubject(rest.text, names) || !isName) continue
      joinBelow(lines, index, begin, rest, whole)
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}

/** `LEE BAKERY SA DE` and `CV` below it */
const endsOpen = /\s(?:S\.?A\.?(?:P\.?I\.?)?|S\.? ?de ?R\.?L\.?) de$/i

/** `Company name | LEE ARTISAN`, and nothing but `BAKERY LIMITED` below it: the record has the name without its end. */
function runsOn({ text, left, right }: Cell, label: Cell | undefined, below: PlacedLine | undefined): boolean {
  const [rest, ...more] = below?.cells ?? []
  const isLabel = readLabel(label?.text ?? '').some(({ fact, is_exact }) => is_exact && fact === 'business.legal_name')
  if (
    !isLabel ||
    !rest ||
    more.length > 0 ||
    (Math.abs(rest.left - left) > aligned && Math.abs(rest.right - right) > aligned)
  )
    return false
  const [words, end] = [wordsOf(text), wordsOf(rest.text)]
  const form = legalForms.in(end)
  const isEnd = form?.begin === 1 && form.begin + form.length === end.length && Math.abs(rest.left - left) > aligned
  return isEnd && !legalForms.in(words) && isShouted(text) === isShouted(rest.text) && !/[\d,:]/.test(rest.text)
}

function isShouted(text: string): boolean {
  return !/\p{Ll}/u.test(text)
}
