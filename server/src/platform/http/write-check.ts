// Whether the database takes writes, for whoever asks often: reads go on when a disk is full or read-only, so only a write
// shows it. One is tried every few seconds at most, however many ask, and nobody waits long for it. On a disk that is
// nearly full a small write may pass where a larger one has just failed, so what the others met counts as well.
import { second } from '../clock.ts'
import type { Context } from '../context.ts'
import { ConnectionsBusy } from '../database/database.ts'
import { QueueFullError } from '../database/queue.ts'
import { tryToWrite } from '../deployment.ts'

/** Why writes fail; undefined when they do not. */
export function createWriteCheck(context: Context): () => Promise<unknown> {
  let failure: unknown
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined
  const check = async () => {
    try {
      await tryToWrite(context)
      failure = undefined
    } catch (error) {
      // Many others are writing: that is a load, and no failure.
      if (!isBusy(error)) failure = error
    } finally {
      checkedAt = performance.now()
      checking = undefined
    }
  }
  return async () => {
    const isRecent = performance.now() - checkedAt < (failure === undefined ? wellForMs : failedForMs)
    if (!isRecent) checking ??= check()
    if (checking) await within(checking, patienceMs)
    const refusal = context.database.writeRefusal()
    const isFresh = refusal && performance.now() - refusal.at < refusedForMs
    return failure ?? (isFresh ? new Error(refusal.reason) : undefined)
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof QueueFullError || error instanceof ConnectionsBusy
}

/** Ends with the work, or when the time is up: the work then goes on, and the next one who asks hears of it. */
export async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeIsUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, timeIsUp])
  clearTimeout(timer)
}

const wellForMs = 5 * second
const failedForMs = second
const refusedForMs = 10 * second
const patienceMs = second
