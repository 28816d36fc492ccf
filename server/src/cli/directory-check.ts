import { rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectories } from '../platform/storage/directories.ts'
import { reasonOf } from '../platform/values/reason.ts'

/**
 * Why this user cannot keep files in a directory; undefined when it can. Only trying tells: root may do everything by
 * its rights, and still not on a read-only or full disk. Whatever is made for the trial is removed again.
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
