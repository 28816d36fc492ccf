// Cells that hold their caption and what was filled in, one below the other: `Company name` and `Lee Bakery Ltd` in one
// cell of a table. The reader of the format puts a comma between the two; here it becomes a colon.
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { isLabel } from './labels.ts'

/** So many cells that are a known label, a comma and something else make it the way of the whole page. */
const fewest = 4
const longestCaption = 80
const mostWords = 8

export function withColons(all: readonly Line[]): readonly Line[] {
  return withColonsFor(captionOf, withColonsFor(captionBehind, all.map(withOwnColons)))
}

function withColonsFor(captionIn: typeof captionOf, lines: readonly Line[]): readonly Line[] {
  const captioned = lines.flatMap((line) =>
    line.filter((cell, at) => {
      const parts = captionIn(cell)
      // `Turnover, franchisees | 9,000,000` has its value beside it.
      const isBeside = /^[\s\d.,()$£€%-]+$/.test(line[at + 1]?.text ?? '')
      return parts !== undefined && !isBeside && isLabel(parts.caption) && !isLabel(parts.value)
    }),
  )
  if (captioned.length < fewest) return lines
  const own = new Set(captioned)
  return lines.map((line) =>
    line.some((cell) => own.has(cell)) ? line.map((cell) => withColon(cell, captionIn(cell))) : line,
  )
}

/** `Company name | : | Lee Bakery Ltd`, `Company name | : Lee Bakery Ltd`: a colon in a column of its own ends the label. */
function withOwnColons(line: Line): Line {
  if (!line.some(({ text }, at) => at > 0 && /^\s*:/.test(text))) return line
  const cells: Line = []
  for (const cell of line) {
    const last = cells.at(-1)
    const isApart = last !== undefined && last.field === undefined && /^\s*:(?!\/)/.test(cell.text)
    if (isApart && !last.text.trim().endsWith(':')) cells[cells.length - 1] = { ...last, text: `${last.text.trim()}:` }
    const text = isApart ? cell.text.replace(/^\s*:\s*/, '') : cell.text
    if (text !== '') cells.push(isApart ? { ...cell, text } : cell)
  }
  return cells
}

function withColon(cell: Cell, parts: Captioned | undefined): Cell {
  return parts === undefined ? cell : { ...cell, text: `${parts.caption}: ${parts.value}` }
}

interface Captioned {
  caption: string
  value: string
}

/** `Lee Bakery Ltd, Company name`: forms that print their captions below what is filled in. */
function captionBehind({ text, field }: Cell): Captioned | undefined {
  const at =
    field === undefined ? text.replace(/\([^()]*\)/g, (bracket) => '.'.repeat(bracket.length)).lastIndexOf(', ') : -1
  const [value, caption] = [text.slice(0, at).trim(), text.slice(at + 2).trim()]
  const words = wordsOf(caption.replace(/\([^()]*\)/g, ' ')).length
  const isCaption = caption.length <= longestCaption && words > 0 && words <= mostWords && /^\p{Lu}/u.test(caption)
  return at > 0 && isCaption && !/[:@\n]/.test(caption) ? { caption, value } : undefined
}

/** What stands before the first comma outside of brackets, without a figure or a colon. */
function captionOf({ text, field }: Cell): Captioned | undefined {
  if (field !== undefined || !text.includes(', ')) return undefined
  let depth = 0
  for (let at = 0; at < Math.min(text.length, longestCaption); at++) {
    const mark = text[at]
    if (mark === '(') depth++
    else if (mark === ')') depth--
    else if (mark === ':' || (depth === 0 && /\d/.test(mark ?? ''))) return undefined
    // `Gross annual sales, last full year (2025), $1,372,500`
    else if (mark === ',' && depth === 0 && !/^,\s\p{Ll}[^,]*,\s/u.test(text.slice(at))) {
      const [caption, value] = [text.slice(0, at), text.slice(at + 1).trim()]
      const words = wordsOf(caption.replace(/\([^()]*\)/g, ' ')).length
      return words > 0 && words <= mostWords && value !== '' ? { caption, value } : undefined
    }
  }
  return undefined
}
