import { openSync, readSync } from 'node:fs'

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

/**
 * Opens a file to read it. What root hands to a command that runs as another user is open as its standard input, but that
 * user may not open it again.
 */
export function openToRead(file: string): number {
  try {
    return openSync(file, 'r')
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'EACCES'
    if (isRefused && file === '/dev/stdin') return standardInput
    throw error
  }
}

export const standardInput = 0
