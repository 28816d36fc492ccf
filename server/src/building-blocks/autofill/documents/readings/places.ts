// A document as its readers walk through it: lines with what is known of each before any of them is believed.
import { type Cell, type DocumentText, type Line, textOf } from '../formats/document-text.ts'
import { withColons } from './captioned-cells.ts'
import { joinWrapped, splitCells } from './cells.ts'
import { type DecimalMark, decimalMarkOf } from './numbers.ts'

export interface PlacedLine {
  page: number
  /** From 1, on its page. */
  number: number
  cells: Line
  text: string
  /** Where a person finds it, if the line was made of another one. */
  shown_at?: Place
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
    lines: joinWrapped(
      // One cell may be split into hundreds.
      withColons(lines.map((cells) => cells.slice(0, mostCells).map(shortened))).map((cells) =>
        splitCells(cells).slice(0, mostCells),
      ),
    ).map(
      (cells, index): PlacedLine => ({
        page: number,
        number: index + 1,
        cells,
        text: textOf(cells).slice(0, longestText),
      }),
    ),
  }))
  const texts = placed.flatMap(({ lines }) => lines.slice(0, 2_000).map(({ text }) => text))
  return { pages: placed, country, mark: decimalMarkOf(texts, country) }
}

function shortened(cell: Cell): Cell {
  return { ...cell, text: cell.text.slice(0, longestText) }
}

/** The same line with other cells. */
export function relined(line: PlacedLine, cells: Line): PlacedLine {
  return { ...line, cells, text: textOf(cells).slice(0, longestText) }
}

/** Puts a cell together with the one below it, which leaves its line. */
export function joinBelow(lines: PlacedLine[], index: number, begin: Cell, rest: Cell, text: string): void {
  const [line, below] = [lines[index], lines[index + 1]]
  if (!line || !below) return
  const whole = { ...begin, text, right: Math.max(begin.right, rest.right) }
  lines[index] = relined(
    line,
    line.cells.map((cell) => (cell === begin ? whole : cell)),
  )
  lines[index + 1] = relined(
    below,
    below.cells.filter((cell) => cell !== rest),
  )
}

export function placeOf({ page, number, text, shown_at }: PlacedLine): Place {
  return shown_at ?? { page, line: number, words: text.slice(0, 200) }
}

/** How much of the narrower of two cells lies above or below the other, from 0 to 1. */
export function overlap(a: Cell, b: Cell): number {
  const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  return shared <= 0 ? 0 : shared / Math.max(1, Math.min(a.right - a.left, b.right - b.left))
}
