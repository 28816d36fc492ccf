// A receiver of webhooks in this process: it echoes challenges, answers everything else at once, and keeps the times.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DeliverySink {
  /** An address for each webhook, all of one server. */
  url(name: string): string
  /** How many messages have come so far. */
  received(): number
  /** The body of the last message. */
  lastBody(): string
  /** Waits for so many more messages; messages a second from the first to the last of them. */
  next(count: number): Promise<number>
  /** Milliseconds from an event's own time to its first arrival, for every event since the last call. */
  takeDelays(): number[]
  close(): void
}

export async function startDeliverySink(): Promise<DeliverySink> {
  let last = ''
  let received = 0
  let delays = new Map<string, number>()
  let heard: () => void = () => undefined
  const server = createServer((request, response) => {
    const at = Date.now()
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const event = JSON.parse(body)
      if (event.type === 'webhook.verification')
        return response.end(JSON.stringify({ challenge: event.data.challenge }))
      last = body
      received++
      if (!delays.has(event.id)) delays.set(event.id, at - Date.parse(event.timestamp))
      heard()
      return response.end('ok')
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // safe because a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    received: () => received,
    lastBody: () => last,
    next: (count) =>
      new Promise((resolve, reject) => {
        let arrived = 0
        let first = 0
        const timer = setTimeout(() => reject(new Error(`only ${arrived} of ${count} messages arrived`)), patienceMs)
        heard = () => {
          arrived++
          if (arrived === 1) first = performance.now()
          if (arrived < count) return
          clearTimeout(timer)
          heard = () => undefined
          resolve((count - 1) / ((performance.now() - first) / 1000))
        }
      }),
    takeDelays() {
      const taken = [...delays.values()]
      delays = new Map()
      return taken
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const patienceMs = 60_000
