// Background work in two processes of its own, beside servers that do none. What strikes a server strikes one of them, too.
import { type RunningServer, startServer } from '../built-program.ts'

type Environment = Record<string, string>

interface SeparateWorkers {
  /** Starts the workers that are missing, with the settings of the server they are beside. */
  join(environment: Environment): Promise<void>
  /** The server; whoever kills it kills a worker in the same way, and whoever looks at its output sees theirs. */
  struckWith(server: RunningServer): RunningServer
}

export function createWorkers(signal: AbortSignal, started: (worker: Promise<RunningServer>) => void): SeparateWorkers {
  const workers: (Promise<RunningServer> | undefined)[] = [undefined, undefined]
  const everyOne: RunningServer[] = []
  let next = 0
  /** Those that do nothing for now; others take their places. */
  const still: RunningServer[] = []
  const strike = async (kind: NodeJS.Signals) => {
    next = (next + 1) % workers.length
    const worker = await workers[next]
    workers[next] = undefined
    const code = await worker?.kill(kind)
    if (worker && kind !== 'SIGKILL' && code !== 0)
      throw new Error(`a worker ended with ${code} on ${kind}:\n${worker.output()}`)
  }
  return {
    async join(environment) {
      for (const [place, worker] of workers.entries()) {
        if (worker) continue
        const another = startServer({ environment, command: 'worker', signal })
        workers[place] = another
        started(another)
        another.then(
          (one) => everyOne.push(one),
          () => undefined,
        )
      }
      await Promise.all(workers)
    },
    struckWith: (server) => ({
      ...server,
      async kill(kind) {
        const [code] = await Promise.all([server.kill(kind), strike(kind)])
        return code
      },
      async stop() {
        for (const place of workers.keys()) {
          const worker = await workers[place]
          workers[place] = undefined
          if (worker) still.push(worker)
        }
        const goOn = await Promise.all([server, ...still].map((one) => one.stop()))
        return () => {
          for (const one of goOn) one()
        }
      },
      output: () => [server, ...everyOne].map((one) => one.output()).join(''),
    }),
  }
}
