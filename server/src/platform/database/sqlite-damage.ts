// A SQLite file that is broken is known by what SQLite says of it: in answer to any statement, or when the whole file is
// looked through. Once said, it stays so until the file is opened anew, and nothing more is written: whatever is written
// into a broken file is lost with it.
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'
import { runnableProgram } from '../source-bundles.ts'
import type { WriteRefusal } from './database.ts'
import { messageOf } from './sqlite-connection.ts'

export class DatabaseDamaged extends Error {
  override name = 'DatabaseDamaged'
}

export interface Damage {
  /** What is broken, in SQLite's words; undefined as long as nothing is known to be. */
  found(): string | undefined
  /** When SQLite last said that it cannot write, by `performance.now()`, and how. */
  refusal(): WriteRefusal | undefined
  /** Remembers an error if it says that the file is broken or cannot be written. */
  note(error: unknown): void
  /** Looks through the whole file, which takes about a second for each gigabyte. */
  look(): Promise<string | undefined>
  stop(): void
}

export function watchForDamage(file: string): Damage {
  let found: string | undefined
  let refusal: WriteRefusal | undefined
  let thread: Worker | undefined
  return {
    found: () => found,
    refusal: () => refusal,
    note(error) {
      if (isDamage(error)) found ??= messageOf(error)
      if (isUnwritable(error)) refusal = { reason: messageOf(error), at: performance.now() }
    },
    async look() {
      if (statSync(file).size <= smallBytes) found ??= lookThrough(file)
      else {
        const isSource = import.meta.url.endsWith('.ts')
        thread = new Worker(
          runnableProgram(new URL(`./sqlite-check-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)),
          { workerData: file },
        )
        const seen = await answerOf(thread)
        found ??= seen
      }
      return found
    },
    stop: () => void thread?.terminate(),
  }
}

export function isDamage(error: unknown): boolean {
  return /database disk image is malformed|malformed database schema|file is not a database/.test(messageOf(error))
}

/** The disk is full or broken, or nobody may write to the file. */
export function isUnwritable(error: unknown): boolean {
  return /database or disk is full|disk I\/O error|readonly database/.test(messageOf(error))
}

/** The first thing that is wrong with the file. Rows that break a rule of their table do not make it a broken file. */
export function lookThrough(file: string): string | undefined {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const rows = connection.prepare('pragma quick_check(20)').all()
    const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'))
    return lines.find((line) => !/^(ok|\*\*\*.*)$|^(NULL value|CHECK constraint|NUMERIC value|TEXT value) /.test(line))
  } catch (error) {
    if (isDamage(error)) return messageOf(error)
    throw error
  } finally {
    connection.close()
  }
}

/** What the thread found; nothing when it was stopped. */
function answerOf(thread: Worker): Promise<string | undefined> {
  thread.unref()
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => resolve(undefined))
  })
}

/** A tenth of a second or less; a thread takes as long to begin. */
const smallBytes = 64 * 1024 * 1024
