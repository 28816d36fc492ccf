// R1 and R8. Writers send each command until it is acknowledged, with one Idempotency-Key, while the server is killed
// under them again and again. In the end there is one business for each command and one event for each business.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import {
  type Deployment,
  median,
  newDeployment,
  quietPort,
  readBusinessIds,
  readCreatedIds,
  report,
} from './deployment.ts'
import { createLoadClient, idOf, type LoadClient } from './load-client.ts'
import { sendPatiently, startCrowd } from './patient-writers.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'
import { createSeededRandom } from './seeded-random.ts'

let deployment: Deployment

beforeAll(async () => {
  deployment = await newDeployment()
})
afterAll(() => deployment.remove())

interface Command {
  key: string
  body: Record<string, unknown>
  id: string
}

test('no acknowledged write is lost or doubled by kill -9, and changes and events stay equal', {
  timeout: faultTimeoutMs,
}, async () => {
  const port = await quietPort()
  let server: RunningServer = await deployment.start({ port })
  const client = createLoadClient(server.origin, { key: deployment.key, sockets: scale.killWriters })
  const crowd = startWriters(client)
  const random = createSeededRandom(1)
  const readyAfterMs: number[] = []
  for (let kill = 0; kill < scale.kills; kill++) {
    // Counted from acknowledgements, the moment of the kill is anywhere in the work of all other writers.
    await crowd.acknowledgedMore(1 + random.below(3 * scale.killWriters))
    await server.kill('SIGKILL')
    const startedAt = performance.now()
    server = await deployment.start({ port })
    readyAfterMs.push(performance.now() - startedAt)
  }
  const commands = await crowd.finish()

  const acknowledged = commands.map(({ id }) => id).sort()
  const businesses = (await readBusinessIds(server, deployment.key)).sort()
  expect(businesses).toEqual(acknowledged)
  expect((await readCreatedIds(server, deployment.key)).sort()).toEqual(businesses)
  for (const command of commands.slice(-scale.killWriters)) {
    const again = await client.send(create(command))
    expect([again.status, again.headers['idempotent-replayed'], idOf(again)]).toEqual([201, 'true', command.id])
  }
  client.close()
  report('R1 killed server', {
    kills: scale.kills,
    acknowledged: acknowledged.length,
    ...crowd.figures,
    'median ms to ready': Math.round(median(readyAfterMs)),
    'longest ms': Math.round(Math.max(...readyAfterMs)),
  })
  expect(crowd.figures.retries).toBeGreaterThan(0)
  if (isFull) expect(Math.max(...readyAfterMs)).toBeLessThanOrEqual(3000)
})

function startWriters(client: LoadClient) {
  const commands: Command[] = []
  const figures = { retries: 0, replays: 0 }
  const crowd = startCrowd(scale.killWriters, async (writer, round, acknowledged) => {
    const reference = round % 2 === 0 ? { external_reference: `${writer}-${round}` } : {}
    const command = { key: randomUUID(), body: deployment.business(reference) }
    const reply = await sendPatiently(client, create(command), figures)
    if (reply.status !== 201) throw new Error(`a write was answered ${reply.status}: ${reply.text}`)
    commands.push({ ...command, id: idOf(reply) })
    acknowledged()
  })
  return {
    figures,
    acknowledgedMore: crowd.acknowledgedMore,
    async finish(): Promise<Command[]> {
      await crowd.finish()
      return commands
    },
  }
}

function create({ key, body }: Omit<Command, 'id'>) {
  return { method: 'POST', path: '/v1/businesses/', headers: { 'idempotency-key': key }, body }
}
