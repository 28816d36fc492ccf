import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { userName } from '../values/user-name.ts'

/**
 * Creates a directory with all that is missing above it, for this user only; returns the first that was missing. Node's
 * own `recursive` never ends where nothing can be created below an existing directory (/proc).
 */
export function makeDirectories(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 })
    return path
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && statSync(path).isDirectory()) return undefined
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path || statSync(above, { throwIfNoEntry: false })) throw error
    const first = makeDirectories(above)
    return makeDirectories(path) === undefined ? first : (first ?? path)
  }
}

/** Makes the names in a directory durable: those of files that were just created, renamed or removed. */
export function syncDirectory(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** What to do when a directory of ours cannot be used. Another one would begin with nothing in it, so not on a full disk. */
export function directoryAdvice(error: unknown, variable: string): string {
  return isFullDisk(error) ? howToMakeRoom : `Set ${variable} to a directory that the user ${userName()} can write to.`
}

export const howToMakeRoom = 'Free some space on its disk, or enlarge the disk.'

/** In the words of the operating system, or of SQLite. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' || /disk is full/.test(error.message)
}
