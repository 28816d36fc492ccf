// R14. Servers are stopped and started one after the other while clients go on working. On PostgreSQL a second server
// takes over, behind a balancer that watches /readyz. On SQLite there is one server, so clients find the door closed
// for a moment and knock again; but whatever was let in is answered.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { engine } from '../harness.ts'
import { startBalancer } from './balancer.ts'
import { startBusyClients } from './busy-clients.ts'
import { type Deployment, newDeployment, readBusinessIds, report } from './deployment.ts'
import { createLoadClient, isRefused, type LoadRequest, type Reply } from './load-client.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

/** In the short form so long that a balancer on a busy machine sees it, too. */
const environment = { PORTICO_DRAIN_DELAY_MS: isFull ? '500' : '3000' }

let deployment: Deployment
let servers: RunningServer[]

beforeAll(async () => {
  deployment = await newDeployment()
  servers = await deployment.startAll(environment)
})
afterAll(() => deployment.remove())

test('no request fails while servers are restarted one after the other', { timeout: faultTimeoutMs }, async () => {
  const door = openDoor()
  const crowd = startBusyClients(deployment, door.send, clients)
  for (let restart = 0; restart < scale.restarts; restart++) {
    const place = restart % servers.length
    const server = servers[place]
    if (!server) throw new Error('a server is missing')
    await crowd.answeredMore(requestsBetweenRestarts)
    expect(await server.kill('SIGTERM')).toBe(0)
    servers[place] = await deployment.start({ port: server.port, environment })
    await door.untilReady(server.origin)
  }
  await crowd.answeredMore(requestsBetweenRestarts)
  const { failures, created, answered } = await crowd.finish()
  door.close()
  expect(failures).toEqual([])
  for (const server of servers)
    expect((await readBusinessIds(server, deployment.key)).sort()).toEqual([...created].sort())
  report('R14 rolling restart', {
    processes: servers.length,
    restarts: scale.restarts,
    answered,
    failed: failures.length,
    knocks: door.knocks(),
  })
})

interface Door {
  send(sent: LoadRequest): Promise<Reply>
  untilReady(origin: string): Promise<void>
  /** How often nobody was there. */
  knocks(): number
  close(): void
}

function openDoor(): Door {
  const settings = { key: deployment.key, sockets: clients }
  if (engine === 'postgres') {
    const balancer = startBalancer(
      servers.map(({ origin }) => origin),
      settings,
    )
    return { ...balancer, untilReady: (origin) => balancer.until(origin, true), knocks: () => 0 }
  }
  const client = createLoadClient(servers[0]?.origin ?? '', settings)
  let knocks = 0
  const send = async (sent: LoadRequest): Promise<Reply> => {
    for (;;) {
      try {
        return await client.send(sent)
      } catch (error) {
        if (!isRefused(error)) throw error
        knocks++
        await new Promise((resolve) => setTimeout(resolve, clientPauseMs))
      }
    }
  }
  return { send, untilReady: async () => undefined, knocks: () => knocks, close: client.close }
}

const clients = 8
const requestsBetweenRestarts = 40
/** Between a client's attempts to be let in. */
const clientPauseMs = 20
