/** What every reader makes of a document. A sheet of a workbook, a whole DOCX or a whole CSV counts as one page. */
export interface DocumentText {
  pages: DocumentPage[]
  /** The same pages in the order and with the rows and cells that the document itself tells of. */
  as_tagged?: DocumentPage[]
  /** The document holds more than was read. */
  is_truncated?: true
  /** What the document lacks although it could be read. */
  problems?: DocumentProblem[]
}

export interface DocumentPage {
  number: number
  /** The name of the sheet, in a workbook. */
  title?: string
  /** In reading order; a line without cells stands between blocks. */
  lines: Line[]
}

export type Line = Cell[]

/** A piece of a line. What stands in one column overlaps from `left` to `right`, in whatever unit the format has. */
export interface Cell {
  text: string
  left: number
  right: number
  /** What a form calls the field that this is the value of. */
  field?: string
  /** The name of the field is the caption printed in the box around it. */
  is_boxed?: true
  /** The lines it was put together of, where it is the cell of a table that has several. */
  lines?: string[]
  /** Where it was recognised in a picture: how sure the least sure word is, from 0 to 1. */
  sureness?: number
}

export const problemCodes = ['no_text', 'empty_form', 'unread_form', 'read_by_ocr'] as const
export interface DocumentProblem {
  code: (typeof problemCodes)[number]
  message: string
}

export const textLimits = { pages: 200, lines: 20_000, bytes: 2_000_000, columns: 200 } as const

export interface TextCollector {
  /** False when no further page fits. */
  beginPage(title?: string): boolean
  addLine(cells: Line): void
  /** A line of text: two spaces or a tab keep its columns apart. */
  addText(line: string): void
  /** A row of a grid, where the place in the row is the column. */
  addRow(cells: readonly string[]): void
  addProblem(problem: DocumentProblem): void
  /** True when nothing more fits: a reader should stop reading. */
  isFull(): boolean
  finish(): DocumentText
}

/** Gathers text up to the limits and leaves out the rest. */
export function createTextCollector(): TextCollector {
  const pages: DocumentPage[] = []
  const problems: DocumentProblem[] = []
  let lines = 0
  let bytes = 0
  let isTruncated = false

  const take = (cells: Line): boolean => {
    // Every cell and line costs something even when it is empty, so that empty ones cannot be endless.
    const cost = cells.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 3, 3)
    if (isTruncated || lines + 1 > textLimits.lines || bytes + cost > textLimits.bytes) {
      isTruncated = true
      return false
    }
    lines += 1
    bytes += cost
    return true
  }
  const page = (): DocumentPage => {
    const last = pages.at(-1)
    if (last) return last
    const first: DocumentPage = { number: 1, lines: [] }
    pages.push(first)
    return first
  }
  const add = (cells: Line) => {
    const kept = cells
      .slice(0, textLimits.columns)
      .map((cell) => ({ ...cell, text: cleanText(cell.text) }))
      .filter(({ text }) => text !== '')
    if (take(kept)) page().lines.push(kept)
    if (cells.length > textLimits.columns) isTruncated = true
  }

  return {
    beginPage(title) {
      if (isTruncated || pages.length >= textLimits.pages) {
        isTruncated = true
        return false
      }
      pages.push({ number: pages.length + 1, ...(title && { title: cleanText(title).slice(0, 200) }), lines: [] })
      return true
    },
    addLine: add,
    addText(line) {
      add(cellsOf(line))
    },
    addRow(cells) {
      add(cells.slice(0, textLimits.columns + 1).map((text, column) => gridCell(text, column)))
    },
    addProblem(problem) {
      problems.push(problem)
    },
    isFull: () => isTruncated,
    finish: () => ({
      pages,
      ...(isTruncated && { is_truncated: true as const }),
      ...(problems.length > 0 && { problems }),
    }),
  }
}

const columnWidth = 100

function gridCell(text: string, column: number): Cell {
  return { text, left: column * columnWidth, right: column * columnWidth + columnWidth - 10 }
}

/** The cells of a line of text: tabs count columns, as in a grid; without tabs every letter is as wide as another. */
function cellsOf(line: string): Line {
  if (line.includes('\t')) return line.split('\t').map(gridCell)
  const cells: Line = []
  for (const match of line.matchAll(/\S+(?: \S+)*/g))
    cells.push({ text: match[0], left: match.index, right: match.index + match[0].length })
  return cells
}

/** A line as one text, two spaces between its columns. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('  ')
}

/** Control and zero-width characters carry no text, and would make an answer larger than what it says. */
function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u00a0\u2007\u202f]/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** One line of a cell that holds several. */
export function joinLines(text: string): string {
  if (!text.includes('\n')) return text.trim()
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(', ')
}
