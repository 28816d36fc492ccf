// R17. Requests in one pipeline whose answers nobody reads: they wait their turn, and their connection is read no further.
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { engine } from '../harness.ts'
import { freePort } from '../postgres-cluster.ts'
import { type Deployment, newDeployment, report, residentBytes } from './deployment.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

let deployment: Deployment
let server: RunningServer
let metricsPort: number

beforeEach(async () => {
  deployment = await newDeployment()
  metricsPort = await freePort()
  server = await deployment.start({ environment: { PORTICO_METRICS_PORT: String(metricsPort) } })
  for (let i = 0; i < 20; i++)
    await server.call('POST', 'businesses/', {
      key: deployment.key,
      body: deployment.business({ metadata: { filler: 'x'.repeat(500) } }),
    })
})
afterEach(() => deployment.remove())

interface Target {
  name: string
  port(): number
  request(): string
}
const listener = () => server.port
const targets: readonly Target[] = [
  {
    name: 'the public document, without a key',
    port: listener,
    request: () => 'GET /docs/generated/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n',
  },
  { name: 'an address that is not there', port: listener, request: () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' },
  {
    name: 'a list, with a key',
    port: listener,
    request: () => `GET /v1/businesses/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${deployment.key}\r\n\r\n`,
  },
  {
    name: 'a transfer without a credential',
    port: listener,
    request: () => 'GET /transfers/fil_x HTTP/1.1\r\nHost: x\r\n\r\n',
  },
  { name: 'the metrics', port: () => metricsPort, request: () => 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' },
]
// Only a list asks the database.
const struck = targets.filter(({ name }) => engine === 'sqlite' || name === 'a list, with a key')
/** The short form strikes all of them at once: together they may take no more than each of them alone. */
const strikes: [name: string, readonly Target[]][] = isFull
  ? struck.map((target) => [target.name, [target]])
  : [[struck.map(({ name }) => name).join('; '), struck]]

test.each(strikes)(
  '2,000 unread requests on each connection take at most 200 MB, others are served, and it recovers: %s',
  {
    timeout: faultTimeoutMs,
  },
  async (name, together) => {
    const others = async () => {
      const answer = await server.call('GET', 'businesses/?page_size=1', { key: deployment.key })
      expect(answer.status).toBe(200)
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200)
      return residentBytes(server.pid, 'VmHWM')
    }
    let before = 0
    // What it makes once and keeps is there before anybody counts.
    for (const { port, request } of together) (await dial(port())).resume().end(request())
    for (let i = 0; i < 20; i++) before = Math.max(before, await others())

    // In turns: whoever is cut off because others wait already has somebody of its own kind among them.
    const attackers: { socket: Socket; bytes: Buffer }[] = []
    for (let n = 0; n < scale.unreadConnections; n++)
      for (const { port, request } of together)
        attackers.push({ socket: await dial(port()), bytes: Buffer.from(request().repeat(2000)) })
    for (const { socket, bytes } of attackers) socket.write(bytes)
    let most = 0
    for (let i = 0; i < 100; i++) most = Math.max(most, await others())
    for (const { socket } of attackers) socket.destroy()
    const growth = (most - before) / 1e6
    report(`R17 unread answers of ${name}`, { connections: attackers.length, 'MB more': Math.round(growth) })
    expect(growth).toBeLessThan(200)
    await others()
  },
)

function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.pause()))
    // To be cut off is one of the fair ends of this.
    socket.on('error', reject)
  })
}
