import { readSync } from 'node:fs'

/** The first bytes of an open file, or all if it has no more. A pipe gives only what has arrived, so it is read again. */
export function readBeginning(descriptor: number, most: number): Buffer {
  const bytes = Buffer.alloc(most)
  let length = 0
  while (length < most) {
    const read = readSync(descriptor, bytes, length, most - length, null)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
