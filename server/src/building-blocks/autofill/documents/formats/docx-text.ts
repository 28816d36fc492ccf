// The paragraphs and tables of a Word document, in order. A table inside a table becomes text of its cell.
import { holdsAddress } from './cell-text.ts'
import { createTextCollector, type DocumentText } from './document-text.ts'
import { DocumentUnreadable } from './document-unreadable.ts'
import { scanXml } from './xml-scanner.ts'
import { openZip } from './zip-archive.ts'

const mostEdges = 6
const longHeading = 24

/** More lines are no address and no value; neither are several paragraphs of which one is so long. */
const mostLines = 7
const longestValue = 160

function isColumn(paragraphs: readonly { text: string; lines: readonly string[] }[]): boolean {
  const lines = paragraphs.reduce((sum, own) => sum + own.lines.length, 0)
  return lines > mostLines || (paragraphs.length > 2 && paragraphs.some(({ text }) => text.length > longestValue))
}

export async function readDocx(bytes: Buffer): Promise<DocumentText> {
  const zip = openZip(bytes)
  const body = await zip.read('word/document.xml')
  if (!body)
    throw new DocumentUnreadable('malformed', 'The file is not a Word document. Save it as .docx and upload it again.')
  const collector = createTextCollector()
  collector.beginPage()

  let depth = 0
  let inText = false
  // Text boxes are written twice, for old and for new programs; the old form is skipped.
  let skipped = 0
  let paragraph: string[] = []
  let cell: { text: string; lines: string[] }[] = []
  let row: (typeof cell)[] = []
  let first: typeof row = []
  let rows = 0
  const endParagraph = () => {
    const text = paragraph.join('')
    paragraph = []
    if (depth > 0) {
      // A value over several lines is mostly an address; the headings of columns and labels are words that go on.
      const isValue = row.length > 0 && (rows > 0 || text.length > longHeading)
      const lines = text.split('\n').map((line) => line.trim())
      const isAddress = holdsAddress(lines)
      const filled = lines.filter((line) => line !== '')
      // A caption, and what was filled in below it.
      const [caption = '', value = ''] = filled.map((line) => line.slice(0, 200))
      const isCaptioned = filled.length === 2 && /\p{L}{3}.*\s\p{L}/u.test(caption) && /^[\p{Lu}\d$£€(☐☒]/u.test(value)
      if (filled.length > 0) cell.push({ text: filled.join((isValue && isAddress) || isCaptioned ? ', ' : ' '), lines })
    } else for (const line of text.split('\n')) collector.addText(line)
  }

  const addRow = (cells: typeof row) => {
    if (cells.some(isColumn)) addColumns(cells)
    else collector.addRow(cells.map((own) => own.map(({ text }) => text).join(', ')))
  }

  // Sender and recipient, or the name of a firm and its address: blocks that stand beside each other.
  const addOnlyRow = (cells: typeof row) => {
    const counts = cells.map((own) => own.reduce((sum, { lines }) => sum + lines.length, 0))
    const isBlocks = counts.length > 1 && (counts[0] ?? 0) > 1 && Math.max(...counts) > 2
    if (isBlocks) addColumns(cells)
    else addRow(cells)
  }

  // A table may only set the columns of a page side by side.
  const addColumns = (columns: typeof row) => {
    for (const column of columns) {
      for (const { lines } of column) for (const line of lines) collector.addText(line)
      collector.addText('')
    }
  }

  // Letterheads stand in headers and footers, which are files of their own.
  const edges = zip.names.filter((name) => /^word\/(?:header|footer)\d{0,2}\.xml$/.test(name)).slice(0, mostEdges)
  const edge = async (kind: string) =>
    Promise.all(edges.filter((name) => name.includes(kind)).map((name) => zip.read(name)))
  const parts = [...(await edge('header')), body, ...(await edge('footer'))]

  for (const part of parts)
    scanXml(part?.toString('utf8') ?? '', {
      open(name) {
        if (name === 'Fallback') skipped++
        else if (name === 't') inText = true
        else if (name === 'tab') paragraph.push('\t')
        else if (name === 'br' || name === 'cr') paragraph.push('\n')
        else if (name === 'tbl') {
          if (depth++ === 0) rows = 0
        } else if (name === 'tc' && depth === 1) cell = []
        else if (name === 'tr' && depth === 1) row = []
      },
      close(name) {
        if (name === 'Fallback') skipped = Math.max(0, skipped - 1)
        else if (name === 't') inText = false
        else if (name === 'p') endParagraph()
        else if (name === 'tc' && depth === 1) row.push(cell)
        else if (name === 'tr' && depth === 1) {
          // Whether the first row is the only one shows at the end of the table.
          if (rows === 1) addRow(first)
          if (rows === 0) first = row
          else addRow(row)
          rows++
        } else if (name === 'tbl') {
          if (depth === 1 && rows === 1) addOnlyRow(first)
          depth = Math.max(0, depth - 1)
          if (depth === 0) collector.addText('')
        }
      },
      text(text) {
        if (inText && skipped === 0) paragraph.push(text)
      },
      isDone: collector.isFull,
    })
  return collector.finish()
}
