// A file of programmes in one of three formats, as the records it holds.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { reasonOf } from '../../../../platform/values/reason.ts'
import { csvRecords } from './csv-records.ts'
import { BrokenFile, type FileRecord, withoutByteOrderMark } from './file-records.ts'
import { jsonArrayRecords, jsonLineRecords } from './json-records.ts'

const readers = { json: jsonArrayRecords, jsonl: jsonLineRecords, csv: csvRecords }
export type FileFormat = keyof typeof readers
export const fileFormats: readonly string[] = Object.keys(readers)

interface ProgramFile {
  size: number
  /** `onProgress` is told how many bytes were read. */
  records(onProgress?: (bytes: number) => void): AsyncIterable<FileRecord>
}

/** Throws when there is no such file. */
export function openProgramFile(file: string, format?: FileFormat): ProgramFile {
  const { size, beginning } = lookAt(file)
  const found = format ?? formatOf(file, beginning)
  const read = found === 'jsonl' && isOneObject(beginning) ? refuseObject : readers[found]
  return { size, records: (onProgress) => read(withoutByteOrderMark(chunksOf(file, onProgress))) }
}

/** The bytes of a file that stays as it is meanwhile: half of what somebody is still writing must not be imported. */
async function* chunksOf(file: string, onProgress?: (bytes: number) => void): AsyncGenerator<Buffer> {
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
    const isOfFile = error instanceof Error && 'syscall' in error
    throw isOfFile ? brokenHere(`The file cannot be read any further: ${reasonOf(error)}.`) : error
  } finally {
    await handle.close()
  }
}

const changedText = 'The file was changed while it was read. Wait until it is complete, then import it again.'

/** How far it was read, only the reader of its records knows. */
function brokenHere(message: string): BrokenFile {
  return new BrokenFile(undefined, { code: 'invalid_format', message })
}

/** The size of the file and how it begins, without the mark that some editors put there. */
function lookAt(file: string): { size: number; beginning: string } {
  if (!statSync(file).isFile()) throw new Error('it is not a regular file')
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(4096)
    const length = readSync(descriptor, bytes)
    const beginning = bytes.toString('utf8', 0, length).replace(/^\ufeff/, '')
    return { size: statSync(file).size, beginning: beginning.trimStart() }
  } finally {
    closeSync(descriptor)
  }
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
