// R15. The clock of the machine jumps ahead, comes back and jumps back, while the server runs and while it does not.
// Commands that are sent again are replayed, nothing expires, nothing is deleted, and what repeats goes on repeating.
import { hash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { deployment as owner } from '../../src/platform/background/jobs.ts'
import { day, minute } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { type RunningServer, runJson, runPortico } from '../built-program.ts'
import { engine, openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { type Deployment, newDeployment, quietPort, readAll, report } from './deployment.ts'
import { describeWithMovedClock, type MovedClock, newMovedClock, type Offset } from './moved-clock.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

let deployment: Deployment
/** Beside the server, with the right time. */
let beside: Context
let clock: MovedClock
let server: RunningServer

describeWithMovedClock('a clock that is moved', () => {
  beforeAll(async () => {
    deployment = await newDeployment()
    beside = (await openTestContext(readConfig(deployment.environment))).context
    const caller = { context: beside, portal_id: deployment.portal_id, request_id: null }
    await beside.database.transaction((tx) => publishContract(tx, caller, shortContract))
    await runPortico(['portal', 'set', deployment.portal_id, '--intake-expiry-days', '30'], deployment.environment)
    clock = newMovedClock()
  })
  afterAll(async () => {
    await beside.database.close()
    await deployment.remove()
    clock.remove()
  })

  test('while the server runs: every command is replayed, nothing expires or is deleted, and jobs keep their times', {
    timeout: faultTimeoutMs,
  }, async () => {
    const metricsPort = await quietPort()
    server = await start({ PORTICO_METRICS_PORT: String(metricsPort) })
    const before = await fill()
    for (const offset of jumps) {
      clock.move(offset)
      const isAway = offset !== '+0'
      await expect.poll(() => metric(metricsPort, 'portico_clock_doubted'), { timeout: 20_000 }).toBe(isAway ? 1 : 0)
      if (isAway) await expect.poll(logged, { timeout: 20_000 }).toContain(sentence(offset))
      await runRepeatingJobs()
      expect(Math.max(...(await jobWaits()))).toBeLessThan(day + minute)
      await expectUnharmed(before)
      const { body } = await create({ key: randomUUID(), body: deployment.business() })
      expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(minute)
      const { code, stdout } = await runPortico(['doctor', '--json'], {
        ...deployment.environment,
        ...clock.environment,
      })
      const { findings } = JSON.parse(stdout)
      const found = findings.find((finding: { check: string }) => finding.check === 'clock')
      expect([found.outcome, code]).toEqual(isAway ? ['problem', 1] : ['ok', 0])
    }
    expect(await metric(metricsPort, 'portico_clock_jumps_total')).toBe(
      jumps.filter((offset) => offset !== '+0').length,
    )
    report('R15 moved clock', { jumps: jumps.length, commands: before.commands.length, 'double runs': 0, expired: 0 })
    expect(await server.kill('SIGTERM')).toBe(0)
  })

  test('while the server is stopped: the next start doubts a clock that is ahead, and jobs come back when the clock does', {
    timeout: faultTimeoutMs,
  }, async () => {
    clock.move('+0')
    server = await start()
    const before = await fill()
    expect(await server.kill('SIGTERM')).toBe(0)
    await startAhead()
    await runRepeatingJobs()
    await expectUnharmed(before, { areCredentialsValid: engine === 'postgres' })
    expect(await server.kill('SIGTERM')).toBe(0)
    clock.move('+0')
    server = await start()
    await expect.poll(async () => Math.max(...(await jobWaits())), { timeout: 20_000 }).toBeLessThan(day + minute)
    await runRepeatingJobs()
    await expectUnharmed(before)
    expect(await server.kill('SIGTERM')).toBe(0)
  })

  test('an operator accepts a clock that is ahead: the server follows it, and expiry goes in steps', {
    timeout: faultTimeoutMs,
  }, async () => {
    clock.move('+0')
    server = await start()
    const before = await fill()
    clock.move('+40d')
    await expect.poll(logged, { timeout: 20_000 }).toContain(sentence('+40d'))
    const accepted = await runJson(['clock', 'accept'], { ...deployment.environment, ...clock.environment })
    // PostgreSQL has a clock of its own, which has not jumped: there is nothing to accept.
    expect(Math.abs(accepted.difference_seconds - (engine === 'sqlite' ? 40 * 86_400 : 0))).toBeLessThan(60)
    if (engine === 'sqlite') {
      await expect.poll(logged, { timeout: 20_000 }).toContain('the clock was accepted')
      const { body } = await create({ key: randomUUID(), body: deployment.business() })
      expect(Date.parse(body.created_at) - Date.now()).toBeGreaterThan(39 * day)
    }
    await runRepeatingJobs()
    await expectUnharmed(before, { areCredentialsValid: engine === 'postgres' })
    await server.kill('SIGKILL')
  })
})

const jumps: readonly Offset[] = isFull
  ? ['+40d', '+0', '-1d', '+0', '-1h', '+0', '+400d', '+0']
  : ['+40d', '+0', '-1d']

const start = (environment: Record<string, string> = {}) =>
  deployment.start({ environment: { ...clock.environment, ...environment } })

async function startAhead(): Promise<void> {
  clock.move('+40d')
  server = await start()
  const said = engine === 'sqlite' ? '40 days ahead of the time of the last run' : sentence('+40d')
  await expect.poll(logged, { timeout: 20_000 }).toContain(said)
}

const logged = () => server.output()

/** What the log says of a jump. */
function sentence(offset: Offset): string {
  const isAhead = offset.startsWith('+')
  const [, count = '', unit = ''] = /(\d+)(\w)/.exec(offset) ?? []
  const far = unit === 'h' ? '60 minutes' : count === '1' ? '24 hours' : `${count} days`
  if (engine === 'postgres') return `${far} ${isAhead ? 'ahead of' : 'behind'} the clock of the database`
  return `the clock jumped ${isAhead ? 'ahead' : 'back'} by ${far}`
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

interface Command {
  key: string
  body: Record<string, unknown>
}

interface Filled {
  commands: (Command & { id: string })[]
  applications: string[]
  uploads: { path: string; upload: { url: string; headers: Record<string, string> } }[]
  events: string[]
}

const create = ({ key, body }: Command) =>
  server.call('POST', 'businesses/', { key: deployment.key, body, headers: { 'idempotency-key': key } })
const read = async (path: string) => (await server.call('GET', path, { key: deployment.key })).body

/** Commands, and records that time ends: applications, and files whose bytes are still to come. */
async function fill(): Promise<Filled> {
  const filled: Filled = { commands: [], applications: [], uploads: [], events: [] }
  for (let n = 0; n < scale.jumpCommands; n++) {
    const command = { key: randomUUID(), body: deployment.business() }
    filled.commands.push({ ...command, id: (await create(command)).body.id })
  }
  const { key } = deployment
  for (const { id } of filled.commands.slice(0, 12)) {
    const { body } = await server.call('POST', 'client-intake-applications/', { key, body: { business_id: id } })
    filled.applications.push(`client-intake-applications/${body.id}/`)
  }
  for (const path of filled.applications.slice(0, 6)) {
    const { etag } = await read(path)
    const declared = { filename: 'a.csv', content_type: 'text/csv', size_bytes: content.length, sha256 }
    const { body } = await server.call('POST', `${path}files/`, {
      key,
      body: { question_key: 'bank_statements', ...declared },
      headers: { 'if-match': etag },
    })
    filled.uploads.push({ path: `${path}files/${body.id}/`, upload: body.upload })
  }
  filled.events = await eventIds()
  return filled
}

const content = Buffer.from('a,b\n1,2\n')
const sha256 = hash('sha256', content, 'hex')

async function eventIds(): Promise<string[]> {
  return (await readAll(server, deployment.key, 'events/?page_size=250')).map(({ id }) => id)
}

async function expectUnharmed(before: Filled, { areCredentialsValid = true } = {}): Promise<void> {
  for (const command of before.commands) {
    const again = await create(command)
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.id]).toEqual([201, 'true', command.id])
  }
  for (const path of before.applications) expect((await read(path)).state).toBe('in_progress')
  for (const { path } of before.uploads) expect((await read(path)).state).toMatch(/^(awaiting_upload|available)$/)
  const waiting = before.uploads.pop()
  if (waiting) {
    const url = waiting.upload.url.replace(/^https?:\/\/[^/]+/, server.origin)
    const { status } = await fetch(url, { method: 'PUT', headers: waiting.upload.headers, body: content })
    expect(status).toBe(areCredentialsValid ? 200 : 401)
  }
  expect(await eventIds()).toEqual(expect.arrayContaining(before.events))
}

/** How long each repeating job still waits, by the right time; nothing for one that runs. */
async function jobWaits(): Promise<number[]> {
  const rows = await beside.database.read.selectFrom('jobs').selectAll().where('portal_id', '=', owner).execute()
  return rows.map(({ run_at, lease }) => (lease === null ? Date.parse(run_at) - Date.now() : 0))
}

/** Lets every repeating job have its turn, as if its time had come. */
async function runRepeatingJobs(): Promise<void> {
  expect((await jobWaits()).length).toBeGreaterThan(5)
  await beside.database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ run_at: new Date(Date.now() - minute).toISOString() })
      .where('portal_id', '=', owner)
      .where('lease', 'is', null)
      .execute(),
  )
  await expect.poll(async () => Math.min(...(await jobWaits())), { timeout: 30_000 }).toBeGreaterThan(0)
}
