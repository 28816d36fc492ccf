// A demo Portal that is made while other processes do the background work of its database: they number its events, make
// deliveries of them and take its jobs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSecretKey, type RunningServer, runPortico, startServer } from './built-program.ts'
import { readAll } from './faults/deployment.ts'
import { makeDatabase, type TestDatabase } from './harness.ts'

let place: TestDatabase
let environment: Record<string, string>
let server: RunningServer
let other: RunningServer
beforeAll(async () => {
  place = await makeDatabase({ hasSchema: true })
  environment = { ...place.environment, PORTICO_SECRET_KEY: newSecretKey() }
  server = await startServer({ environment })
  other = await startServer({ environment })
})
afterAll(async () => {
  await server?.kill('SIGKILL')
  await other?.kill('SIGKILL')
  await place?.remove()
})

test('each demo is whole, with the same deliveries, and nothing of it is sent', async () => {
  const told: Record<string, number>[] = []
  for (let time = 0; time < 3; time++) {
    const { code, stdout, stderr } = await runPortico(['demo', '--json'], environment)
    expect([code, stderr]).toEqual([0, ''])
    const { key } = JSON.parse(stdout)
    const counts: Record<string, number> = {}
    for (const { id, description } of await readAll(server, key, 'webhooks/?page_size=100'))
      for (const { state } of await readAll(server, key, `webhooks/${id}/deliveries/?page_size=100`)) {
        const name = `${description}: ${state}`
        counts[name] = (counts[name] ?? 0) + 1
      }
    told.push(counts)
  }
  expect(told[0]).toMatchObject({ 'CRM: failed': 1, 'Alerts for the operations team: succeeded': 1 })
  expect(Object.keys(told[0] ?? {}).filter((name) => name.endsWith('pending'))).toEqual([])
  expect(told.slice(1)).toEqual([told[0], told[0]])
})
