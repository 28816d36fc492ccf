// The thread that evaluates projects, so that requests never wait for it. It has its own connection to the database.
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../../../platform/config.ts'
import { openDatabase } from '../../../platform/database/open-database.ts'
import { createLogger } from '../../../platform/logging.ts'
import type { MatchingTasks } from './matching-task.ts'
import { createMatchingWork } from './matching-work.ts'

const config: Config = workerData
// What goes wrong is told to whoever asked.
const database = await openDatabase(
  { ...config, database_pool_size: 1 },
  createLogger({ log_level: 'silent' }, () => undefined),
  'request',
)
const work = createMatchingWork(database)

// One after the other: they would only take time from each other.
let last: Promise<void> = Promise.resolve()
parentPort?.on('message', ({ number, kind, task }: Message) => {
  last = last.then(async () => {
    parentPort?.postMessage({ number, isBegun: true })
    try {
      // safe because a message has the task of its kind
      parentPort?.postMessage({ number, answer: await work[kind](task as never) })
    } catch (error) {
      // What an error is beside its message does not cross to another thread.
      parentPort?.postMessage({ number, error, isUnavailable: database.troubleOf(error)?.kind === 'unavailable' })
    }
  })
})

interface Message {
  number: number
  kind: keyof MatchingTasks
  task: MatchingTasks[keyof MatchingTasks]['task']
}
