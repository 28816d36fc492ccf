import { closeSync } from 'node:fs'
import { ApiError } from '../platform/protocol/errors.ts'
import { parseStrictJson } from '../platform/protocol/strict-json.ts'
import { openToRead, readBeginning } from '../platform/storage/file-beginning.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { CommandError } from './output.ts'

/** What a JSON file or a pipe says. Throws a sentence when it cannot be read, is too large or is not JSON. */
export function readJsonFile(file: string, { maximumBytes }: { maximumBytes: number }): unknown {
  let bytes: Buffer
  try {
    bytes = readUpTo(file, maximumBytes)
  } catch (cause) {
    throw new CommandError(`Cannot read ${file}: ${reasonOf(cause)}.`, { cause })
  }
  try {
    // Some editors begin a file with a byte order mark, which JSON does not allow.
    const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    return parseStrictJson(bytes.subarray(start), { subject: file, maximumValues: 200_000 })
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    throw new CommandError(cause.message, { cause })
  }
}

/** A pipe does not say how large it is before it is read. */
function readUpTo(file: string, maximumBytes: number): Buffer {
  const descriptor = openToRead(file)
  try {
    const bytes = readBeginning(descriptor, maximumBytes + 1)
    if (bytes.length > maximumBytes) throw new Error(`the file must be at most ${maximumBytes} bytes`)
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
