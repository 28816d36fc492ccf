// R2. One command sent many times at the same moment, to every server there is, is executed once.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { type Deployment, newDeployment, readBusinessIds, readCreatedIds, report } from './deployment.ts'
import { codeOf, createLoadClient, idOf, type LoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { faultTimeoutMs, scale } from './scale.ts'

let deployment: Deployment
let servers: RunningServer[]
let clients: LoadClient[]

beforeAll(async () => {
  deployment = await newDeployment()
  servers = await deployment.startAll()
  const sockets = keysAtOnce * scale.requestsPerKey
  clients = servers.map(({ origin }) => createLoadClient(origin, { key: deployment.key, sockets }))
})
afterAll(async () => {
  for (const client of clients) client.close()
  await deployment.remove()
})

test('identical requests at once are executed once; the others get a replay or 409 idempotency_key_in_use', {
  timeout: faultTimeoutMs,
}, async () => {
  const ids: string[] = []
  const counts = { executed: 0, replayed: 0, refused: 0 }
  for (let done = 0; done < scale.sharedKeys; done += keysAtOnce) {
    const races = Array.from({ length: Math.min(keysAtOnce, scale.sharedKeys - done) }, race)
    for (const { replies, later } of await Promise.all(races)) {
      const executed = replies.filter((reply) => reply.status === 201 && !isReplay(reply))
      const replayed = replies.filter((reply) => reply.status === 201 && isReplay(reply))
      const refused = replies.filter((reply) => reply.status === 409)
      const strangers = replies.filter((reply) => ![...executed, ...replayed, ...refused].includes(reply))
      expect(strangers.map(({ status, text }) => `${status} ${text}`)).toEqual([])
      expect(executed).toHaveLength(1)
      expect(new Set(refused.map(codeOf))).toEqual(new Set(refused.length > 0 ? ['idempotency_key_in_use'] : []))
      expect(new Set(refused.map(({ headers }) => headers['retry-after'] ?? ''))).not.toContain('')
      // Whoever asks again afterwards, on any server, gets the same bytes.
      for (const reply of later) expect([reply.status, isReplay(reply)]).toEqual([201, true])
      expect(new Set([...executed, ...replayed, ...later].map(({ text }) => text)).size).toBe(1)
      ids.push(...executed.map(idOf))
      counts.executed += executed.length
      counts.replayed += replayed.length
      counts.refused += refused.length
    }
  }
  expect(counts.executed).toBe(scale.sharedKeys)
  for (const server of servers) {
    expect((await readBusinessIds(server, deployment.key)).sort()).toEqual(ids.sort())
    expect((await readCreatedIds(server, deployment.key)).sort()).toEqual(ids)
  }
  report('R2 same key at once', { processes: servers.length, ...counts })
})

async function race(): Promise<{ replies: Reply[]; later: Reply[] }> {
  const command = {
    method: 'POST',
    path: '/v1/businesses/',
    headers: { 'idempotency-key': randomUUID() },
    body: deployment.business(),
  }
  const replies = await Promise.all(
    Array.from({ length: scale.requestsPerKey }, (_, n) => send(clients[n % clients.length], command)),
  )
  const later = await Promise.all(clients.map((client) => send(client, command)))
  return { replies, later }
}

/** Sends it again a few times, with the same key, while the server is too busy for it. */
async function send(client: LoadClient | undefined, command: LoadRequest, triesLeft = 20): Promise<Reply> {
  if (!client) throw new Error('there is no client')
  const reply = await client.send(command)
  return reply.status === 503 && triesLeft > 0 ? send(client, command, triesLeft - 1) : reply
}

function isReplay({ headers }: Reply): boolean {
  return headers['idempotent-replayed'] === 'true'
}

/** All requests of a key are under way together; more keys beside them would only measure how long a queue may be. */
const keysAtOnce = 4
