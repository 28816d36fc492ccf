// Hands tasks to the matching thread, one after the other: what somebody waits for goes first. The thread starts when it is first needed, and ends when nobody
// has needed it for a while: what it keeps in memory is worth keeping only while projects are calculated. A thread that
// dies or does not end a task takes only that task with it; the next one gets a new thread.
import type { Worker } from 'node:worker_threads'
import { minute, second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { cancelledPlace, type MatchingTasks, progressPlace } from './matching-task.ts'
import { startThread } from './start-thread.ts'

type Kind = keyof MatchingTasks

interface Task {
  number: number
  kind: Kind
  task: MatchingTasks[Kind]['task']
  isCancelled: boolean
  /** How many tasks that came later have gone before it. */
  passedBy: number
  resolve(answer: never): void
  reject(error: unknown): void
}

interface Matcher {
  run(kind: Kind, task: MatchingTasks[Kind]['task'], signal?: AbortSignal): Promise<unknown>
}

interface MatcherOptions {
  /** The thread's program. */
  entry?: URL
  /** How long a task may take without coming any further. */
  workMs?: Partial<Record<Kind, number>>
}

/** Asks the thread of this process. The signal gives the task up, wherever it is. */
export async function match<One extends Kind>(
  context: Context,
  kind: One,
  task: MatchingTasks[One]['task'],
  signal?: AbortSignal,
): Promise<MatchingTasks[One]['answer']> {
  const matcher = matchers.get(context.config) ?? startMatcher(context)
  // safe because the thread answers a task with what belongs to its kind
  return (await matcher.run(kind, task, signal)) as MatchingTasks[One]['answer']
}

/** Makes the matcher of a process. `match` does so by itself; only tests want another one. */
export function startMatcher(context: Context, options: MatcherOptions = {}): Matcher {
  const matcher = createMatcher(context, options)
  matchers.set(context.config, matcher)
  return matcher
}

const matchers = new WeakMap<Context['config'], Matcher>()
const usualWorkMs: Record<Kind, number> = { calculate: 3 * minute, what_if: minute, find_new: minute }
/** How long somebody waits for a question to be answered. */
const questionMs = 20 * second
/** How long a thread has to begin with a task: it may have to start first. */
const startMs = 30 * second
/** How long a thread has to notice that its task was cancelled. */
const noticeMs = second / 2
const idleMs = 10 * minute

function createMatcher({ config, log }: Context, { entry, workMs }: MatcherOptions): Matcher {
  const limits = { ...usualWorkMs, ...workMs }
  const queue: Task[] = []
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  const numbers = new Int32Array(shared)
  let running: Task | undefined
  let worker: Worker | undefined
  let limit: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0

  const next = () => {
    if (running) return
    running = takeNext(queue)
    clearTimeout(idle)
    if (!running) {
      worker?.unref()
      idle = setTimeout(() => endThread(), idleMs).unref()
      return
    }
    const { number, kind, task } = running
    try {
      worker ??= start()
      worker.ref()
      endAfter(startMs, `the matching thread did not start within ${startMs / 1000} s`)
      worker.postMessage({ number, kind, task })
    } catch (error) {
      fail(error)
    }
  }
  const settle = (finish: (task: Task) => void) => {
    const task = running
    running = undefined
    clearTimeout(limit)
    if (task) finish(task)
    next()
  }
  const fail = (error: unknown) => settle(({ kind, reject }) => reject(kind === 'what_if' ? unavailable(error) : error))
  const endThread = () => {
    const ending = worker
    worker = undefined
    void ending?.terminate()
  }
  const endAfter = (milliseconds: number, why: string, isStuck = () => true) => {
    clearTimeout(limit)
    limit = setTimeout(() => {
      if (!isStuck()) return endAfter(milliseconds, why, isStuck)
      log.warn({ kind: running?.kind }, why)
      endThread()
      fail(new Error(why))
    }, milliseconds)
  }
  /**
   * A task that is stuck is of no use to those who wait behind it, either. One that is only slow goes on: a very large
   * catalogue takes minutes to read, and whoever began anew each time would never have it.
   */
  const begin = (task: Task) => {
    if (task.isCancelled) return
    const milliseconds = limits[task.kind]
    let seen = Atomics.load(numbers, progressPlace)
    endAfter(milliseconds, `the matching thread made no progress within ${milliseconds / 1000} s`, () => {
      const before = seen
      seen = Atomics.load(numbers, progressPlace)
      return seen === before
    })
  }
  const start = (): Worker => {
    const started = startThread(entry, { config, shared })
    started.on('message', ({ number, isBegun, answer, error, isUnavailable }) => {
      if (worker !== started || !running || number !== running.number) return
      if (isBegun) begin(running)
      else if (error === undefined)
        settle(({ resolve }) => resolve(answer as never)) // safe because whoever waits knows its form
      else settle(({ reject }) => reject(isUnavailable ? unavailable(error) : error))
    })
    const end = (error: Error) => {
      if (worker !== started) return
      log.error({ err: error }, 'the matching thread ended unexpectedly')
      worker = undefined
      fail(error)
    }
    started.on('error', end)
    started.on('exit', () => end(new Error('the matching thread ended')))
    return started
  }
  /** A task that waits is never begun. One that runs notices, or its thread ends. */
  const cancel = (task: Task, reason: unknown) => {
    const place = queue.indexOf(task)
    if (place !== -1) {
      queue.splice(place, 1)
      task.reject(reason)
    } else if (running === task) {
      task.isCancelled = true
      Atomics.store(numbers, cancelledPlace, task.number)
      endAfter(noticeMs, 'the matching thread did not notice that its task was cancelled')
    }
  }
  return {
    async run(kind, task, signal) {
      signal?.throwIfAborted()
      return new Promise((resolve, reject) => {
        const waiting: Task = { number: ++count, kind, task, isCancelled: false, passedBy: 0, resolve, reject }
        const giveUp = () => cancel(waiting, signal?.reason)
        signal?.addEventListener('abort', giveUp, { once: true })
        // Jobs wait for their turn as long as it takes; whoever asks a question is told to ask again.
        const question = kind === 'what_if' ? setTimeout(() => tellBusy(waiting), questionMs) : undefined
        const settled = () => {
          clearTimeout(question)
          signal?.removeEventListener('abort', giveUp)
        }
        waiting.resolve = (answer) => {
          settled()
          resolve(answer)
        }
        waiting.reject = (error) => {
          settled()
          reject(signal?.aborted ? signal.reason : error)
        }
        queue.push(waiting)
        next()
      })
    },
  }

  /** A question that is being answered may go on: what was read for it helps the next one. */
  function tellBusy(task: Task): void {
    const place = queue.indexOf(task)
    if (place !== -1) queue.splice(place, 1)
    task.reject(busy())
  }
}

/** Takes the most urgent task, and of equals the oldest. One that was passed by too often is urgent, too. */
function takeNext(queue: Task[]): Task | undefined {
  const urgencyOf = ({ kind, passedBy }: Task) => (passedBy < mostPassedBy ? urgency[kind] : -1)
  let place = 0
  for (const [index, task] of queue.entries()) {
    const first = queue[place]
    if (first && urgencyOf(task) < urgencyOf(first)) place = index
  }
  for (const task of queue.slice(0, place)) task.passedBy++
  return queue.splice(place, 1)[0]
}

/** Somebody waits for the answer to a question; somebody asked for a calculation; for new matches nobody waits. */
const urgency: Record<Kind, number> = { what_if: 0, calculate: 1, find_new: 2 }
const mostPassedBy = 20

function unavailable(cause: unknown): ApiError {
  const message = 'The question could not be answered. Ask again in a few seconds.'
  return new ApiError('service_unavailable', { message, headers: { 'retry-after': '5' }, cause })
}

function busy(): ApiError {
  return new ApiError('service_unavailable', {
    message: 'The question was not answered in time. Ask again in a few seconds.',
    headers: { 'retry-after': '5' },
  })
}
