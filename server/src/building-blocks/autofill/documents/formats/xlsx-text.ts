// The sheets of a workbook, each a page. Formulas count with the value that was saved beside them.
import { createTextCollector, type DocumentText, joinLines, type TextCollector, textLimits } from './document-text.ts'
import { DocumentUnreadable } from './document-unreadable.ts'
import { kindOfBuiltIn, kindOfFormat, type NumberKind, numberText } from './spreadsheet-values.ts'
import { scanXml } from './xml-scanner.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

export async function readXlsx(bytes: Buffer): Promise<DocumentText> {
  const zip = openZip(bytes)
  const textOf = async (name: string) => (await zip.read(name))?.toString('utf8') ?? ''
  const workbook = readWorkbook(await textOf('xl/workbook.xml'))
  if (workbook.sheets.length === 0)
    throw new DocumentUnreadable(
      'malformed',
      'The file is not an Excel workbook. Save it as .xlsx and upload it again.',
    )
  const paths = sheetPaths(zip, workbook.sheets, await textOf('xl/_rels/workbook.xml.rels'))
  const book: Book = {
    strings: readSharedStrings(await textOf('xl/sharedStrings.xml')),
    styles: readStyles(await textOf('xl/styles.xml')),
    is_from_1904: workbook.is_from_1904,
  }
  const collector = createTextCollector()
  for (const [index, path] of paths.entries()) {
    if (!collector.beginPage(workbook.sheets[index]?.name)) break
    // A hidden sheet keeps its number, but nobody who sends the workbook has to know what it says.
    if (!workbook.sheets[index]?.is_hidden) readSheet(await textOf(path), book, collector)
  }
  return collector.finish()
}

interface Book {
  strings: readonly string[]
  styles: readonly NumberKind[]
  is_from_1904: boolean
}

interface Sheet {
  id: string
  name: string
  is_hidden: boolean
}

function readWorkbook(xml: string): { sheets: Sheet[]; is_from_1904: boolean } {
  const sheets: Sheet[] = []
  let isFrom1904 = false
  scanXml(xml, {
    open(name, attribute) {
      if (name === 'sheet') {
        const isHidden = (attribute('state') ?? 'visible') !== 'visible'
        // `id` is the relation's; the sheet's own number is `sheetId`.
        sheets.push({ id: attribute('id') ?? '', name: attribute('name') ?? '', is_hidden: isHidden })
      }
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attribute('date1904') ?? '')
    },
    isDone: () => sheets.length > textLimits.pages,
  })
  return { sheets, is_from_1904: isFrom1904 }
}

/** Where the sheets are, in the order of the tabs; without relations, the usual names. */
function sheetPaths(zip: ZipArchive, sheets: readonly Sheet[], relations: string): string[] {
  const targets = new Map<string, string>()
  scanXml(relations, {
    open(name, attribute) {
      if (name === 'Relationship') targets.set(attribute('Id') ?? '', attribute('Target') ?? '')
    },
  })
  return sheets.map(({ id }, index) => {
    const target = targets.get(id) ?? `worksheets/sheet${index + 1}.xml`
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    return zip.names.includes(path) ? path : `xl/worksheets/sheet${index + 1}.xml`
  })
}

function readSharedStrings(xml: string): string[] {
  const strings: string[] = []
  let parts: string[] = []
  let inText = false
  // Phonetic hints repeat the text in another script.
  let inHint = false
  scanXml(xml, {
    open(name) {
      if (name === 'si') parts = []
      else if (name === 't') inText = true
      else if (name === 'rPh') inHint = true
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'rPh') inHint = false
      else if (name === 'si') strings.push(parts.join(''))
    },
    text(text) {
      if (inText && !inHint) parts.push(text)
    },
  })
  return strings
}

/** The kind of number of every cell style. */
function readStyles(xml: string): NumberKind[] {
  const own = new Map<number, NumberKind>()
  const styles: NumberKind[] = []
  let inCellStyles = false
  scanXml(xml, {
    open(name, attribute) {
      if (name === 'numFmt') own.set(Number(attribute('numFmtId')), kindOfFormat(attribute('formatCode') ?? ''))
      else if (name === 'cellXfs') inCellStyles = true
      else if (name === 'xf' && inCellStyles) {
        const id = Number(attribute('numFmtId') ?? 0)
        styles.push(own.get(id) ?? kindOfBuiltIn(id))
      }
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false
    },
  })
  return styles
}

function readSheet(xml: string, book: Book, collector: TextCollector): void {
  let row: string[] = []
  let lastRow = 0
  let column = 0
  let type = ''
  let style = 0
  let inValue = false
  let value: string[] = []
  scanXml(xml, {
    open(name, attribute) {
      if (name === 'row') {
        const number = Number(attribute('r') ?? lastRow + 1)
        // Rows that are left out are empty: so the line of a value is the row people see.
        for (let gap = Math.min(number - lastRow - 1, longestGap); gap > 0; gap--) collector.addText('')
        lastRow = number
        row = []
        column = 0
      } else if (name === 'c') {
        column = columnOf(attribute('r')) ?? column + 1
        type = attribute('t') ?? 'n'
        style = Number(attribute('s') ?? 0)
        value = []
      } else if (name === 'v' || name === 't') inValue = true
    },
    close(name) {
      if (name === 'v' || name === 't') inValue = false
      else if (name === 'c' && value.length > 0) {
        const place = Math.min(column, textLimits.columns + 1) - 1
        while (row.length < place) row.push('')
        row[place] = cellText(value.join(''), type, style, book)
      } else if (name === 'row') {
        collector.addRow(Array.from(row, (cell) => joinLines(cell ?? '')))
      }
    },
    text(text) {
      if (inValue) value.push(text)
    },
    isDone: collector.isFull,
  })
}

const longestGap = 100

function cellText(raw: string, type: string, style: number, book: Book): string {
  if (type === 's') return book.strings[Number(raw)] ?? ''
  if (type === 'b') return raw === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return numberText(raw, book.styles[style] ?? 'number', book.is_from_1904)
  // An error is no value anybody wants to be offered.
  return type === 'e' ? '' : raw
}

/** 'BC12' is column 55. */
function columnOf(place: string | undefined): number | undefined {
  let column = 0
  for (const character of (place ?? '').slice(0, 3)) {
    const letter = character.charCodeAt(0) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  return column === 0 ? undefined : column
}
