// The file of a backup: compressed JSON lines, the same for both engines. A heading, then each table with its rows, then
// the files, if they were asked for, each with its bytes in pieces, then an end that says how many rows there were and has
// a code over all of it, made with the secret key, so that nobody else can change a backup unnoticed.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { reasonOf } from '../values/reason.ts'

export class BackupError extends Error {}

export type Row = Record<string, unknown>

export interface Heading {
  /** 1: the database. 2: the files as well. */
  portico_backup: 1 | 2
  created_at: string
  migrations: string[]
  key_check: string
  environment: string
  rows: number
  /** Absent when the backup has none. */
  files?: number
}

/** A file as it should be. */
export interface KeptFile {
  key: string
  content_type: string
  size_bytes: number
  sha256: string
}

/** What became of a file while the backup was written. `removed`: it was deleted meanwhile, and nobody misses it. */
export type FileEnd = 'whole' | 'missing' | 'damaged' | 'removed'

interface End {
  end: number
  /** Absent in backups of releases that knew none. */
  code?: string
}

export type Line =
  | Heading
  | { table: string }
  | { row: Row }
  | { file: KeptFile }
  | { bytes: string }
  | { file_end: FileEnd }
  | End

export function line(entry: Line): string {
  return `${JSON.stringify(entry).replace(/[\u2028\u2029]/g, asEscaped)}\n`
}

/** JSON leaves these characters as they are, and many readers take each for the end of a line, earlier releases among them. */
function asEscaped(separator: string): string {
  return separator === '\u2028' ? '\\u2028' : '\\u2029'
}

/** Each line with its number, and as it is written. */
export async function* readLines(file: string): AsyncGenerator<{ entry: Line; number: number; text: string }> {
  const source = createReadStream(file)
  const text = createGunzip({ chunkSize: 64 * 1024 })
  source.once('error', (error) => text.destroy(error))
  source.pipe(text)
  let number = 0
  try {
    for await (const written of linesIn(text))
      yield { entry: parse(file, written, ++number), number, text: `${written}\n` }
  } catch (error) {
    if (error instanceof BackupError) throw error
    // It begins like a compressed file, and what follows does not fit.
    const isCompressed = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    const isDamaged = isCompressed && reasonOf(error) !== 'incorrect header check'
    throw new BackupError(
      isDamaged
        ? `${file} is damaged: ${reasonOf(error)}. Use a different backup.`
        : `${file} cannot be read as a backup: ${reasonOf(error)}.`,
    )
  } finally {
    source.destroy()
    text.destroy()
  }
}

/** No more than one line is kept, where `readline` reads a thousand ahead, whatever their length. */
async function* linesIn(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = []
  for await (const chunk of text) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end)]).toString()
      begun = []
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString()
}

const lineFeed = 0x0a

function parse(file: string, written: string, number: number): Line {
  let entry: unknown
  try {
    entry = JSON.parse(written)
  } catch {
    throw new BackupError(`${file} is damaged: line ${number} is not valid JSON. Use a different backup.`)
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new BackupError(`${file} is damaged: line ${number} is not a line of a backup. Use a different backup.`)
  return entry as Line // safe because every kind of line is looked at before it is used
}

/** The first line, if it is that of a backup which this release can read. */
export async function readHeading(file: string): Promise<Heading> {
  for await (const { entry } of readLines(file)) {
    if (!('portico_backup' in entry)) break
    if (entry.portico_backup !== 1 && entry.portico_backup !== 2)
      throw new BackupError(
        `${file} has the backup format ${JSON.stringify(entry.portico_backup)}; this release reads the formats 1 and 2. Restore it with the release that created it.`,
      )
    return entry
  }
  throw new BackupError(`${file} is not a Portico backup.`)
}
