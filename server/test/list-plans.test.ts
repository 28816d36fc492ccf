// How lists are found by a filter and between times: of many records, those that the filter leaves are read.
import { sql } from 'kysely'
import { afterAll, beforeAll, test } from 'vitest'
import { day, isoTime } from '../src/platform/clock.ts'
import { newIntake } from './fixtures.ts'
import { newProject } from './funding-fixtures.ts'
import { newLeadSource, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId, secondsAfter, spread } from './many-rows.ts'
import { expectDeepPagesFound, expectFound, expectPagesFound, queriesOf, refreshPlans } from './query-plans.ts'

let server: TestServer
let portal: TestPortal
const few = { lead_source_id: '', business_id: '' }

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  const { context } = server
  const intake = await newIntake(portal)
  const project = await newProject(portal)
  few.lead_source_id = await newLeadSource(portal.caller)
  few.business_id = intake.business_id
  const created_at = secondsAfter(isoTime(Date.now() - 400 * day))
  const { body: others } = await portal.call('POST', 'businesses/', { body: portal.business() })
  const business_id = spread(few.business_id, few.business_id, others.id, others.id)
  await copyRows(context, 'businesses', others.id, {
    created_at,
    id: numberedId('biz'),
    external_reference: sql`'ref-' || cast(n as text)`,
    country: spread('DE', 'FR', 'US', 'GB'),
    lead_source_id: spread(few.lead_source_id, few.lead_source_id, portal.lead_source_id, portal.lead_source_id),
  })
  await copyRows(context, 'client_intake_applications', intake.id, {
    created_at,
    business_id,
    id: numberedId('cia'),
    state: spread('rejected', 'withdrawn', 'submitted', 'accepted'),
  })
  await copyRows(context, 'projects', project.id, { created_at, business_id, id: numberedId('prj') })
  await refreshPlans(server)
})
afterAll(() => server.stop())

const [after, before] = [`created_after=${isoTime(0)}`, `created_before=${isoTime(Date.now() + day)}`]
test.each<[name: string, columns: string[], path: () => string]>([
  ['businesses of a country', ['country'], () => 'businesses/?country=DE'],
  ['businesses of a source', ['lead_source_id'], () => `businesses/?lead_source_id=${few.lead_source_id}`],
  ['applications in a state', ['state'], () => 'client-intake-applications/?state=rejected'],
  ['applications of a business', ['business_id'], () => `client-intake-applications/?business_id=${few.business_id}`],
  ['projects of a business', ['business_id'], () => `projects/?business_id=${few.business_id}`],
])('%s, from and up to any time: every page reads about what it has', async (_, columns, path) => {
  for (const bounds of [[], [after], [before], [after, before]])
    await expectPagesFound(server, portal, [path(), ...bounds].join('&'), columns)
})

test.each(['businesses/', 'client-intake-applications/', 'projects/'])(
  '%s between times, both ways: every page begins where the one before it ended',
  async (path) => {
    for (const bounds of [[], [after], [before], [after, before]])
      for (const order of ['created_at', '-created_at'])
        await expectDeepPagesFound(server, portal, `${path}?${[`order=${order}`, ...bounds].join('&')}`)
  },
)

test('businesses of the last minutes by name are found by their time', async () => {
  const since = `created_after=${isoTime(Date.now() - 5 * 60_000)}`
  const queries = await queriesOf(server, portal, `businesses/?order=legal_name&${since}`)
  for (const query of queries)
    await expectFound(server.context.database.within(portal.id), query, ['created_at>'], since, { maySort: true })
})
