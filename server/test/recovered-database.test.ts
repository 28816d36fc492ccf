// What is left to do when PostgreSQL, or the file of SQLite, was put back to an earlier state by other tools.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { watchNumbers } from '../src/platform/background/given-numbers.ts'
import { createProbes } from '../src/platform/http/probes.ts'
import { addReadyMetric } from '../src/platform/http/ready-metric.ts'
import { createLogger } from '../src/platform/logging.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { newId } from '../src/platform/values/ids.ts'
import { environmentOf } from './built-program.ts'
import { jsonHere } from './command-here.ts'
import { newPortal, startTestServer, type TestPortal } from './harness.ts'

const server = await startTestServer()
const { context } = server
const environment = environmentOf(server.context.config)

test('a receiver that has seen numbers of events that are lost misses none that come after the recovery', async () => {
  const portal = await newPortal(server)
  await portal.call('POST', 'businesses/', { body: portal.business() })
  const before = (await eventsAfter(portal, 0)).at(-1).sequence
  const recover = async () => {
    const { portals } = await jsonHere(['database', 'recovered'], environment)
    expect(portals).toBeGreaterThanOrEqual(1)
    const { id } = (await portal.call('POST', 'businesses/', { body: portal.business() })).body
    const event = (await eventsAfter(portal, before)).at(-1)
    expect(event).toMatchObject({ type: 'business.created', data: { resource: { id } } })
    return event.sequence
  }
  // Recovered again to the same state, after numbers were given: these, too, are known to receivers.
  const first = await recover()
  await context.database.transaction((tx) =>
    tx.updateTable('portals').set({ last_sequence: before }).where('portal_id', '=', portal.id).execute(),
  )
  server.clock.advance(1000)
  // Run twice in a row, it does not run ahead of the time that the next one goes by.
  await jsonHere(['database', 'recovered'], environment)
  const second = await recover()
  expect(first).toBeGreaterThan(before + 500_000)
  expect(second).toBeGreaterThan(first)
  const noted = await portal.call('GET', 'audit-log/?action=portal.restored')
  expect(noted.body.items.length).toBe(3)
  expect(noted.body.items[0]).toMatchObject({ resource: { id: portal.id }, actor: { kind: 'command_line' } })
})

test('businesses that were erased since are erased again before anybody is served', async () => {
  const portal = await newPortal(server)
  const { id: business_id, url } = (await portal.call('POST', 'businesses/', { body: portal.business() })).body
  const list = join(context.config.data_dir, 'collected.jsonl')
  const scope = { recipients: false, funded: false }
  const entry = { portal_id: portal.id, business_id, erasure_id: newId('ers'), at: '2026-01-31T12:00:00.000Z', scope }
  writeFileSync(list, `${JSON.stringify(entry)}\n`)
  const { erasures } = await jsonHere(['database', 'recovered', '--erasures', list], environment)
  expect(erasures.applied).toBe(1)
  expect((await portal.call('GET', url)).status).toBe(404)
})

test('a database that went back while a process ran is a warning of its readiness, in its log and in its metrics, until it is started again', async () => {
  const portal = await newPortal(server)
  await portal.call('POST', 'businesses/', { body: portal.business() })
  const before = (await eventsAfter(portal, 0)).at(-1).sequence
  const last = (last_sequence: number) =>
    context.database.transaction((tx) =>
      tx.updateTable('portals').set({ last_sequence }).where('portal_id', '=', portal.id).execute(),
    )
  const lines: string[] = []
  const log = createLogger(context.config, (line) => lines.push(line))
  const probes = createProbes({ ...context, log }, jobs, () => false)
  const metrics = createMetrics()
  addReadyMetric(context, metrics.registry, probes)
  const gauge = async () => /^portico_database_went_back (.)$/m.exec(await metrics.registry.metrics())?.[1]
  await expect.poll(gauge).toBe('0')
  await last(before - 1)
  await expect.poll(gauge).toBe('1')
  const { status, warnings } = JSON.parse(await probes.readiness())
  expect([status, warnings[0].code, warnings[0].message]).toEqual([
    'ready',
    'database_went_back',
    expect.stringContaining('run `portico database recovered`'),
  ])
  // What was given out twice stays so.
  await last(before + 1_000_000)
  const isStillTold = watchNumbers(context)
  expect([await gauge(), await isStillTold()]).toEqual(['1', false])
  expect(lines.filter((line) => line.includes('older than it was'))).toHaveLength(1)
})

async function eventsAfter(portal: TestPortal, sequence: number) {
  const { body } = await portal.call('GET', `events/?order=sequence&sequence_after=${sequence}&page_size=100`)
  return body.items
}
