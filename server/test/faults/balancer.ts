// What stands before the servers of a deployment: sends each request to a server whose /readyz was ok a moment ago.
import { get } from 'node:http'
import { createLoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { isFull } from './scale.ts'

interface Balancer {
  send(sent: LoadRequest): Promise<Reply>
  /** Resolves once the server at this address has been seen ready, or no longer ready. */
  until(origin: string, isReady: boolean): Promise<void>
  close(): void
}

export function startBalancer(
  origins: readonly string[],
  { key, sockets }: { key: string; sockets: number },
): Balancer {
  const backends = origins.map((origin) => ({
    origin,
    isReady: false,
    client: createLoadClient(origin, { key, sockets }),
  }))
  let waiting: (() => void)[] = []
  const changed = () => new Promise<void>((resolve) => waiting.push(resolve))
  let turn = 0

  const timer = setInterval(() => {
    for (const backend of backends) {
      void probe(backend.origin).then((isReady) => {
        if (isReady === backend.isReady) return
        backend.isReady = isReady
        const resolves = waiting
        waiting = []
        for (const resolve of resolves) resolve()
      })
    }
  }, probeEveryMs)

  return {
    async send(sent) {
      for (;;) {
        const ready = backends.filter((backend) => backend.isReady)
        const chosen = ready[turn++ % Math.max(1, ready.length)]
        if (chosen) return chosen.client.send(sent)
        await changed()
      }
    },
    async until(origin, isReady) {
      while (backends.some((backend) => backend.origin === origin && backend.isReady !== isReady)) await changed()
    },
    close() {
      clearInterval(timer)
      for (const { client } of backends) client.close()
    },
  }
}

/** On a connection of its own: what is asked is whether a new caller would be served. */
function probe(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${origin}/readyz`, { agent: false, timeout: 1000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .once('error', () => resolve(false))
      .once('timeout', () => resolve(false))
  })
}

/** Several times while a server that is to stop lets itself be seen. */
const probeEveryMs = isFull ? 50 : 100
