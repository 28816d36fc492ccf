// Readers follow the events of a Portal while writers write them through every process there is. A reader that asks for
// what comes after the last number it knows never misses one, and the numbers follow each other without a gap.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { type Deployment, newDeployment, readAll, report } from './deployment.ts'
import { codeOf, createLoadClient, idOf, type Reply } from './load-client.ts'
import { faultTimeoutMs, scale } from './scale.ts'

/** A machine that has more to do than it can: the same request is sent again, as integrators do. */
const isBusy = async (reply: Reply) => {
  const mustWait = reply.status === 503 || (reply.status === 409 && codeOf(reply) === 'idempotency_key_in_use')
  if (mustWait) await pause(50)
  return mustWait
}

const writers = 16
const readers = 3

let deployment: Deployment
let servers: RunningServer[]
beforeAll(async () => {
  deployment = await newDeployment()
  servers = await deployment.startAll()
})
afterAll(() => deployment.remove())

test('a reader of /events/ sees every event once, in order and without a gap, while others are being written', {
  timeout: faultTimeoutMs,
}, async () => {
  const clients = servers.map(({ origin }) => createLoadClient(origin, { key: deployment.key, sockets: 32 }))
  const clientOf = (number: number) => clients[number % clients.length] ?? expect.fail('there is no server')
  let isWritten = false

  /** One after the other: what one writer writes later is committed later, wherever it was written. */
  const write = async (writer: number): Promise<string[]> => {
    const ids: string[] = []
    while (ids.length < scale.eventsPerWriter) {
      const reply = await clientOf(writer + ids.length).send({
        method: 'POST',
        path: '/v1/businesses/',
        headers: { 'idempotency-key': `writer-${writer}-event-${ids.length}` },
        body: deployment.business(),
      })
      if (await isBusy(reply)) continue
      expect(reply.status, reply.text).toBe(201)
      ids.push(idOf(reply))
    }
    return ids
  }
  const follow = async (reader: number) => {
    const seen: { sequence: number; id: string; resource: string }[] = []
    for (let ask = reader; ; ask++) {
      const wasWritten = isWritten
      const after = seen.at(-1)?.sequence ?? 0
      const path = `/v1/events/?order=sequence&page_size=50&sequence_after=${after}`
      const reply = await clientOf(ask).send({ method: 'GET', path })
      if (await isBusy(reply)) continue
      expect(reply.status, reply.text).toBe(200)
      const { items } = JSON.parse(reply.text)
      for (const { sequence, id, data } of items) seen.push({ sequence, id, resource: data.resource.id })
      if (items.length === 0 && wasWritten) return seen
    }
  }
  const following = Array.from({ length: readers }, (_, reader) => follow(reader))
  const written = await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  isWritten = true
  const count = writers * scale.eventsPerWriter
  const [server] = servers
  const all = server ? await readAll(server, deployment.key, 'events/?order=sequence&page_size=250') : []
  expect(all).toHaveLength(count)
  for (const seen of await Promise.all(following)) {
    expect(seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    expect(seen.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  }
  const place = new Map(all.map(({ data, sequence }) => [data.resource.id, sequence]))
  for (const ids of written) {
    const order = ids.map((id) => place.get(id))
    expect(order).toEqual([...order].sort((a, b) => a - b))
  }
  for (const client of clients) client.close()
  report('events read while they are written', { events: count, processes: servers.length, readers })
})
