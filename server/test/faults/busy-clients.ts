// Clients that read and write one request after the other, and write down everything that did not succeed.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deployment } from './deployment.ts'
import { idOf, type LoadRequest, type Reply } from './load-client.ts'
import { isFull } from './scale.ts'

export function startBusyClients(deployment: Deployment, send: (sent: LoadRequest) => Promise<Reply>, clients: number) {
  const failures: string[] = []
  const created: string[] = []
  let answered = 0
  let isStopping = false
  let awaited: { count: number; resolve(): void } = { count: 0, resolve: () => undefined }

  const work = async (client: number) => {
    for (let n = client; !isStopping; n++) {
      const isWrite = n % 2 === 0
      const request = isWrite ? newCreate(deployment) : { method: 'GET', path: '/v1/businesses/?page_size=5' }
      try {
        const reply = await send(request)
        if (reply.status === 201) created.push(idOf(reply))
        if (reply.status !== (isWrite ? 201 : 200)) failures.push(`${request.method} ${reply.status} ${reply.text}`)
      } catch (error) {
        failures.push(`${request.method} ${error}`)
      }
      answered++
      if (--awaited.count === 0) awaited.resolve()
      await rest()
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return {
    answeredMore: (count: number) =>
      new Promise<void>((resolve) => {
        awaited = { count, resolve }
      }),
    async finish() {
      isStopping = true
      await ended
      return { failures, created, answered }
    },
  }
}

/** Between the requests of a client: what a restart does to them shows without a machine that is full of them. */
export const rest = () => pause(isFull ? 0 : 120)

function newCreate(deployment: Deployment): LoadRequest {
  const headers = { 'idempotency-key': randomUUID() }
  return { method: 'POST', path: '/v1/businesses/', headers, body: deployment.business() }
}
