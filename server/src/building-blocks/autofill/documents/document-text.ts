/** What every reader makes of a document. A sheet of a workbook, a whole DOCX or a whole CSV counts as one page. */
export interface DocumentText {
  pages: DocumentPage[]
  /** The document holds more than was read. */
  is_truncated?: true
}

export interface DocumentPage {
  number: number
  /** All text in reading order; two spaces stand between columns, an empty line between blocks. */
  lines: string[]
  /** What the lines hold as tables, once more: rows of cells. */
  tables: string[][][]
}

export const textLimits = { pages: 200, lines: 20_000, bytes: 2_000_000, columns: 200 } as const

export interface TextCollector {
  /** False when no further page fits. */
  beginPage(): boolean
  addLine(line: string): void
  /** A row of the table at hand, and its line. */
  addRow(cells: readonly string[]): void
  endTable(): void
  /** Tables made of lines that were added before. */
  addTables(tables: string[][][]): void
  /** True when nothing more fits: a reader should stop reading. */
  isFull(): boolean
  finish(): DocumentText
}

/** Gathers text up to the limits and leaves out the rest. */
export function createTextCollector(): TextCollector {
  const pages: DocumentPage[] = []
  let lines = 0
  let bytes = 0
  let isTruncated = false
  let table: string[][] = []

  const take = (text: string, cells: number): boolean => {
    // Every cell and line costs something even when it is empty, so that empty ones cannot be endless.
    const cost = Buffer.byteLength(text) + 3 * cells
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
    const first: DocumentPage = { number: 1, lines: [], tables: [] }
    pages.push(first)
    return first
  }
  const endTable = () => {
    if (table.length > 0) page().tables.push(table)
    table = []
  }

  return {
    beginPage() {
      endTable()
      if (isTruncated || pages.length >= textLimits.pages) {
        isTruncated = true
        return false
      }
      pages.push({ number: pages.length + 1, lines: [], tables: [] })
      return true
    },
    addLine(line) {
      const clean = cleanText(line)
      if (take(clean, 1)) page().lines.push(clean)
    },
    addRow(cells) {
      const kept = cells.slice(0, textLimits.columns).map((cell) => cleanText(cell).replace(/ {2,}/g, ' '))
      const line = kept.filter((cell) => cell !== '').join(columnGap)
      const isTaken = take(line, kept.length)
      if (isTaken) {
        page().lines.push(line)
        table.push(kept)
      }
      if (cells.length > kept.length) isTruncated = true
    },
    endTable,
    addTables(tables) {
      page().tables.push(...tables)
    },
    isFull: () => isTruncated,
    finish() {
      endTable()
      return isTruncated ? { pages, is_truncated: true } : { pages }
    },
  }
}

const columnGap = '  '

/** The cells of a line: what two spaces or a tab keep apart. */
export function cellsOf(line: string): string[] {
  return line
    .split(/ {2}|\t/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
}

/** At least three lines with the same number of cells, two or more, make a table. */
export function tablesOf(lines: readonly string[]): string[][][] {
  const tables: string[][][] = []
  let run: string[][] = []
  const endRun = () => {
    if (run.length >= 3) tables.push(run)
    run = []
  }
  for (const line of lines) {
    // An empty line is only space: tables are often set wide.
    if (line === '') continue
    const cells = cellsOf(line)
    if (run.length > 0 && run[0]?.length !== cells.length) endRun()
    if (cells.length >= 2) run.push(cells)
  }
  endRun()
  return tables
}

/** Control and zero-width characters carry no text, and would make an answer larger than what it says. */
function cleanText(text: string): string {
  return text
    .replaceAll('\t', columnGap)
    .replace(/[\p{Cc}\p{Cf}\u00a0]/gu, ' ')
    .trimEnd()
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
