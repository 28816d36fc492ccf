// A tar archive (POSIX ustar) as a stream: whatever it holds, no more than a piece of one file is in memory. Sizes stand
// before the bytes, so they are known or the archive is broken off.
import { createHash } from 'node:crypto'

interface TarEntry {
  /** ASCII, at most 100 characters. */
  path: string
  size_bytes: number
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>
}

export interface WrittenEntry {
  path: string
  size_bytes: number
  /** In hex. */
  sha256: string
}

/** The bytes of one entry; `written` hears of it when they are all out. */
export async function* tarBytes(
  { path, size_bytes, bytes }: TarEntry,
  modifiedAt: number,
  written: (entry: WrittenEntry) => void,
): AsyncGenerator<Buffer> {
  yield headerOf(path, size_bytes, modifiedAt)
  const hash = createHash('sha256')
  let seen = 0
  for await (const piece of bytes) {
    seen += piece.length
    if (seen > size_bytes) break
    hash.update(piece)
    yield piece
  }
  if (seen !== size_bytes) throw new Error(`${path} does not have the ${size_bytes} bytes that were expected`)
  yield Buffer.alloc((blockBytes - (size_bytes % blockBytes)) % blockBytes)
  written({ path, size_bytes, sha256: hash.digest('hex') })
}

/** What an archive ends with. */
export const tarEnd: Buffer = Buffer.alloc(1024)

const blockBytes = 512

function headerOf(path: string, sizeBytes: number, modifiedAt: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(path)) throw new Error(`${path} cannot be a path in an archive`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(path, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(sizeBytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt / 1000), 11), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}
