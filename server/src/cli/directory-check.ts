import { rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectories } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'

/**
 * Why this user cannot store files in a directory; undefined if it can. Permissions do not show it: even root cannot
 * write to a read-only or full disk, so a file is written. Everything that is created for the check is removed.
 */
export function directoryProblem(path: string): string | undefined {
  let made: string | undefined
  try {
    made = makeDirectories(path)
    const trial = join(path, `.portico-doctor-${process.pid}`)
    writeFileSync(trial, 'x', { mode: 0o600, flag: 'wx', flush: true })
    rmSync(trial)
    return undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    removeMade(path, made)
  }
}

export function freeMegabytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return Math.round((bavail * bsize) / 1e6)
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
