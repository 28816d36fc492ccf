// R15. The clock of the machine jumps ahead, comes back and jumps back, while the server runs and while it does not.
// Commands that are sent again are replayed, nothing expires, nothing is deleted, and what repeats goes on repeating.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { day, minute } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { type RunningServer, runJson, runPortico } from '../built-program.ts'
import { jsonHere } from '../command-here.ts'
import { engine, openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { freePort } from '../postgres-cluster.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { describeWithMovedClock, type MovedClock, newMovedClock, type Offset } from './moved-clock.ts'
import { faultTimeoutMs, isFull } from './scale.ts'
import { metric, type WhatTimeEnds, whatTimeEnds } from './what-time-ends.ts'

let deployment: Deployment
/** Beside the server, with the right time. */
let beside: Context
let clock: MovedClock
let server: RunningServer
let records: WhatTimeEnds

describeWithMovedClock('a clock that is moved', () => {
  beforeAll(async () => {
    deployment = await newDeployment({ files: 'directory' })
    beside = (await openTestContext(readConfig(deployment.environment))).context
    const caller = { context: beside, portal_id: deployment.portal_id, request_id: null }
    await beside.database.transaction((tx) => publishContract(tx, caller, shortContract))
    await jsonHere(['portal', 'set', deployment.portal_id, '--intake-expiry-days', '30'], deployment.environment)
    clock = newMovedClock()
    records = whatTimeEnds(deployment, beside, () => server)
  })
  afterAll(async () => {
    await beside.database.close()
    await deployment.remove()
    clock.remove()
  })

  test('while the server runs: every command is replayed, nothing expires or is deleted, and jobs keep their times', {
    timeout: faultTimeoutMs,
  }, async () => {
    const metricsPort = await freePort()
    server = await start({ PORTICO_METRICS_PORT: String(metricsPort) })
    const before = await records.fill()
    for (const offset of jumps) {
      clock.move(offset)
      const isAway = offset !== '+0'
      await expect.poll(() => metric(metricsPort, 'portico_clock_doubted'), { timeout: 20_000 }).toBe(isAway ? 1 : 0)
      if (isAway) await expect.poll(logged, { timeout: 20_000 }).toContain(sentence(offset))
      await records.runRepeatingJobs()
      expect(Math.max(...(await records.jobWaits()))).toBeLessThan(day + minute)
      await records.expectUnharmed(before)
      const { body } = await records.create({ key: randomUUID(), body: deployment.business() })
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
    const before = await records.fill()
    expect(await server.kill('SIGTERM')).toBe(0)
    await startAhead()
    await records.runRepeatingJobs()
    await records.expectUnharmed(before, { areCredentialsValid: engine === 'postgres' })
    expect(await server.kill('SIGTERM')).toBe(0)
    clock.move('+0')
    server = await start()
    await expect
      .poll(async () => Math.max(...(await records.jobWaits())), { timeout: 20_000 })
      .toBeLessThan(day + minute)
    await records.runRepeatingJobs()
    await records.expectUnharmed(before)
  })

  // On the server that has the right time again.
  test('an operator accepts a clock that is ahead: the server follows it, and expiry goes in steps', {
    timeout: faultTimeoutMs,
  }, async () => {
    const before = await records.fill()
    clock.move('+40d')
    await expect.poll(logged, { timeout: 20_000 }).toContain(sentence('+40d'))
    const accepted = await runJson(['clock', 'accept'], { ...deployment.environment, ...clock.environment })
    // PostgreSQL has a clock of its own, which has not jumped: there is nothing to accept.
    expect(Math.abs(accepted.difference_seconds - (engine === 'sqlite' ? 40 * 86_400 : 0))).toBeLessThan(60)
    if (engine === 'sqlite') {
      await expect.poll(logged, { timeout: 20_000 }).toContain('the clock was accepted')
      const { body } = await records.create({ key: randomUUID(), body: deployment.business() })
      expect(Date.parse(body.created_at) - Date.now()).toBeGreaterThan(39 * day)
    }
    await records.runRepeatingJobs()
    await records.expectUnharmed(before, { areCredentialsValid: engine === 'postgres' })
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
