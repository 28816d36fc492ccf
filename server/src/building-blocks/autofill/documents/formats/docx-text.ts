// The paragraphs and tables of a Word document, in order. A table inside a table becomes text of its cell.
import { holdsAddress } from './cell-text.ts'
import { createTextCollector, type DocumentText } from './document-text.ts'
import { DocumentUnreadable } from './document-unreadable.ts'
import { scanXml } from './xml-scanner.ts'
import { openZip } from './zip-archive.ts'

const mostEdges = 6
const longHeading = 24

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
  let cell: string[] = []
  let row: string[] = []
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
      if (filled.length > 0) cell.push(filled.join((isValue && isAddress) || isCaptioned ? ', ' : ' '))
    } else for (const line of text.split('\n')) collector.addText(line)
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
        else if (name === 'tc' && depth === 1) row.push(cell.join(', '))
        else if (name === 'tr' && depth === 1) {
          collector.addRow(row)
          rows++
        } else if (name === 'tbl') {
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
