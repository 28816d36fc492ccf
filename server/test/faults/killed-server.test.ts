// R1 and R8. Writers send each command until it is acknowledged, with one Idempotency-Key, while the server is killed
// under them again and again: records are made, changed and brought from state to state. In the end each command was run
// once, and the events tell of every change that was acknowledged, in its order, and of nothing else.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { freePort } from '../postgres-cluster.ts'
import { type Deployment, median, newDeployment, readAll, report } from './deployment.ts'
import { createLoadClient, type LoadClient, type LoadRequest, type Reply } from './load-client.ts'
import { sendPatiently, startCrowd } from './patient-writers.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'
import { createSeededRandom } from './seeded-random.ts'

let deployment: Deployment

beforeAll(async () => {
  deployment = await newDeployment()
  const { context } = await openTestContext(readConfig(deployment.environment))
  const caller = { context, portal_id: deployment.portal_id, request_id: null }
  await context.database.transaction((tx) => publishContract(tx, caller, shortContract))
  await context.database.close()
})
afterAll(() => deployment.remove())

/** What was acknowledged of a record. */
interface Story {
  id: string
  /** The types of the events that are due, in order. */
  told: string[]
  /** The tag of its last version. */
  etag: string
  state: string
}

test('no acknowledged write is lost or doubled by kill -9, and changes, events and audit entries stay equal', {
  timeout: 2 * faultTimeoutMs,
}, async () => {
  const port = await freePort()
  let server: RunningServer = await deployment.start({ port })
  const client = createLoadClient(server.origin, { key: deployment.key, sockets: scale.killWriters })
  onTestFinished(() => client.close())
  const { crowd, figures, businesses, applications, acknowledged } = startWriters(client)
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
  await crowd.finish()

  await expectRecords(server, 'businesses/?page_size=100', businesses)
  await expectRecords(server, 'client-intake-applications/?page_size=100', applications)
  await expectEvents(server, [...businesses, ...applications])
  await expectEntries(server, [...businesses, ...applications])
  for (const { request, reply } of acknowledged.slice(-scale.killWriters)) {
    const again = await client.send(request)
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([reply.status, 'true', reply.text])
  }
  report('R1 and R8 killed server', {
    kills: scale.kills,
    acknowledged: acknowledged.length,
    records: businesses.length + applications.length,
    ...figures,
    'median ms to ready': Math.round(median(readyAfterMs)),
    'longest ms': Math.round(Math.max(...readyAfterMs)),
  })
  expect(figures.retries).toBeGreaterThan(0)
  if (isFull) expect(Math.max(...readyAfterMs)).toBeLessThanOrEqual(3000)
})

function startWriters(client: LoadClient) {
  const businesses: Story[] = []
  const applications: Story[] = []
  const acknowledged: { request: LoadRequest; reply: Reply }[] = []
  const figures = { retries: 0, replays: 0 }
  const crowd = startCrowd(scale.killWriters, async (writer, round, told) => {
    /** A command, and what it leads to. A refusal is none: nobody else writes these records. */
    const command = async (method: string, path: string, body?: unknown, etag?: string) => {
      const headers = { 'idempotency-key': randomUUID(), ...(etag !== undefined && { 'if-match': etag }) }
      const request = { method, path: `/v1/${path}`, headers, body }
      const reply = await sendPatiently(client, request, figures)
      if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.text}`)
      acknowledged.push({ request, reply })
      told()
      return JSON.parse(reply.text)
    }
    const create = async (type: string, path: string, body: unknown, stories: Story[]) => {
      const { id, etag, state } = await command('POST', path, body)
      const story = { id, etag, state, told: [`${type}.created`] }
      stories.push(story)
      const change = async (event: string, method: string, more: string, changes?: unknown) => {
        const record = await command(method, `${path}${id}/${more}`, changes, story.etag)
        Object.assign(story, { etag: record.etag, state: record.state })
        story.told.push(`${type}.${event}`)
      }
      return { id, change }
    }
    const reference = round % 2 === 0 ? { external_reference: `${writer}-${round}` } : {}
    const { id, change } = await create('business', 'businesses/', deployment.business(reference), businesses)
    await change('updated', 'PATCH', '', { trading_name: `Round ${round}` })
    await change('archived', 'POST', 'archive/')
    await change('restored', 'POST', 'restore/')
    const application = await create(
      'client_intake_application',
      'client-intake-applications/',
      { business_id: id },
      applications,
    )
    await application.change('withdrawn', 'POST', 'withdraw/')
  })
  return { crowd, figures, businesses, applications, acknowledged }
}

/** Each record that was acknowledged is there once, as it was acknowledged last. */
async function expectRecords(server: RunningServer, path: string, stories: readonly Story[]): Promise<void> {
  const records = await readAll(server, deployment.key, path)
  const show = ({ id, etag, state }: { id?: string; etag?: string; state?: string }) => `${id} ${etag} ${state}`
  expect(records.map(show).sort()).toEqual(stories.map(show).sort())
}

/** Each change that was acknowledged has its event, in order, and each event its change. */
async function expectEvents(server: RunningServer, stories: readonly Story[]): Promise<void> {
  const told = new Map<string, string[]>()
  const events = await readAll(server, deployment.key, 'events/?order=sequence&page_size=250')
  for (const [index, { sequence, type, data }] of events.entries()) {
    expect(sequence).toBe(index + 1)
    const { id, version } = data.resource
    const own = told.get(id) ?? []
    expect(version, `${id} ${type}`).toBe(own.length + 1)
    told.set(id, [...own, type])
  }
  expect([...told].sort()).toEqual(stories.map(({ id, told }): [string, string[]] => [id, told]).sort())
}

/** Each change that was acknowledged has its entry in the audit log, each entry its change, and the chain is whole. */
async function expectEntries(server: RunningServer, stories: readonly Story[]): Promise<void> {
  const told = new Map<string, string[]>(stories.map(({ id }) => [id, []]))
  const entries = await readAll(server, deployment.key, 'audit-log/?order=sequence&page_size=250')
  for (const [index, { sequence, previous_hash, action, actor, resource }] of entries.entries()) {
    expect([sequence, previous_hash]).toEqual([index + 1, entries[index - 1]?.hash ?? '0'.repeat(64)])
    // What was set up before is by the command line.
    if (actor.kind !== 'command_line') told.set(resource.id, [...(told.get(resource.id) ?? []), action])
  }
  expect([...told].sort()).toEqual(stories.map(({ id, told }): [string, string[]] => [id, told]).sort())
}
