// The thread that evaluates projects, so that requests never wait for it. It has its own connection to the database, and
// is given one task at a time (matcher.ts).
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../../platform/database/open-database.ts'
import { createLogger } from '../../../platform/logging.ts'
import {
  cancelledPlace,
  type MatchingTasks,
  progressPlace,
  type ThreadData,
  type ThreadMessage,
} from './matching-task.ts'
import { createMatchingWork } from './matching-work.ts'

const { config, shared }: ThreadData = workerData
const numbers = new Int32Array(shared)
let current = 0

// What goes wrong is told to whoever asked.
const database = await openDatabase(
  { ...config, database_pool_size: 1 },
  createLogger({ log_level: 'silent' }, () => undefined),
  'request',
)
const work = createMatchingWork(database, () => {
  // No messages: none is read while a task keeps the thread busy.
  Atomics.add(numbers, progressPlace, 1)
  if (Atomics.load(numbers, cancelledPlace) === current) throw new Error('the task was cancelled')
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
