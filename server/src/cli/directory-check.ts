import { closeSync, fsyncSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { directoryAdvice, makeDirectories } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'

/**
 * Why this user cannot store files in a directory, and what to do; undefined if it can. Permissions do not show it: even
 * root cannot write to a read-only or full disk, so a file is written. Everything that is created for the check is removed.
 */
export function directoryProblem(path: string, variable: string): string | undefined {
  let made: string | undefined
  try {
    made = makeDirectories(path)
    writeTrial(join(path, `.portico-doctor-${process.pid}`))
    return undefined
  } catch (error) {
    return `${path} cannot be used: ${reasonOf(error)}. ${directoryAdvice(error, variable)}`
  } finally {
    removeMade(path, made)
  }
}

/** A full disk still takes the name of the file: it is removed whatever comes of its content. */
function writeTrial(file: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, 'x')
    fsyncSync(handle)
  } finally {
    closeSync(handle)
    rmSync(file)
  }
}

/** How much room a disk has, and whether that is enough for a while. */
export function roomFor(path: string): { room: string; isLittle: boolean } {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  return { room: `${Math.floor(free / 1e6)} MB free`, isLittle: free < 200e6 }
}

/** From the innermost directory up to the first that was missing; one that somebody uses by now is left alone. */
function removeMade(path: string, first: string | undefined): void {
  if (first === undefined) return
  try {
    for (let made = path; made.length >= first.length; made = dirname(made)) rmdirSync(made)
  } catch {
    // Not empty any more: a server has just started there.
  }
}
