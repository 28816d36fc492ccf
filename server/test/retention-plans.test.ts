// How retention finds what is due: of many records it reads the few that have ended, and goes through values in steps.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  hasOldValues,
  listArchived,
  listEndedIntake,
  stretchesOf,
} from '../src/building-blocks/peoples-data/retention-queries.ts'
import { day, isoTime } from '../src/platform/clock.ts'
import type { Connection } from '../src/platform/database/database.ts'
import { newIntake } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId, rowCount, secondsAfter, spread } from './many-rows.ts'
import { expectFound, queriesSent, refreshPlans } from './query-plans.ts'

let server: TestServer
let portal: TestPortal
/** The oldest copies are of this time, the others a second apart. */
const began = isoTime(Date.now() - 400 * day)
const [before, never] = [isoTime(Date.now()), isoTime(0)]

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  const intake = await newIntake(portal)
  const run = await portal.call('POST', `${intake.url}autofill/`, { body: { sources: ['business'] } })
  const created_at = secondsAfter(began)
  const copies = { created_at, state_changed_at: created_at }
  await copyRows(server.context, 'businesses', intake.business_id, {
    ...copies,
    id: numberedId('biz'),
    external_reference: sql`'ref-' || cast(n as text)`,
    state: spread('archived', 'active', 'active', 'active'),
  })
  await copyRows(server.context, 'client_intake_applications', intake.id, {
    ...copies,
    id: numberedId('cia'),
    state: spread('rejected', 'withdrawn', 'submitted', 'accepted'),
  })
  await copyRows(server.context, 'autofill_runs', run.body.id, { ...copies, id: numberedId('afr') })
  await refreshPlans(server)
})
afterAll(() => server.stop())

type Work = (db: Connection) => Promise<unknown>
test.each<[name: string, columns: string[], work: Work]>([
  ['archived businesses', [], (db) => listArchived(db, portal.id, before, undefined)],
  ['the next archived businesses', [], (db) => listArchived(db, portal.id, before, { created_at: began, id: 'biz_' })],
  [
    'rejected applications',
    ['state'],
    (db) => listEndedIntake(db, portal.id, { state: 'rejected', before, after: undefined }),
  ],
  [
    'the next withdrawn applications',
    ['state'],
    (db) => listEndedIntake(db, portal.id, { state: 'withdrawn', before, after: { created_at: began, id: 'cia_' } }),
  ],
])('%s are found among many others', async (name, columns, work) => {
  const { database } = server.context
  const queries = await queriesSent(database.within(portal.id).read, async (db) =>
    expect(await work(db)).toHaveLength(name.includes('withdrawn') ? 40 : 60),
  )
  expect(queries).toHaveLength(1)
  for (const query of queries) await expectFound(database.within(portal.id), query, columns, name)
})

test('all runs of Autofill are gone through in steps that each read a bounded number of rows', async () => {
  const { database } = server.context
  let steps = 0
  const queries = await queriesSent(database.within(portal.id).read, async (db) => {
    for await (const stretch of stretchesOf(db, 'autofill_runs', portal.id)) {
      steps++
      expect(await hasOldValues(db, 'autofill_runs', stretch, never)).toBe(false)
    }
  })
  expect(steps).toBeGreaterThanOrEqual(rowCount / 500)
  expect(queries).toHaveLength(2 * steps)
  for (const query of queries) await expectFound(database.within(portal.id), query, [], query.sql)
})
