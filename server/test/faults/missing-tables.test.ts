// Tables that are gone while the server runs, as while somebody restores them from a dump.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newPortal, startTestServer } from '../harness.ts'

test('503 with Retry-After while a table is away, and well again when it is back', async () => {
  const server = await startTestServer()
  const portal = await newPortal(server)
  const rename = (from: string, to: string) =>
    server.context.database.transaction((tx) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx),
    )
  const answers = async () => {
    const all = await Promise.all([
      portal.call('GET', 'businesses/'),
      portal.call('POST', 'businesses/', { body: portal.business() }),
    ])
    return all.map(({ status, headers }) => [status, headers.has('retry-after')])
  }
  const well = [
    [200, false],
    [201, false],
  ]
  expect(await answers()).toEqual(well)
  await rename('businesses', 'businesses_away')
  expect(await answers()).toEqual([
    [503, true],
    [503, true],
  ])
  await rename('businesses_away', 'businesses')
  await expect.poll(answers).toEqual(well)
  await server.stop()
})
