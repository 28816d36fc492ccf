// A file of records, read as a stream of bytes: whatever its size, no more than one record is held at a time.
import type { ValidationCode } from '../../../../platform/protocol/error-catalogue.ts'

/** What is wrong with a record, and where in it. */
export interface RecordProblem {
  pointer: string
  code: ValidationCode | 'malformed_json' | 'malformed_csv' | 'already_exists'
  message: string
}

/** One record: its value, or why it has none. */
export type FileRecord = RecordPlace & ({ value: unknown } | { problems: RecordProblem[] })

export interface RecordPlace {
  /** The number of the record, from 1. */
  row: number
  /** The line of the file that it begins in. Not known of a file that is refused as a whole. */
  line?: number
}

/** The file cannot be read any further: it is cut off, is being changed, or is no file of this format. */
export class BrokenFile extends Error {
  /** Undefined: wherever reading had come to. */
  readonly place: RecordPlace | undefined
  readonly problem: RecordProblem

  constructor(place: RecordPlace | undefined, problem: Omit<RecordProblem, 'pointer'>) {
    super(problem.message)
    this.place = place
    this.problem = { pointer: '', ...problem }
  }
}

/** As large as the body of a request may be. */
const maximumRecordBytes = 1024 * 1024

/** The bytes of a record as they arrive, in any number of pieces. */
export function createRecordBytes() {
  let pieces: Buffer[] = []
  let size = 0
  return {
    add(chunk: Buffer, start: number, end: number): void {
      size += end - start
      // What is too large is counted, not kept.
      if (size > maximumRecordBytes) pieces = []
      else if (end > start) pieces.push(chunk.subarray(start, end))
    },
    /** The whole record, and room for the next; undefined when it was too large. */
    take(): Buffer | undefined {
      const [first] = pieces
      const bytes = size > maximumRecordBytes ? undefined : pieces.length === 1 ? first : Buffer.concat(pieces)
      pieces = []
      size = 0
      return bytes
    },
  }
}

export const tooLarge: RecordProblem = {
  pointer: '',
  code: 'too_long',
  message: `A programme must be at most ${maximumRecordBytes} bytes.`,
}

/** The chunks of a file without the mark that some editors begin it with. */
export async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (!head) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < longestMark) continue
    const message = isWide(head)
      ? wideText
      : otherFormats.find(({ mark }) => head?.subarray(0, 4).equals(mark))?.message
    if (message !== undefined) throw new BrokenFile({ row: 1 }, { code: 'invalid_format', message })
    yield afterMark(head)
    head = undefined
  }
  if (head && head.length > 0) yield afterMark(head)
}

/** Text of two or four bytes for each character: it begins with a mark, or has zeros between its characters. */
function isWide(head: Buffer): boolean {
  const [first = 0, second = 0] = head
  return first + second === 0xff + 0xfe || head.subarray(0, 4).includes(0)
}

const wideText =
  'The file must be UTF-8; this one is UTF-16 or UTF-32. Save it as UTF-8 (in Excel: "CSV UTF-8") and import it again.'

/** What people try to import, by how it begins. */
const otherFormats = [
  { mark: [0x50, 0x4b, 0x03, 0x04], what: 'an Excel workbook or a ZIP archive' },
  { mark: [0xd0, 0xcf, 0x11, 0xe0], what: 'an old Excel workbook' },
  { mark: [0x25, 0x50, 0x44, 0x46], what: 'a PDF' },
].map(({ mark, what }) => ({
  mark: Buffer.from(mark),
  message: `The file must be JSON, JSON lines or CSV; this one is ${what}. Save the table as "CSV UTF-8" and import that.`,
}))
const longestMark = 4

function afterMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
