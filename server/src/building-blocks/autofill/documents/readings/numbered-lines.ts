// Lines of returns as text: `22 Ordinary business income. Subtract line 21 from line 6 ...... 22  188,402`. The number of the
// line stands again before its amount, or before a blank.
import type { Cell, Line } from '../formats/document-text.ts'

/** The label and the amount, without the number between them. */
export function withoutRepeatedNumber(line: Line): Line {
  const [first, ...more] = line
  const { label = '', number = '', amount = '' } = first && first.text.length <= longest ? partsOf(first.text) : {}
  const isEmpty = /^_+$/.test(amount)
  if (!first || label === '' || !(isEmpty || (isAmount(amount) && !isGroupOf(label, number, amount)))) return line
  const own: Cell = { ...first, text: label.trim() }
  if (isEmpty) return [own, ...more]
  const share = (first.right - first.left) / Math.max(1, first.text.length)
  const begin = first.right - share * amount.length
  return [{ ...own, right: begin - share }, { ...first, text: amount, left: begin }, ...more]
}

const longest = 300

/** What stands before and behind the place where the number of the line is repeated. */
function partsOf(text: string): { label?: string; number?: string; amount?: string } {
  const number = /^\d{1,2}[a-z]?(?=[.)]?\s\p{L})/u.exec(text)?.[0]
  if (number === undefined) return {}
  let at = text.lastIndexOf(number)
  while (
    at > 0 &&
    !(isLeader(text[at - 1]) && /^(?:\s|$)/.test(text.slice(at + number.length, at + number.length + 1)))
  )
    at = text.lastIndexOf(number, at - 1)
  if (at <= number.length + 4) return {}
  let end = at
  while (isLeader(text[end - 1])) end--
  return { label: text.slice(0, end), number, amount: text.slice(at + number.length).trim() }
}

function isLeader(letter: string | undefined): boolean {
  return letter !== undefined && /[\s.·_…]/.test(letter)
}

/** `1. Turnover 2025: 1 188 402`: the first digits of the amount may be the number of the line, too. */
function isGroupOf(label: string, number: string, amount: string): boolean {
  const isGrouped = /^\d{3}(?:[ '’]\d{3})*(?:[.,]\d\d)?(?!\d)/.test(amount) && !/^\d+[.,]\d{3}/.test(amount)
  // `22 Ordinary business income ....... 22 402`: with dots between them, as returns are printed.
  const isPrinted = /^\d+[a-z]?\s/.test(label) && !label.includes(':') && number.length > 1
  return /^\d+$/.test(number) && isGrouped && !isPrinted
}

function isAmount(text: string): boolean {
  return /^[($£€-]{0,3}\d[\d.,'’ ]*\)?$/.test(text) && /\d{3}/.test(text)
}
