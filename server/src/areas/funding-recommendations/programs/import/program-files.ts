// A file of programmes in one of three formats, as the records it holds.
import { closeSync, read as readFrom, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { openToRead, readBeginning, standardInput } from '../../../../platform/storage/file-beginning.ts'
import { reasonOf } from '../../../../platform/values/reason.ts'
import { csvRecords } from './csv-records.ts'
import { BrokenFile, type FileRecord, withoutByteOrderMark } from './file-records.ts'
import { jsonArrayRecords, jsonLineRecords } from './json-records.ts'

const readers = { json: jsonArrayRecords, jsonl: jsonLineRecords, csv: csvRecords }
export type FileFormat = keyof typeof readers
export const fileFormats: readonly string[] = Object.keys(readers)

interface ProgramFile {
  /** 0 for a pipe, whose size nobody knows. */
  size: number
  /** `onProgress` is told how many bytes were read. From a pipe, they can be read once. */
  records(onProgress?: OnProgress): AsyncIterable<FileRecord>
}

type OnProgress = (bytes: number) => void

interface OpenFile {
  size: number
  beginning: Buffer
  chunks(onProgress: OnProgress | undefined, format: FileFormat): AsyncIterable<Buffer>
}

/** Throws when there is no such file. */
export function openProgramFile(file: string, format?: FileFormat): ProgramFile {
  const { size, beginning: bytes, chunks } = openFile(file)
  // Without the mark that some editors put there.
  const beginning = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .trimStart()
  const found = format ?? formatOf(file, beginning)
  const read = found === 'jsonl' && isOneObject(beginning) ? refuseObject : readers[found]
  return { size, records: (onProgress) => read(withoutByteOrderMark(chunks(onProgress, found))) }
}

function openFile(file: string): OpenFile {
  const kind = statSync(file)
  if (!kind.isFile() && !kind.isFIFO()) throw new Error('it must be a regular file or a pipe')
  const descriptor = openToRead(file)
  if (kind.isFIFO() || descriptor === standardInput) {
    const beginning = readBeginning(descriptor, lookedAt)
    const chunks: OpenFile['chunks'] = (onProgress, format) =>
      chunksOfPipe({ descriptor, beginning, mayBeCut: kind.isFIFO() && format === 'csv' }, onProgress)
    return { size: 0, beginning, chunks }
  }
  try {
    const beginning = readBeginning(descriptor, lookedAt)
    return { size: kind.size, beginning, chunks: (onProgress) => chunksOf(file, onProgress) }
  } finally {
    closeSync(descriptor)
  }
}
/** Bytes from which the format is found. */
const lookedAt = 4096

/** The bytes of a file that stays as it is meanwhile: half of what somebody is still writing must not be imported. */
async function* chunksOf(file: string, onProgress: OnProgress | undefined): AsyncGenerator<Buffer> {
  const handle = await open(file)
  try {
    const before = await handle.stat()
    let read = 0
    for await (const chunk of handle.createReadStream({ highWaterMark: 256 * 1024, autoClose: false })) {
      yield chunk
      read += chunk.length
      onProgress?.(read)
    }
    const { size, mtimeMs } = await handle.stat()
    if (size !== before.size || mtimeMs !== before.mtimeMs || read !== size) throw brokenHere(changedText)
  } catch (error) {
    throw asBroken(error)
  } finally {
    await handle.close()
  }
}

interface Pipe {
  descriptor: number
  /** What was read of it to find the format. */
  beginning: Buffer
  /** A pipe whose writer was stopped ends like one that is complete. JSON that is cut off is noticed anyway. */
  mayBeCut: boolean
}

async function* chunksOfPipe(
  { descriptor, beginning, mayBeCut }: Pipe,
  onProgress: OnProgress | undefined,
): AsyncGenerator<Buffer> {
  let read = 0
  let last: number | undefined
  try {
    for (let chunk = beginning; chunk.length > 0; chunk = await nextOf(descriptor)) {
      yield chunk
      last = chunk.at(-1)
      read += chunk.length
      onProgress?.(read)
    }
    if (mayBeCut && last !== undefined && last !== newLine) throw brokenHere(cutText)
  } catch (error) {
    throw asBroken(error)
  } finally {
    closeSync(descriptor)
  }
}

async function nextOf(descriptor: number): Promise<Buffer> {
  const { buffer, bytesRead } = await readSome(descriptor, Buffer.alloc(64 * 1024), 0, 64 * 1024, null)
  return buffer.subarray(0, bytesRead)
}
const readSome = promisify(readFrom)
const newLine = 0x0a

const changedText = 'The file was changed while it was read. Wait until it is complete, then import it again.'
const cutText =
  'The file is incomplete, or its last line has no line break. Through a pipe, a CSV file must end with a line break.'

function asBroken(error: unknown): unknown {
  const isOfFile = error instanceof Error && 'syscall' in error
  return isOfFile ? brokenHere(`The file cannot be read any further: ${reasonOf(error)}.`) : error
}

/** How far it was read, only the reader of its records knows. */
function brokenHere(message: string): BrokenFile {
  return new BrokenFile(undefined, { code: 'invalid_format', message })
}

/** By its extension, and for JSON by how it begins. */
function formatOf(file: string, beginning: string): FileFormat {
  const extension = extname(file).toLowerCase()
  if (extension === '.csv' || extension === '.tsv') return 'csv'
  if (beginning.startsWith('{')) return 'jsonl'
  // No programme begins so: it is an array, whatever the file is called.
  if (!beginning.startsWith('[') && (extension === '.jsonl' || extension === '.ndjson')) return 'jsonl'
  return beginning.startsWith('[') || extension === '.json' ? 'json' : 'csv'
}

/** Whether the file is an object around a list, or one that goes on in the next line: neither has a programme in each line. */
function isOneObject(beginning: string): boolean {
  const list = /^\{\s*"([^"\\]*)"\s*:\s*\[\s*\{/.exec(beginning)?.[1]
  return /^\{\s*[\r\n]/.test(beginning) || (list !== undefined && !listsOfPrograms.has(list))
}
/** The fields of a programme that are lists of objects. */
const listsOfPrograms = new Set(['fees', 'eligibility'])

// biome-ignore lint/correctness/useYield: there is nothing to read in such a file
async function* refuseObject(): AsyncGenerator<FileRecord> {
  const message =
    'The file must be a JSON array of programmes, or have one programme in each line; it is one JSON object. Save only the array, so that the file begins with [.'
  throw new BrokenFile({ row: 1 }, { code: 'malformed_json', message })
}
