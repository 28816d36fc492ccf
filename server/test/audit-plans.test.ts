// How the audit log is listed: whatever the filter, a page reads about as many rows as it has.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isoTime, minute, second } from '../src/platform/clock.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId, rowCount, secondsAfter, spread } from './many-rows.ts'
import { expectPagesFound, refreshPlans } from './query-plans.ts'

let server: TestServer
let portal: TestPortal
/** The oldest copies are of this time, the others a second apart. */
const began = isoTime(Math.ceil(Date.now() / minute) * minute + minute)
const secondsIn = (count: number) => encodeURIComponent(isoTime(Date.parse(began) + count * second))
const [key, business, request] = ['key_few', 'biz_few', 'req_few']

beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
  const { items } = (await portal.call('GET', 'audit-log/')).body
  await copyRows(server.context, 'audit_log', items[0].id, {
    id: numberedId('aud'),
    sequence: sql`n`,
    actor_id: spread(key, 'key_other', 'key_other', 'key_another'),
    action: spread('business.archived', 'business.restored', 'business.created', 'business.updated'),
    resource_id: spread(business, 'biz_other', 'biz_other', 'biz_another'),
    request_id: spread(request, 'req_other', 'req_other', 'req_another'),
    created_at: secondsAfter(began),
  })
  await server.context.database.transaction((tx) =>
    sql`
      update audit_heads set sequence = (select max(sequence) from audit_log where portal_id = ${portal.id})
      where portal_id = ${portal.id}
    `.execute(tx),
  )
  await refreshPlans(server)
})
afterAll(() => server.stop())

test.each<[path: string, columns: string[]]>([
  ['audit-log/', []],
  ['audit-log/?order=sequence', []],
  [`audit-log/?actor_id=${key}`, ['actor_id']],
  ['audit-log/?action=business.archived', ['action']],
  [`audit-log/?resource_id=${business}`, ['resource_id']],
  [`audit-log/?resource_id=${business}&action=business.archived`, ['resource_id']],
  [`audit-log/?request_id=${request}`, ['request_id']],
  [`audit-log/?created_before=${secondsIn(200)}`, ['sequence<']],
  [`audit-log/?created_after=${secondsIn(rowCount - 100)}&order=sequence`, ['sequence>']],
  [`audit-log/?created_after=${secondsIn(100)}&created_before=${secondsIn(200)}`, ['sequence>', 'sequence<']],
])('%s', async (path, columns) => {
  await expectPagesFound(server, portal, path, columns)
  expect((await portal.call('GET', path)).body.items.length).toBeGreaterThan(0)
})
