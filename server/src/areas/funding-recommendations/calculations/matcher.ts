// Hands tasks to the matching thread. The thread starts when it is first needed, and ends when nobody has needed it for
// a while: what it keeps in memory is worth keeping only while projects are calculated.
import { Worker } from 'node:worker_threads'
import { minute } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Calculated, MatchingTask, Supposed } from './matching-task.ts'

type Task<Kind extends MatchingTask['kind']> = Extract<MatchingTask, { kind: Kind }>

interface Waiting {
  resolve(answer: never): void
  reject(error: unknown): void
  timer: NodeJS.Timeout
}

interface Matcher {
  run(task: MatchingTask, timeoutMs: number): Promise<unknown>
}

const matchers = new WeakMap<Context, Matcher>()

export async function calculate(context: Context, task: Omit<Task<'calculate'>, 'kind'>): Promise<Calculated> {
  // safe because the thread answers such a task with this
  return (await matcherOf(context).run({ ...task, kind: 'calculate' }, calculateTimeoutMs)) as Calculated
}

export async function suppose(context: Context, task: Omit<Task<'what_if'>, 'kind'>): Promise<Supposed> {
  // safe because the thread answers such a task with this
  return (await matcherOf(context).run({ ...task, kind: 'what_if' }, supposeTimeoutMs)) as Supposed
}

const calculateTimeoutMs = 3 * minute
const supposeTimeoutMs = 20_000
const idleMs = 10 * minute

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

  const settle = (number: number, with_: (one: Waiting) => void) => {
    const one = waiting.get(number)
    if (!one) return
    waiting.delete(number)
    clearTimeout(one.timer)
    with_(one)
    if (waiting.size > 0) return
    worker?.unref()
    idle = setTimeout(() => void worker?.terminate(), idleMs).unref()
  }
  const failAll = (error: unknown) => {
    worker = undefined
    for (const number of [...waiting.keys()]) settle(number, ({ reject }) => reject(error))
  }
  const start = (): Worker => {
    const entry = threadEntry(import.meta.url)
    const started = new Worker(entry, {
      workerData: config,
      ...(entry.pathname.endsWith('.ts') && { execArgv: ['--import', 'tsx'] }),
    })
    started.on('message', ({ number, answer, error }) =>
      settle(number, ({ resolve, reject }) => (error === undefined ? resolve(answer as never) : reject(error))),
    )
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
    run(task, timeoutMs) {
      clearTimeout(idle)
      worker ??= start()
      worker.ref()
      const number = ++count
      return new Promise((resolve, reject) => {
        // A thread that does not answer in time is of no use to those who wait behind, either.
        const timer = setTimeout(() => {
          void worker?.terminate()
          failAll(new Error(`the matching thread did not answer within ${timeoutMs / 1000} s`))
        }, timeoutMs)
        waiting.set(number, { resolve, reject, timer })
        worker?.postMessage({ number, task })
      })
    },
  }
}

/** The thread's program: beside us, as source in development and as a bundle of its own otherwise. */
function threadEntry(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith('.ts') ? './matching-thread.ts' : './matching-thread.js', moduleUrl)
}
