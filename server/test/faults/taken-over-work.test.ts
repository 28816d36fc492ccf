// Work of a worker that died, stood still or had the wrong time, seen from a provider that Autofill asks: it is asked again
// for a run whose worker is gone, and never twice for one whose worker is there.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { setProvider } from '../../src/building-blocks/autofill/provider-setting.ts'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { minute } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { describeOn, openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { type Deployment, newDeployment, readAll, report } from './deployment.ts'
import { describeWithMovedClock, newMovedClock } from './moved-clock.ts'
import { faultTimeoutMs, isFull } from './scale.ts'

/** Every question that anything may fill may be filled by the provider. */
const contract = {
  ...shortContract,
  questions: shortContract.questions.map((question) =>
    'autofill' in question ? { ...question, autofill: { sources: ['provider'] } } : question,
  ),
}

let deployment: Deployment
let beside: Context
/** The one that was started last with the right time, which the next test goes on with. */
let server: RunningServer
/** Answers that the provider still owes, and whether it answers at once. */
const provider = { asked: 0, isHolding: false, owed: [] as ServerResponse[] }
const http = createServer((request, response) => {
  request.resume().on('end', () => {
    provider.asked++
    provider.owed.push(response)
    if (!provider.isHolding) answerAll()
  })
})

function answerAll(): void {
  const body = JSON.stringify({ facts: [{ fact: 'business.legal_name', value: 'Lee Bakery LLC', confidence: 0.9 }] })
  for (const response of provider.owed.splice(0))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

beforeAll(async () => {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  // safe because a server that listens on a port has such an address
  const { port } = http.address() as AddressInfo
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
  const { portal_id } = deployment
  await beside.database.transaction(async (tx) => {
    await publishContract(tx, { context: beside, portal_id, request_id: null }, contract)
    await setProvider(tx, beside, portal_id, `http://127.0.0.1:${port}/facts`)
  })
})
afterAll(async () => {
  http.closeAllConnections()
  http.close()
  await beside.database.close()
  await deployment.remove()
})
beforeEach(() => {
  Object.assign(provider, { asked: 0, isHolding: true })
})

const start = (environment: Record<string, string> = {}) =>
  deployment.start({ environment: { PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true', ...environment } })

test('the Autofill run of a killed worker is taken over within 90 s; then another run can be started', {
  timeout: faultTimeoutMs,
}, async () => {
  const killed = await start()
  const run = await beginRun(killed)
  await asked(1)
  await killed.kill('SIGKILL')
  const begin = performance.now()
  provider.isHolding = false
  server = await start()
  const other = await server.call('POST', run.autofill, { key: deployment.key, body: {} })
  expect([other.status, other.body.code]).toEqual([409, 'operation_in_progress'])
  await letLeaseRunOut()
  await completed(server, run.path)
  const takenOverMs = performance.now() - begin
  expect(takenOverMs).toBeLessThan(90_000)
  const next = await server.call('POST', run.autofill, { key: deployment.key, body: {} })
  expect(next.status).toBe(202)
  await completed(server, pathOf(next.body))
  report('killed worker', { 'taken over after ms': Math.round(takenOverMs), 'waited for the lease': String(isFull) })
})

describeOn('postgres')('workers on several machines', () => {
  test('a worker that stood still while another took its work over changes nothing when it goes on', {
    timeout: faultTimeoutMs,
  }, async () => {
    const paused = server
    const run = await beginRun(paused)
    await asked(1)
    const goOn = await paused.stop()
    const [held] = provider.owed.splice(0)
    provider.isHolding = false
    server = await start()
    await letLeaseRunOut()
    await completed(server, run.path)
    const before = await stateOf(server, run)
    held?.writeHead(200, { 'content-type': 'application/json' }).end('{"facts":[]}')
    goOn()
    await expect.poll(() => paused.output(), { timeout: 60_000 }).toContain('another worker has taken this job over')
    expect(await stateOf(server, run)).toEqual(before)
    await paused.kill('SIGTERM')
  })

  describeWithMovedClock('with different clocks', () => {
    for (const offset of ['+10m', '-10m'] as const)
      test(`a worker whose clock is off by ${offset} runs nothing a second time, and work does not wait for it`, {
        timeout: faultTimeoutMs,
      }, async () => {
        const clock = newMovedClock(offset)
        const servers = [server, await start(clock.environment)]
        const runs = await Promise.all(Array.from({ length: 6 }, (_, n) => beginRun(servers[n % 2] ?? servers[0])))
        await asked(6)
        // Long enough for either to look again, and much shorter than the provider is waited for.
        await new Promise((resolve) => setTimeout(resolve, isFull ? 4000 : 2500))
        expect(provider.asked).toBe(6)
        provider.isHolding = false
        answerAll()
        for (const { path } of runs) await completed(servers[0], path)
        expect(provider.asked).toBe(6)
        await servers[1]?.kill('SIGTERM')
        clock.remove()
      })
  })
})

interface Run {
  application: string
  autofill: string
  path: string
}

async function beginRun(server: RunningServer | undefined): Promise<Run> {
  if (!server) throw new Error('there is no server')
  const { key } = deployment
  const business = await server.call('POST', 'businesses/', { key, body: deployment.business() })
  const made = await server.call('POST', 'client-intake-applications/', {
    key,
    body: { business_id: business.body.id },
  })
  const application = `client-intake-applications/${made.body.id}/`
  const autofill = `${application}autofill/`
  const { status, body, text } = await server.call('POST', autofill, { key, body: { sources: ['provider'] } })
  if (status !== 202) throw new Error(text)
  return { application, autofill, path: pathOf(body) }
}

/** Addresses carry the deployment's public address. */
function pathOf({ url }: { url: string }): string {
  return url.replace(/^.*\/v1\//, '')
}

const asked = (count: number) => expect.poll(() => provider.asked, { timeout: 30_000 }).toBe(count)

async function completed(server: RunningServer | undefined, path: string): Promise<void> {
  const state = async () => (await server?.call('GET', path, { key: deployment.key }))?.body.state
  await expect.poll(state, { timeout: isFull ? 2 * minute : 30_000, interval: 100 }).toBe('completed')
}

/** The run, its application, and how often its end was told. */
async function stateOf(server: RunningServer, { application, path }: Run) {
  const { key } = deployment
  const events = await readAll(server, key, 'events/?page_size=250&type=client_intake_application.autofill_completed')
  const of = async (address: string) => (await server.call('GET', address, { key })).body
  return { run: await of(path), application: await of(application), told: events.length }
}

/** In the short form, as if the minute of the lease had passed. */
async function letLeaseRunOut(): Promise<void> {
  if (isFull) return
  const { database, clock } = beside
  await database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ run_at: database.timeIn(clock, 0) })
      .where('kind', '=', 'autofill.run')
      .where('lease', 'is not', null)
      .execute(),
  )
}
