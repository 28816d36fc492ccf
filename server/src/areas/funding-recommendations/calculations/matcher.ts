// Hands tasks to the matching thread. The thread starts when it is first needed, and ends when nobody has needed it for
// a while: what it keeps in memory is worth keeping only while projects are calculated.
import { Worker } from 'node:worker_threads'
import { minute } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config.ts'
import type { Context } from '../../../platform/context.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import type { MatchingTasks } from './matching-task.ts'

type Kind = keyof MatchingTasks

interface Waiting {
  kind: Kind
  resolve(answer: never): void
  reject(error: unknown): void
  /** How long whoever asked waits, and how long the work itself may take. */
  wait?: NodeJS.Timeout | undefined
  work?: NodeJS.Timeout | undefined
}

interface Matcher {
  run(kind: Kind, task: MatchingTasks[Kind]['task']): Promise<unknown>
}

/** Asks the thread of this process. */
export async function match<One extends Kind>(
  context: Context,
  kind: One,
  task: MatchingTasks[One]['task'],
): Promise<MatchingTasks[One]['answer']> {
  // safe because the thread answers a task with what belongs to its kind
  return (await matcherOf(context).run(kind, task)) as MatchingTasks[One]['answer']
}

/** How long a task may take, from its own beginning: the thread does one after the other. */
const workMs: Record<Kind, number> = { calculate: 3 * minute, what_if: minute, find_new: minute }
/** How long somebody waits for a question to be answered. */
const questionMs = 20_000
const idleMs = 10 * minute
const matchers = new WeakMap<Context, Matcher>()

function matcherOf(context: Context): Matcher {
  let matcher = matchers.get(context)
  if (!matcher) {
    matcher = createMatcher(context)
    matchers.set(context, matcher)
  }
  return matcher
}

function createMatcher({ config, log }: Context): Matcher {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0

  const settle = (number: number, finish: (one: Waiting) => void) => {
    const one = waiting.get(number)
    if (!one) return
    waiting.delete(number)
    clearTimeout(one.wait)
    clearTimeout(one.work)
    finish(one)
    if (waiting.size > 0) return
    worker?.unref()
    idle = setTimeout(() => {
      const resting = worker
      worker = undefined
      void resting?.terminate()
    }, idleMs).unref()
  }
  const failAll = (error: unknown) => {
    worker = undefined
    for (const number of [...waiting.keys()])
      settle(number, ({ kind, reject }) => reject(kind === 'what_if' ? unavailable(error) : error))
  }
  /** A task that does not end is of no use to those who wait behind it, either. */
  const begin = (number: number) => {
    const one = waiting.get(number)
    if (!one) return
    one.work = setTimeout(() => {
      void worker?.terminate()
      failAll(new Error(`the matching thread did not finish within ${workMs[one.kind] / 1000} s`))
    }, workMs[one.kind])
  }
  const start = (): Worker => {
    const started = startThread(import.meta.url, config)
    started.on('message', ({ number, isBegun, answer, error, isUnavailable }) => {
      if (isBegun) begin(number)
      else if (error === undefined)
        settle(number, ({ resolve }) => resolve(answer as never)) // safe because whoever waits knows its form
      else settle(number, ({ reject }) => reject(isUnavailable ? unavailable(error) : error))
    })
    started.on('error', (error) => {
      log.error({ err: error }, 'the matching thread failed')
      if (worker === started) failAll(error)
    })
    started.on('exit', () => {
      if (worker === started) failAll(new Error('the matching thread ended'))
    })
    return started
  }
  return {
    run(kind, task) {
      clearTimeout(idle)
      worker ??= start()
      worker.ref()
      const number = ++count
      return new Promise((resolve, reject) => {
        // Jobs wait for their turn as long as it takes; whoever asks a question is told to ask again.
        const wait =
          kind === 'what_if' ? setTimeout(() => settle(number, (one) => one.reject(busy())), questionMs) : undefined
        waiting.set(number, { kind, resolve, reject, wait })
        worker?.postMessage({ number, kind, task })
      })
    },
  }
}

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

/** The thread's program: beside us, as source in development and as a bundle of its own otherwise. */
function startThread(moduleUrl: string, workerData: Config): Worker {
  if (!moduleUrl.endsWith('.ts')) return new Worker(new URL('./matching-thread.js', moduleUrl), { workerData })
  const source = JSON.stringify(new URL('./matching-thread.ts', moduleUrl).href)
  // A thread takes no loader from its arguments, so it asks for one by itself.
  const begin = `import('tsx/esm/api').then(({ register }) => { register(); return import(${source}) })`
  return new Worker(begin, { eval: true, workerData })
}
