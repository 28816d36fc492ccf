// CSV as records: the first line names the fields, separated by commas, semicolons or tabs. Nested fields are JSON in
// their cell, or columns of their own such as `amount.min` beside `amount.currency`. An empty cell is left out.
import { ApiError } from '../../../../platform/protocol/errors.ts'
import { parseStrictJson } from '../../../../platform/protocol/strict-json.ts'
import { closestWord } from '../../../../platform/values/closest-word.ts'
import { counted } from '../../../../platform/values/counted.ts'
import { cellsOf, csvLines } from './csv-lines.ts'
import { BrokenFile, type FileRecord, type RecordProblem, tooLarge } from './file-records.ts'
import { bounds } from './json-records.ts'

/** How the cell of a column becomes a value. */
const columns: Readonly<Record<string, 'text' | 'integer' | 'number' | 'json' | 'money' | 'currency'>> = {
  external_reference: 'text',
  name: 'text',
  funding_type: 'text',
  status: 'text',
  summary: 'text',
  opens_on: 'text',
  closes_on: 'text',
  amount: 'json',
  'amount.min': 'money',
  'amount.max': 'money',
  'amount.currency': 'currency',
  term_months: 'json',
  'term_months.min': 'integer',
  'term_months.max': 'integer',
  rate: 'json',
  'rate.min': 'number',
  'rate.max': 'number',
  'rate.kind': 'text',
  fees: 'json',
  time_to_fund_days: 'json',
  'time_to_fund_days.min': 'integer',
  'time_to_fund_days.max': 'integer',
  required_documents: 'json',
  eligibility: 'json',
}
export const csvColumns: readonly string[] = Object.keys(columns)

export async function* csvRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  let header: Header | undefined
  let announced: string | undefined
  /** Undefined while any may be. */
  let separatorByte: number | undefined
  let row = 0
  const isSeparator = (byte: number) =>
    separatorByte === undefined ? anySeparator.includes(byte) : byte === separatorByte
  for await (const { bytes, line, isCut } of csvLines(chunks, isSeparator)) {
    if (isCut)
      throw broken(row + 1, line, `The file is incomplete: the quotes opened in line ${line} are never closed.`)
    if (header) {
      if (!isBlank(header, bytes)) yield { row: ++row, line, ...readCells(header, bytes) }
      continue
    }
    if (line === 1) announced = separatorLine.exec(bytes?.toString('latin1') ?? '')?.[1]
    if (line > 1 || announced === undefined) header = headerOf(bytes, line, announced)
    separatorByte = (header?.separator ?? announced)?.charCodeAt(0)
  }
  if (!header) throw broken(1, 1, 'The file is empty. Its first line must name the fields.')
}

/** Excel can be told the separator by a line before all others. */
const separatorLine = /^sep=([,;\t])$/i

interface Header {
  separator: string
  /** Where a spreadsheet has added columns without a name, those are empty texts at the end. */
  names: readonly string[]
}

const separators = ',;\t'
const anySeparator = [...separators].map((one) => one.charCodeAt(0))

function headerOf(bytes: Buffer | undefined, line: number, announced: string | undefined): Header {
  const refused = (message: string) => broken(1, line, message)
  if (!bytes) throw refused('The header is too long. It must name the fields.')
  const text = textOf(bytes)
  if (text === undefined) throw refused(`The header ${textRule}`)
  if (text.includes('\r'))
    throw refused(
      'Lines must end with LF or CRLF; this file uses CR alone. Save it as "CSV UTF-8" and import it again.',
    )
  const separator = announced ?? [...text].find((character) => separators.includes(character)) ?? ','
  const names = cellsOf(text, separator)?.map((name) => name.trim())
  if (!names) throw refused('The header must name the fields; its quotes are not balanced.')
  const lastNamed = names.findLastIndex((name) => name !== '')
  const named = names.slice(0, lastNamed + 1)
  const unknown = named.filter((name) => !Object.hasOwn(columns, name))
  if (unknown.length > 0) {
    const shown = unknown.slice(0, mostShown).map(shownColumn)
    const more = unknown.length > mostShown ? ` and ${unknown.length - mostShown} more` : ''
    throw refused(
      `Unknown ${unknown.length === 1 ? 'column' : 'columns'}: ${shown.join(', ')}${more}. The first line must name the fields, separated by commas, semicolons or tabs. Rename or remove other columns. Known columns: ${csvColumns.join(', ')}.`,
    )
  }
  const twice = named.find((name, index) => named.indexOf(name) !== index)
  if (twice !== undefined) throw refused(`Duplicate column: ${twice}. Name each column once.`)
  const whole = names.find((name) => columns[name] === 'json' && names.some((other) => other.startsWith(`${name}.`)))
  if (whole !== undefined) throw refused(`Use either the column ${whole} or the columns ${whole}.*, not both.`)
  return { separator, names }
}

function shownColumn(name: string): string {
  if (name === '') return '(empty)'
  const shown = name.slice(0, 60)
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const same = csvColumns.find((column) => lettersOf(column) === lettersOf(shown))
  const isWord = /^[\w .-]+$/.test(shown)
  const near = same ?? (isWord ? closestWord(shown.toLowerCase().replaceAll(/[\s-]/g, '_'), csvColumns) : undefined)
  return near === undefined ? shown : `${shown} (did you mean ${near}?)`
}
const mostShown = 10

/** A line without anything in it, as spreadsheets write below their table. */
function isBlank({ separator }: Header, bytes: Buffer | undefined): boolean {
  const separatorByte = separator.charCodeAt(0)
  return bytes?.every((byte) => byte === separatorByte) ?? false
}

function readCells(
  { separator, names }: Header,
  bytes: Buffer | undefined,
): { value: unknown } | { problems: RecordProblem[] } {
  if (!bytes) return { problems: [tooLarge] }
  const text = textOf(bytes)
  if (text === undefined) return { problems: [malformed(`The line ${textRule}`)] }
  const cells = cellsOf(text, separator)
  if (!cells)
    return {
      problems: [
        malformed('The quotes are not valid. Enclose the whole cell in quotes and double the quotes inside it.'),
      ],
    }
  if (cells.length !== names.length)
    return {
      problems: [
        malformed(
          `The line has ${counted(cells.length, 'cell')}; the header names ${counted(names.length, 'column')}. Enclose cells that contain the separator in quotes.`,
        ),
      ],
    }
  const unnamed = cells.findIndex((cell, index) => names[index] === '' && cell !== '')
  if (unnamed !== -1)
    return {
      problems: [
        malformed(
          `Cell ${unnamed + 1} has a value, but its column has no name in the header. Name the column, or remove the value.`,
        ),
      ],
    }
  // Nobody means the spaces after a separator, or those of a spreadsheet.
  const given = new Map(names.map((name, index) => [name, (cells[index] ?? '').trim()]))
  const value: Record<string, unknown> = {}
  const problems: RecordProblem[] = []
  for (const [name, cell] of given) {
    if (cell === '' || columns[name] === 'currency') continue
    try {
      put(value, name, readCell(name, cell, given.get('amount.currency')))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.push({ pointer: `/${name.replace('.', '/')}`, code: 'malformed_json', message: error.message })
    }
  }
  return problems.length > 0 ? { problems } : { value }
}

function readCell(name: string, cell: string, currency: string | undefined): unknown {
  switch (columns[name]) {
    case 'json':
      return parseStrictJson(Buffer.from(cell), { ...bounds, subject: name })
    case 'money':
      return { amount: cell, ...(currency && { currency }) }
    case 'integer':
      // Some programs write 12 as 12.0. But 1.000 is a thousand where it comes from, and must not become 1.
      return /^-?\d{1,15}(\.0)?$/.test(cell) ? Number(cell) : cell
    case 'number':
      // What is no number stays text, and is refused as such.
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(cell) ? Number(cell) : cell
    default:
      return cell
  }
}

/** `amount.min` is a member of `amount`. */
function put(value: Record<string, unknown>, name: string, member: unknown): void {
  const [field = '', part] = name.split('.')
  if (part === undefined) value[field] = member
  else value[field] = { ...(value[field] as object | undefined), [part]: member } // safe because parts are put into nothing but objects
}

const textRule =
  'must be UTF-8 text without NUL characters. Save the file as UTF-8 (in Excel: "CSV UTF-8") and import it again.'

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = decoder.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined // not UTF-8
  }
}

function malformed(message: string): RecordProblem {
  return { pointer: '', code: 'malformed_csv', message }
}

function broken(row: number, line: number, message: string): BrokenFile {
  return new BrokenFile({ row, line }, { code: 'malformed_csv', message })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
