// Lines of returns as text: `22 Ordinary business income. Subtract line 21 from line 6 ...... 22  188,402`. The number of the
// line stands again before its amount, or before a blank.
import type { Cell, Line } from '../formats/document-text.ts'

/** The label and the amount, without the number between them. */
export function withoutRepeatedNumber(line: Line): Line {
  const [first, ...more] = line
  if (!first || first.text.length > longest || !isRepeated(first.text)) return line
  const [, label = '', number = '', amount = ''] = numbered.exec(first.text) ?? []
  const isEmpty = /^_+$/.test(amount)
  if (label === '' || !(isEmpty || (isAmount(amount) && !isGroupOf(number, amount)))) return line
  const own: Cell = { ...first, text: label.trim() }
  if (isEmpty) return [own, ...more]
  const share = (first.right - first.left) / Math.max(1, first.text.length)
  const begin = first.right - share * amount.length
  return [{ ...own, right: begin - share }, { ...first, text: amount, left: begin }, ...more]
}

const longest = 300

/** Most lines are told at a glance. */
function isRepeated(text: string): boolean {
  const begin = /^\d{1,2}[a-z]?(?=[.)]?\s)/.exec(text)?.[0]
  return begin !== undefined && text.includes(begin, begin.length)
}

const numbered = /^((\d{1,2}[a-z]?)[.)]?\s\p{L}[^\n]{4,200}?)[\s.·_…]+\2(?:\s+(\S[^\n]*))?$/u

/** `1. Turnover 2025: 1 188 402`: the first digits of the amount may be the number of the line, too. */
function isGroupOf(number: string, amount: string): boolean {
  return (
    /^\d+$/.test(number) && /^\d{3}(?:[ '’]\d{3})*(?:[.,]\d\d)?(?!\d)/.test(amount) && !/^\d+[.,]\d{3}/.test(amount)
  )
}

function isAmount(text: string): boolean {
  return /^[($£€-]{0,3}\d[\d.,'’ ]*\)?$/.test(text) && /\d{3}/.test(text)
}
