// Which cells are labels, and where a label in a cell ends.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { isLabel } from './labels.ts'

export function isLabelCell({ text: whole, field }: Cell): boolean {
  if (field !== undefined || isLink(whole)) return false
  // `Projected turnover next 12 months`
  const text = whole.replace(/(?<=\p{L}\s)\d{1,2}\s(?:months|monate|mois|meses)\b/iu, 'year')
  const colon = colonOf(text)
  if (hasNumber(text) && colon === -1) return false
  // `2018-03-21 Constitution`: the day something happened, and what.
  if (/^(?:19|20)\d\d-\d\d-\d\d\s/.test(text)) return false
  // `27 salariés`
  if (/^\d{1,6} \p{Ll}[\p{L}.]*$/u.test(text)) return false
  // `Suite 3, 118 Main Street,`
  if (/\d\s\p{L}.*,\s*$/u.test(text) && colon === -1) return false
  return colon > 0
    ? isLabel(text.slice(0, colon)) || (wordsOf(text.slice(0, colon)).length <= 5 && /^\p{L}/u.test(text))
    : isLabel(text)
}

export function isLink(text: string): boolean {
  return /^(?:www\.|https?:)|@|^\p{Ll}[\p{Ll}-]+\.\p{Ll}{2,}$/u.test(text)
}

/** The colon that ends a label; not one of a time or a link. */
export function colonOf(text: string): number {
  const lastClose = text.lastIndexOf(')')
  let isOpen = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') isOpen = true
    else if (text[at] === ')') isOpen = false
    if (text[at] !== ':') continue
    if (/\d/.test(text[at - 1] ?? '') && /\d/.test(text[at + 1] ?? '')) continue
    if (text.startsWith('//', at + 1)) continue
    // `Loss (prior year: profit)` explains in brackets.
    if (isOpen && lastClose > at) continue
    return at
  }
  return -1
}

/** A number of a register or an amount belongs to a value, a year or the number of a line to a label. */
export function hasNumber(text: string): boolean {
  return /\d{2,}[.,/ ]?\d{3,}|\d{5,}|\d[.,]\d\d\b|(?:\d\d[ .-]){3}\d\d|\d{3}-\d{3}|[–—] \d{1,4}$/.test(
    text.replace(
      /^\d{1,2}[./]\d{1,2}[./]?(?=\s)|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d|(?:19|20)\d\d-\d\d-\d\d|(?:19|20)\d\d\/\d\d(?:\d\d)?/g,
      '',
    ),
  )
}
