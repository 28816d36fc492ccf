// A matching thread that something has gone wrong in. What it does is told by the postal code of the project, or by the
// name of the recipient whose new matches are looked for; with any other it does what the real one does.
import { parentPort, workerData } from 'node:worker_threads'
import { progressPlace } from '../../src/areas/funding-recommendations/calculations/matching-task.ts'
import '../../src/areas/funding-recommendations/calculations/matching-thread.ts'

const tricks: Record<string, () => void> = {
  HANG: () => {
    for (let round = 0; ; round++) if (round < 0) return
  },
  STALL: () => sleep(Number.POSITIVE_INFINITY),
  SLOW: () => progressFor(2500),
  SLOWER: () => progressFor(8000),
  EXIT: () => process.exit(3),
  CRASH: () => {
    throw new Error('something has gone wrong')
  },
}

function progressFor(milliseconds: number): void {
  const numbers = new Int32Array(workerData.shared)
  for (let end = performance.now() + milliseconds; performance.now() < end; sleep(10)) {
    Atomics.add(numbers, progressPlace, 1)
  }
}

/** The thread does nothing else meanwhile, and takes nothing from the tests that run beside it. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

interface Task {
  values?: Record<string, unknown>
  instead?: Record<string, unknown>
  recipient?: { name: string }
}

// After the real one has begun with the task.
parentPort?.on('message', ({ task: { values, instead, recipient } }: { task: Task }) =>
  tricks[String((instead ?? values)?.postal_code ?? recipient?.name)]?.(),
)
