// A clock that a test moves under a running process: libfaketime stands between the process and the system, reads how far
// the clock is off from a file each time it is asked, and leaves the steady clock alone.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'

/** `+40d`, `-1h`, `+0`. */
export type Offset = `${'+' | '-'}${number}${'d' | 'h' | 'm' | ''}`

export interface MovedClock {
  /** What a process needs to have this clock. */
  environment: Record<string, string>
  move(offset: Offset): void
  remove(): void
}

/** For what needs libfaketime. Without it, skipped with a loud word; where nothing may be skipped it fails instead. */
export function describeWithMovedClock(name: string, tests: () => void): void {
  const isHere = library() !== undefined
  if (!isHere && !process.env.CI) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  if (isHere || process.env.CI) describe(name, tests)
  else describe.skip(name, tests)
}

const howToInstall = 'These tests need libfaketime. On Debian or Ubuntu: apt-get install faketime'

export function newMovedClock(offset: Offset = '+0'): MovedClock {
  const path = library()
  if (path === undefined) throw new Error(howToInstall)
  const directory = mkdtempSync(join(tmpdir(), 'portico-clock-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(directory, 0o755)
  const file = join(directory, 'offset')
  const move = (to: Offset) => writeFileSync(file, `${to}\n`)
  move(offset)
  return {
    environment: {
      LD_PRELOAD: path,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // The name has changed between releases.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    move,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Where Debian puts it: below a directory named after the processor. */
function library(): string | undefined {
  return readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path))
}
