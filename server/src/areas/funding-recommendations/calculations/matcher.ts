// Hands tasks to the matching thread. The thread starts when it is first needed, and ends when nobody has needed it for
// a while: what it keeps in memory is worth keeping only while projects are calculated.
import { Worker } from 'node:worker_threads'
import { minute } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config.ts'
import type { Context } from '../../../platform/context.ts'
import type { MatchingTasks } from './matching-task.ts'

type Kind = keyof MatchingTasks

interface Waiting {
  resolve(answer: never): void
  reject(error: unknown): void
  timer: NodeJS.Timeout
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

const timeoutsMs: Record<Kind, number> = { calculate: 3 * minute, what_if: 20_000, find_new: minute }
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
    const started = startThread(import.meta.url, config)
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
    run(kind, task) {
      clearTimeout(idle)
      worker ??= start()
      worker.ref()
      const number = ++count
      return new Promise((resolve, reject) => {
        // A thread that does not answer in time is of no use to those who wait behind, either.
        const timer = setTimeout(() => {
          void worker?.terminate()
          failAll(new Error(`the matching thread did not answer within ${timeoutsMs[kind] / 1000} s`))
        }, timeoutsMs[kind])
        waiting.set(number, { resolve, reject, timer })
        worker?.postMessage({ number, kind, task })
      })
    },
  }
}

/** The thread's program: beside us, as source in development and as a bundle of its own otherwise. */
function startThread(moduleUrl: string, workerData: Config): Worker {
  if (!moduleUrl.endsWith('.ts')) return new Worker(new URL('./matching-thread.js', moduleUrl), { workerData })
  const source = JSON.stringify(new URL('./matching-thread.ts', moduleUrl).href)
  // A thread takes no loader from its arguments, so it asks for one by itself.
  const begin = `import('tsx/esm/api').then(({ register }) => { register(); return import(${source}) })`
  return new Worker(begin, { eval: true, workerData })
}
