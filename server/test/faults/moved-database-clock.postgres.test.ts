// R15 where the clock of PostgreSQL itself jumps, on a cluster of its own: all processes have their time from it. What is
// sent again is replayed, nothing expires, events are delivered meanwhile, and what was scheduled by the wrong clock comes
// back with it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { findKeptTime } from '../../src/platform/background/kept-time.ts'
import { day, hour, minute } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { freePort, type PostgresCluster, startPostgresCluster } from '../postgres-cluster.ts'
import { type Sink, startSink } from '../webhook-sink.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { describeWithMovedClock, type MovedClock, newMovedClock } from './moved-clock.ts'
import { faultTimeoutMs } from './scale.ts'
import { metric, whatTimeEnds } from './what-time-ends.ts'

describeWithMovedClock('a clock of PostgreSQL that is moved', () => {
  let clock: MovedClock
  let cluster: PostgresCluster
  let deployment: Deployment
  let beside: Context
  let server: RunningServer
  let sink: Sink
  beforeAll(async () => {
    clock = newMovedClock()
    cluster = (await startPostgresCluster([], clock.environment)) ?? expect.fail('there is no PostgreSQL here')
    const environment = { PORTICO_DATABASE_URL: cluster.url }
    deployment = await newDeployment({ place: { environment, remove: async () => cluster.stop() }, files: 'directory' })
    beside = (await openTestContext(readConfig(deployment.environment))).context
    const caller = { context: beside, portal_id: deployment.portal_id, request_id: null }
    await beside.database.transaction((tx) => publishContract(tx, caller, shortContract))
    sink = await startSink()
  })
  afterAll(async () => {
    await sink.close()
    await beside.database.close()
    clock.move('+0')
    await deployment.remove()
    clock.remove()
  })

  test('ahead by 40 days and back: commands are replayed, nothing expires, events arrive, and what waits comes back', {
    timeout: 2 * faultTimeoutMs,
  }, async () => {
    const metricsPort = await freePort()
    server = await deployment.start({
      environment: { PORTICO_METRICS_PORT: String(metricsPort), PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' },
    })
    const records = whatTimeEnds(deployment, beside, () => server)
    const before = await records.fill()
    const { key } = deployment
    const { body: webhook } = await server.call('POST', 'webhooks/', {
      key,
      body: { url: sink.url, event_types: ['business.created'] },
    })
    const state = async () => (await server.call('GET', `webhooks/${webhook.id}/`, { key })).body.state
    await expect.poll(state, { timeout: 30_000 }).toBe('active')
    const deliveryOf = async (id: string) => {
      const { items } = (await server.call('GET', `webhooks/${webhook.id}/deliveries/?page_size=250`, { key })).body
      const [event] = (await server.call('GET', `events/?resource_id=${id}`, { key })).body.items
      return items.find((one: { event_id: string }) => one.event_id === event.id)
    }
    const doubted = (value: number) =>
      expect.poll(() => metric(metricsPort, 'portico_clock_doubted'), { timeout: 30_000 }).toBe(value)
    const makeBusiness = async () =>
      (await server.call('POST', 'businesses/', { key, body: deployment.business() })).body

    clock.move('+40d')
    await doubted(1)
    await expect.poll(() => server.output(), { timeout: 30_000 }).toContain('the clock jumped ahead by 40 days')
    await expect
      .poll(() => findKeptTime(beside), { timeout: 30_000 })
      .toMatchObject({ difference_ms: expect.any(Number) })
    await records.runRepeatingJobs()
    await records.expectUnharmed(before)
    // Its receiver fails, and the next attempt is scheduled by the wrong clock.
    sink.answer = (response) => response.writeHead(500).end()
    const { id, created_at } = await makeBusiness()
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(minute)
    await expect.poll(async () => (await deliveryOf(id))?.state, { timeout: 30_000 }).toBe('retrying')
    const waiting = await deliveryOf(id)
    expect(Math.abs(Date.parse(waiting.created_at) - Date.now())).toBeLessThan(minute)
    expect(Date.parse(waiting.next_attempt_at) - Date.now()).toBeGreaterThan(39 * day)

    clock.move('+0')
    await doubted(0)
    const nextAttempt = async () => Date.parse((await deliveryOf(id)).next_attempt_at ?? 0) - Date.now()
    await expect.poll(nextAttempt, { timeout: 30_000 }).toBeLessThan(hour)
    sink.answer = (response) => response.end()
    const after = await makeBusiness()
    await expect.poll(async () => (await deliveryOf(after.id))?.state, { timeout: 30_000 }).toBe('succeeded')
    await expect
      .poll(async () => Math.max(...(await records.jobWaits())), { timeout: 30_000 })
      .toBeLessThan(day + minute)
    await records.runRepeatingJobs()
    await records.expectUnharmed(before)
    report('R15 moved clock of PostgreSQL', { commands: before.commands.length, 'double runs': 0, expired: 0 })
    expect(await server.kill('SIGTERM')).toBe(0)
  })
})
