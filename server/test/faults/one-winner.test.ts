// R5. Writers that all read the same version of a record: one of them may change it, the others must look again.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { type Deployment, newDeployment, readAll, report } from './deployment.ts'
import { codeOf, createLoadClient, type LoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { faultTimeoutMs, scale } from './scale.ts'

let deployment: Deployment
let servers: RunningServer[]
let clients: LoadClient[]

beforeAll(async () => {
  deployment = await newDeployment()
  servers = await deployment.startAll()
  clients = servers.map(({ origin }) =>
    createLoadClient(origin, { key: deployment.key, sockets: Math.ceil(scale.racingWriters / servers.length) }),
  )
})
afterAll(async () => {
  for (const client of clients) client.close()
  await deployment.remove()
})

interface Attempt {
  method: 'PATCH' | 'POST'
  /** Below the address of the business. */
  path: string
  event: string
  headers?(): Record<string, string>
  body?(writer: number): unknown
}

const attempts: [string, Attempt][] = [
  [
    'PATCH without an Idempotency-Key',
    { method: 'PATCH', path: '', event: 'business.updated', body: (writer) => ({ employee_count: writer }) },
  ],
  [
    'PATCH with an Idempotency-Key each',
    {
      method: 'PATCH',
      path: '',
      event: 'business.updated',
      headers: () => ({ 'idempotency-key': randomUUID() }),
      body: (writer) => ({ employee_count: writer }),
    },
  ],
  [
    'POST archive with an Idempotency-Key each',
    {
      method: 'POST',
      path: 'archive/',
      event: 'business.archived',
      headers: () => ({ 'idempotency-key': randomUUID() }),
    },
  ],
]

test.each(attempts)(
  '200 for one writer and 412 for all others on one ETag: %s',
  {
    timeout: faultTimeoutMs,
  },
  async (name, attempt) => {
    for (let race = 0; race < scale.races; race++) {
      const { id, etag } = await newBusiness()
      const replies = await Promise.all(
        Array.from({ length: scale.racingWriters }, (_, writer) => {
          const { method, path, headers, body } = attempt
          return sendUntilTaken(clientOf(writer), {
            method,
            path: `/v1/businesses/${id}/${path}`,
            headers: { 'if-match': etag, ...headers?.() },
            ...(body && { body: body(writer) }),
          })
        }),
      )
      const winners = replies.filter(({ status }) => status === 200)
      const losers = replies.filter(({ status }) => status === 412)
      expect([winners.length, losers.length]).toEqual([1, scale.racingWriters - 1])
      expect(new Set(losers.map(codeOf))).toEqual(new Set(['precondition_failed']))
      expect(losers.filter(({ headers }) => headers.etag !== undefined)).toEqual([])
      for (const server of servers) await expectOneChange(server, id, winners[0], attempt.event)
    }
    report('R5 one winner', { writers: scale.racingWriters, races: scale.races, by: name })
  },
)

/** The record is what the winner was told, and one event tells of it. */
async function expectOneChange(server: RunningServer, id: string, winner: Reply | undefined, event: string) {
  const { text } = await server.call('GET', `businesses/${id}/`, { key: deployment.key })
  expect(text).toBe(winner?.text)
  const events = await readAll(server, deployment.key, `events/?page_size=250&resource_id=${id}`)
  expect(events.map(({ type }) => type).sort()).toEqual(['business.created', event].sort())
}

async function newBusiness(): Promise<{ id: string; etag: string }> {
  const reply = await clientOf(0).send({
    method: 'POST',
    path: '/v1/businesses/',
    headers: { 'idempotency-key': randomUUID() },
    body: deployment.business(),
  })
  expect(reply.status).toBe(201)
  return JSON.parse(reply.text)
}

/** A server that has too much to do refuses, and has done nothing: the writer asks again. */
async function sendUntilTaken(client: LoadClient, request: LoadRequest): Promise<Reply> {
  for (let attempt = 1; attempt < mostAttempts; attempt++) {
    const reply = await client.send(request)
    if (reply.status !== 503) return reply
    await pause(200)
  }
  return client.send(request)
}

const mostAttempts = 20

function clientOf(writer: number): LoadClient {
  const client = clients[writer % clients.length]
  if (!client) throw new Error('no server is running')
  return client
}
