// Reads a zip file by its central directory. The sizes it claims are checked before anything is unpacked, and the
// unpacking is bounded by the same numbers, so that a file that lies is refused as well. No zip64, no split archives.
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { DocumentTooLarge, DocumentUnreadable } from './document-unreadable.ts'

export interface ZipArchive {
  names: readonly string[]
  /** The unpacked entry, or undefined when there is none of this name. */
  read(name: string): Promise<Buffer | undefined>
}

const zipLimits = {
  entries: 5_000,
  entry_bytes: 64 * 1024 * 1024,
  total_bytes: 128 * 1024 * 1024,
  /** XML packs well, but not a thousand to one. Small entries may: a kilobyte of spaces harms nobody. */
  ratio: 200,
  ratio_from_bytes: 1024 * 1024,
} as const

export function openZip(bytes: Buffer): ZipArchive {
  const entries = readDirectory(bytes)
  let total = 0
  return {
    names: [...entries.keys()],
    async read(name) {
      const entry = entries.get(name)
      if (!entry) return undefined
      const packed = packedBytes(bytes, entry)
      const bound = Math.min(boundOf(packed.length), zipLimits.total_bytes - total)
      const unpacked = entry.method === 0 ? packed : await inflateBounded(packed, bound)
      if (unpacked.length > bound) throw tooLarge()
      if (unpacked.length !== entry.size) throw malformed('the size of an entry is wrong')
      total += unpacked.length
      return unpacked
    },
  }
}

interface ZipEntry {
  method: number
  packed_size: number
  size: number
  offset: number
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endLength = 22
const entryLength = 46
const localLength = 30
const longestComment = 65_535

function readDirectory(bytes: Buffer): Map<string, ZipEntry> {
  const end = findEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  const length = bytes.readUInt32LE(end + 12)
  const start = bytes.readUInt32LE(end + 16)
  if (bytes.readUInt16LE(end + 8) !== count || count === 0xffff)
    throw malformed('split and zip64 archives are not supported')
  if (count > zipLimits.entries) throw tooLarge()
  if (start + length > end) throw malformed('the size of its directory is wrong')

  const entries = new Map<string, ZipEntry>()
  let position = start
  let claimed = 0
  for (let index = 0; index < count; index++) {
    if (position + entryLength > end || bytes.readUInt32LE(position) !== entrySignature)
      throw malformed('its directory is invalid')
    const flags = bytes.readUInt16LE(position + 8)
    const method = bytes.readUInt16LE(position + 10)
    const nameLength = bytes.readUInt16LE(position + 28)
    const rest = bytes.readUInt16LE(position + 30) + bytes.readUInt16LE(position + 32)
    const entry = {
      method,
      packed_size: bytes.readUInt32LE(position + 20),
      size: bytes.readUInt32LE(position + 24),
      offset: bytes.readUInt32LE(position + 42),
    }
    if (flags & 1)
      throw new DocumentUnreadable(
        'encrypted',
        'The file is password-protected. Save it without a password and upload it again.',
      )
    if (method !== 0 && method !== 8) throw malformed('its compression method is not supported')
    if (position + entryLength + nameLength > end) throw malformed('its directory is invalid')
    if (entry.size > boundOf(entry.packed_size)) throw tooLarge()
    claimed += entry.size
    if (claimed > zipLimits.total_bytes) throw tooLarge()
    const name = bytes.toString('utf8', position + entryLength, position + entryLength + nameLength)
    // Two entries of one name: readers differ in which they take, so neither is believed.
    if (entries.has(name)) throw malformed('it has a duplicate entry')
    entries.set(name, entry)
    position += entryLength + nameLength + rest
  }
  return entries
}

function findEnd(bytes: Buffer): number {
  const lowest = Math.max(0, bytes.length - endLength - longestComment)
  for (let position = bytes.length - endLength; position >= lowest; position--) {
    if (
      bytes.readUInt32LE(position) === endSignature &&
      position + endLength + bytes.readUInt16LE(position + 20) === bytes.length
    )
      return position
  }
  throw malformed('it has no directory')
}

function packedBytes(bytes: Buffer, { offset, packed_size }: ZipEntry): Buffer {
  if (offset + localLength > bytes.length || bytes.readUInt32LE(offset) !== localSignature)
    throw malformed('the position of an entry is wrong')
  const begin = offset + localLength + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  if (begin + packed_size > bytes.length) throw malformed('an entry is incomplete')
  return bytes.subarray(begin, begin + packed_size)
}

/** The most an entry of this packed size may unpack to. */
function boundOf(packedSize: number): number {
  return Math.min(zipLimits.entry_bytes, Math.max(zipLimits.ratio_from_bytes, packedSize * zipLimits.ratio))
}

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

async function inflateBounded(packed: Buffer, bound: number): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, bound) })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw malformed('an entry cannot be decompressed')
  }
}

function tooLarge(): DocumentTooLarge {
  return new DocumentTooLarge('The uncompressed content of the file is too large. Split the file and upload the parts.')
}

function malformed(why: string): DocumentUnreadable {
  return new DocumentUnreadable(
    'malformed',
    `The file is damaged (${why}). Open it, save it as a new file and upload that file.`,
  )
}
