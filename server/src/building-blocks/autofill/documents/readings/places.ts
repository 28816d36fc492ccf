// A document as its readers walk through it: lines with what is known of each before any of them is believed.
import { type Cell, type DocumentText, type Line, textOf } from '../formats/document-text.ts'
import { type DecimalMark, decimalMarkOf } from './numbers.ts'

export interface PlacedLine {
  page: number
  /** From 1, on its page. */
  number: number
  cells: Line
  text: string
}

export interface Place {
  page: number
  line: number
  /** The line, for a person to check. */
  words: string
}

export interface ReadDocument {
  /** Every page with the name of its sheet; longer lines are cut. */
  pages: { number: number; title: string; lines: PlacedLine[] }[]
  country: string | null
  mark: DecimalMark
}

const longestText = 1_000
const mostCells = 60

export function placeLines({ pages }: DocumentText, country: string | null): ReadDocument {
  const placed = pages.map(({ number, title = '', lines }) => ({
    number,
    title,
    lines: lines.map((cells, index): PlacedLine => {
      const kept = cells
        .slice(0, mostCells)
        .flatMap((cell) => splitAtDots({ ...cell, text: cell.text.slice(0, longestText) }))
      return { page: number, number: index + 1, cells: kept, text: textOf(kept).slice(0, longestText) }
    }),
  }))
  const texts = placed.flatMap(({ lines }) => lines.slice(0, 2_000).map(({ text }) => text))
  return { pages: placed, country, mark: decimalMarkOf(texts, country) }
}

export function placeOf({ page, number, text }: PlacedLine): Place {
  return { page, line: number, words: text.slice(0, 200) }
}

/** How much of the narrower of two cells lies above or below the other, from 0 to 1. */
export function overlap(a: Cell, b: Cell): number {
  const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  return shared <= 0 ? 0 : shared / Math.max(1, Math.min(a.right - a.left, b.right - b.left))
}

/** `First Bank · Tel. 0303 555 0100 | VAT 123`: what dots and bars keep apart are cells. */
function splitAtDots(cell: Cell): Line {
  const hasDashes = cell.text.split(' – ').length > 2
  if (!hasDashes && !/\s[·|•]\s/.test(cell.text)) return [cell]
  const { text, left, right } = cell
  const width = (right - left) / Math.max(1, text.length)
  const parts = hasDashes ? /(?:(?!\s[·|•–]\s).)+/g : /(?:(?!\s[·|•]\s).)+/g
  return [...text.matchAll(parts)].flatMap((match) => {
    const part = match[0].replace(/^\s*[·|•–]\s/, '').trim()
    const begin = left + match.index * width
    return part === '' ? [] : [{ text: part, left: begin, right: begin + match[0].length * width }]
  })
}
