// The thread that evaluates projects, so that requests never wait for it. It has its own connection to the database, and
// is given one task at a time (matcher.ts).
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../../platform/database/open-database.ts'
import { createLogger } from '../../../platform/logging.ts'
import type { MatchingTasks, ThreadData, ThreadMessage } from './matching-task.ts'
import { createMatchingWork } from './matching-work.ts'

const { config, cancelled }: ThreadData = workerData
const cancelledNumber = new Int32Array(cancelled)
let current = 0

// What goes wrong is told to whoever asked.
const database = await openDatabase(
  { ...config, database_pool_size: 1 },
  createLogger({ log_level: 'silent' }, () => undefined),
  'request',
)
const work = createMatchingWork(database, () => {
  // Not a message: none is read while a task keeps the thread busy.
  if (Atomics.load(cancelledNumber, 0) === current) throw new Error('the task was cancelled')
})

parentPort?.on('message', async ({ number, kind, task }: ThreadMessage<keyof MatchingTasks>) => {
  current = number
  parentPort?.postMessage({ number, isBegun: true })
  try {
    // safe because a message has the task of its kind
    parentPort?.postMessage({ number, answer: await work[kind](task as never) })
  } catch (error) {
    // What an error is beside its message does not cross to another thread.
    parentPort?.postMessage({ number, error, isUnavailable: database.troubleOf(error)?.kind === 'unavailable' })
  }
})
