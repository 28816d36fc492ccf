// R6. Events are written and delivered while every process that delivers is killed again and again and the receiver
// fails a third of the time. In the end every event has arrived, under its own id and with the same bytes each time.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { engine, openTestContext } from '../harness.ts'
import { freePort } from '../postgres-cluster.ts'
import { type Sink, startSink } from '../webhook-sink.ts'
import { type Deployment, newDeployment, readAll, report } from './deployment.ts'
import { createLoadClient, type LoadClient } from './load-client.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'
import { createSeededRandom } from './seeded-random.ts'

/** Proxies lead nowhere: whoever asked them would deliver nothing. */
const environment = {
  PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true',
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
}

let deployment: Deployment
/** Beside the servers, to let the waits of the schedule pass at once. */
let beside: Context
let sink: Sink
beforeAll(async () => {
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
  sink = await startSink()
})
afterAll(async () => {
  await sink.close()
  await beside.database.close()
  await deployment.remove()
})

test('every event arrives at least once under one id, whoever is killed while it is sent', {
  timeout: faultTimeoutMs,
}, async () => {
  const ports = [await freePort(), ...(engine === 'postgres' ? [await freePort()] : [])]
  const servers = await Promise.all(ports.map((port) => deployment.start({ port, environment })))
  const [first] = servers
  if (!first) throw new Error('no server was started')
  const webhook = await subscribe(first)
  const random = createSeededRandom(6)
  const arrived = new Map<string, { body: string; times: number; isDelivered: boolean }>()
  const figures = { kills: 0, requests: 0, refused: 0, 'sent again': 0 }
  const oddities: string[] = []
  sink.answer = (response, { body, headers }) => {
    const id = String(headers['webhook-id'])
    const known = arrived.get(id) ?? { body, times: 0, isDelivered: false }
    if (known.body !== body || JSON.parse(body).id !== id) oddities.push(id)
    if (known.isDelivered) figures['sent again']++
    figures.requests++
    const isRefused = random.below(10) < 3
    if (isRefused) figures.refused++
    arrived.set(id, { body, times: known.times + 1, isDelivered: known.isDelivered || !isRefused })
    sink.received.length = 0
    response.writeHead(isRefused ? 500 : 204).end()
  }

  let isOver = false
  const killing = killInTurn(servers, ports, () => isOver, figures)
  const clients = servers.map(({ origin }) => createLoadClient(origin, { key: deployment.key, sockets: 10 }))
  onTestFinished(() => {
    isOver = true
    for (const client of clients) client.close()
  })
  await writeEvents(clients)
  const delivered = () => [...arrived.values()].filter(({ isDelivered }) => isDelivered).length
  await expect
    .poll(
      async () => {
        await letWaitsPass()
        return delivered()
      },
      { timeout: faultTimeoutMs, interval: 500 },
    )
    .toBe(scale.deliveredEvents)
  isOver = true
  await killing

  const [last] = servers
  if (!last) throw new Error('no server is left')
  const events = await readAll(last, deployment.key, 'events/?page_size=250&type=business.created')
  expect(events.map(({ id }) => id).sort()).toEqual([...arrived.keys()].sort())
  expect(oddities).toEqual([])
  expect(figures.kills).toBeGreaterThan(0)
  // The last outcomes may still have to be written; none is forgotten.
  await expect
    .poll(
      async () => {
        await letWaitsPass()
        return (await readAll(last, deployment.key, `${webhook}deliveries/?page_size=100&state=succeeded`)).length
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBe(scale.deliveredEvents)
  report('R6 killed senders', { events: events.length, ...figures })
})

async function subscribe({ call }: RunningServer): Promise<string> {
  const { key } = deployment
  const { body } = await call('POST', 'webhooks/', { key, body: { url: sink.url, event_types: ['business.created'] } })
  const path = `webhooks/${body.id}/`
  await expect.poll(async () => (await call('GET', path, { key })).body.state, { timeout: 30_000 }).toBe('active')
  return path
}

/** Each write is sent until it is acknowledged, to whichever server is there. */
async function writeEvents(clients: readonly LoadClient[]): Promise<void> {
  let begun = 0
  const write = async (writer: number) => {
    while (begun++ < scale.deliveredEvents) {
      const sent = {
        method: 'POST',
        path: '/v1/businesses/',
        headers: { 'idempotency-key': randomUUID() },
        body: deployment.business(),
      }
      for (let attempt = writer; ; attempt++) {
        const client = clients[attempt % clients.length] ?? expect.fail('there is no server')
        const reply = await client.send(sent).catch(() => undefined)
        if (reply?.status === 201) break
        if (client.isClosed) return
        if (reply && reply.status !== 503 && reply.status !== 409)
          throw new Error(`answered ${reply.status}: ${reply.text}`)
        await pause(20)
      }
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)))
}

/** Every 20 s one server after the other in the long form; in the short form all of them, after some arrivals. */
async function killInTurn(
  servers: RunningServer[],
  ports: readonly number[],
  isOver: () => boolean,
  figures: { kills: number; requests: number },
): Promise<void> {
  for (let turn = 0; !isOver() && (isFull || turn < 1); turn++) {
    const seen = figures.requests
    if (isFull) for (let second = 0; second < 20 && !isOver(); second++) await pause(1000)
    else while (figures.requests < seen + 30 && !isOver()) await pause(20)
    if (isOver()) return
    const places = isFull ? [turn % servers.length] : servers.map((_, place) => place)
    await Promise.all(places.map((place) => servers[place]?.kill('SIGKILL')))
    figures.kills += places.length
    if (!isFull) await letLeasesPass()
    await Promise.all(
      places.map(async (place) => {
        servers[place] = await deployment.start({ port: ports[place] ?? 0, environment })
      }),
    )
  }
}

/** As if the minutes and hours until the next attempts had passed. */
function letWaitsPass(): Promise<unknown> {
  return beside.database.transaction((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: new Date().toISOString() })
      .where('portal_id', '=', deployment.portal_id)
      .where('state', '=', 'retrying')
      .where('lease', 'is', null)
      .execute(),
  )
}

/** As if the lease of whoever was killed had run out: nobody is there to hold one. */
function letLeasesPass(): Promise<unknown> {
  return beside.database.transaction((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: new Date().toISOString(), lease: null })
      .where('portal_id', '=', deployment.portal_id)
      .where('lease', 'is not', null)
      .execute(),
  )
}
