// The elements of a JSON array, or the lines of JSON lines, one at a time. A scan over the bytes finds where each one
// ends; what it says is read by the same strict parser as a request.
import { ApiError } from '../../../../platform/protocol/errors.ts'
import { parseStrictJson } from '../../../../platform/protocol/strict-json.ts'
import { BrokenFile, createRecordBytes, type FileRecord, type RecordPlace, tooLarge } from './file-records.ts'

export async function* jsonArrayRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  const element = createRecordBytes()
  let place: 'before' | 'first' | 'element' | 'next' | 'after' = 'before'
  let row = 0
  let line = 1
  let begun = 1
  let depth = 0
  let isInText = false
  let isEscaped = false
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === newLine) line++
      if (place === 'element') {
        if (isInText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isInText = false
        } else if (byte === quote) isInText = true
        else if (byte === openBrace || byte === openBracket) depth++
        else if (depth > 0) {
          if (byte === closeBrace || byte === closeBracket) depth--
        } else if (byte === comma || byte === closeBracket) {
          element.add(chunk, start, at)
          yield readJson(element.take(), { row, line: begun })
          place = byte === comma ? 'next' : 'after'
        }
        continue
      }
      if (isBlank(byte)) continue
      if (place === 'before') {
        if (byte !== openBracket)
          throw broken({ row: 1, line }, 'The file must be a JSON array of programmes: it must begin with [.')
        place = 'first'
      } else if (place === 'after')
        throw broken({ row, line }, 'The file must end after the JSON array. Remove what follows it.')
      else if (byte === closeBracket && place === 'first') place = 'after'
      else if (byte === closeBracket || byte === comma) throw broken({ row: row + 1, line }, commaText(row))
      else {
        place = 'element'
        row++
        begun = line
        start = at
        // Looked at again, as the first byte of the element.
        at--
      }
    }
    if (place === 'element') element.add(chunk, start, chunk.length)
  }
  if (place === 'before') throw broken({ row: 1 }, 'The file is empty. It must be a JSON array of programmes.')
  if (place === 'element')
    throw broken({ row, line: begun }, `The file is incomplete: it ends inside programme ${row}.`)
  if (place !== 'after')
    throw broken({ row, line }, `The file is incomplete: the JSON array does not end after programme ${row}.`)
}

function commaText(row: number): string {
  return row === 0
    ? 'A programme is missing before the first comma. Remove the comma.'
    : `A programme is missing after programme ${row}: every comma must be followed by one. Remove the comma.`
}

export async function* jsonLineRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  const record = createRecordBytes()
  let row = 0
  let line = 1
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newLine); end !== -1; end = chunk.indexOf(newLine, start)) {
      record.add(chunk, start, end)
      start = end + 1
      const bytes = record.take()
      if (!bytes || !isBlankLine(bytes)) yield readLine(bytes, { row: ++row, line })
      line++
    }
    record.add(chunk, start, chunk.length)
  }
  const rest = record.take()
  if (!rest || !isBlankLine(rest)) yield readLine(rest, { row: ++row, line })
  if (row === 0) throw broken({ row: 1 }, 'The file is empty. It must have one programme in each line.')
}

function readLine(bytes: Buffer | undefined, place: RecordPlace): FileRecord {
  const record = readJson(bytes, place)
  if (!('problems' in record) || bytes?.findLast((byte) => !isBlank(byte)) !== comma) return record
  return { ...place, problems: [{ pointer: '', code: 'malformed_json', message: lineText }] }
}
const lineText =
  'The line must not end with a comma. Remove the commas, or save the file as one JSON array that begins with [.'

function readJson(bytes: Buffer | undefined, place: RecordPlace): FileRecord {
  if (!bytes) return { ...place, problems: [tooLarge] }
  try {
    return { ...place, value: parseStrictJson(bytes, bounds) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...place, problems: [{ pointer: '', code: 'malformed_json', message: error.message }] }
  }
}

function broken({ row, ...place }: RecordPlace, message: string): BrokenFile {
  return new BrokenFile({ row: Math.max(1, row), ...place }, { code: 'malformed_json', message })
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === newLine || byte === carriageReturn
}

function isBlankLine(bytes: Buffer): boolean {
  return bytes.every(isBlank)
}

/** As many values as the body of a request may have. */
export const bounds = { subject: 'A programme', maximumValues: 20_000 }
const [newLine, carriageReturn] = [0x0a, 0x0d]
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
