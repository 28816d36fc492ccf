// The lines of a CSV file (RFC 4180) and the cells of a line. Line breaks inside quotes do not end a line.
import { createRecordBytes } from './file-records.ts'

interface CsvLine {
  /** Without its end; undefined when there are too many. */
  bytes: Buffer | undefined
  /** Its number in the file, from 1. */
  line: number
  /** The file ends inside its quotes. */
  isCut: boolean
}

/** `isSeparator` may be asked about any byte outside quotes, and may change its mind after a line. */
export async function* csvLines(
  chunks: AsyncIterable<Buffer>,
  isSeparator: (byte: number) => boolean,
): AsyncGenerator<CsvLine> {
  const record = createRecordBytes()
  let place: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  let line = 1
  let begun = 1
  let size = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === newLine) line++
      if (place === 'quoted') {
        if (byte === quote) place = 'closing'
      } else if (byte === quote && place !== 'plain') place = 'quoted'
      else if (byte === newLine) {
        record.add(chunk, start, at)
        yield { bytes: withoutReturn(record.take()), line: begun, isCut: false }
        start = at + 1
        begun = line
        size = -1
        place = 'start'
      } else if (isSeparator(byte)) place = 'start'
      else if (place === 'start' || byte !== carriageReturn) place = 'plain'
      size++
    }
    record.add(chunk, start, chunk.length)
  }
  if (size > 0) yield { bytes: withoutReturn(record.take()), line: begun, isCut: place === 'quoted' }
}

/** The cells of a line; undefined when its quotes are wrong. */
export function cellsOf(text: string, separator: string): string[] | undefined {
  const cells: string[] = []
  for (let at = 0; ; at++) {
    if (text[at] !== '"') {
      const end = text.indexOf(separator, at)
      const cell = text.slice(at, end === -1 ? text.length : end)
      if (cell.includes('"')) return undefined
      cells.push(cell)
      if (end === -1) return cells
      at = end
      continue
    }
    let cell = ''
    for (at++; ; at++) {
      const end = text.indexOf('"', at)
      if (end === -1) return undefined
      cell += text.slice(at, end)
      at = end + 1
      if (text[at] !== '"') break
      cell += '"'
    }
    cells.push(cell)
    if (at === text.length) return cells
    if (text[at] !== separator) return undefined
  }
}

function withoutReturn(bytes: Buffer | undefined): Buffer | undefined {
  return bytes?.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
}

const [newLine, carriageReturn, quote] = [0x0a, 0x0d, 0x22]
