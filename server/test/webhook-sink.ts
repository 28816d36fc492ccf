// A receiver of webhooks on this machine: it echoes challenges, keeps what it gets, and answers as a test says.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form
  event: any
}

export interface Sink {
  url: string
  /** Everything but challenges, in the order of arrival. */
  received: Received[]
  challenges: string[]
  /** The messages that the challenges came with. */
  verifications: unknown[]
  /** How what is no challenge is answered; 200 unless a test says otherwise. */
  answer: (response: ServerResponse, received: Received) => void
  isEchoing: boolean
  close(): Promise<void>
}

export async function startSink(): Promise<Sink> {
  const sink: Sink = {
    url: '',
    received: [],
    challenges: [],
    verifications: [],
    answer: (response) => response.end('ok'),
    isEchoing: true,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const received = { headers: request.headers, body, event: JSON.parse(body) }
      if (received.event.type !== 'webhook.verification') {
        sink.received.push(received)
        return sink.answer(response, received)
      }
      const { challenge } = received.event.data
      sink.challenges.push(challenge)
      sink.verifications.push(received.event)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(sink.isEchoing ? { challenge } : {}))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // safe because a server that listens on a port has such an address
  sink.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return sink
}
