// Work that repeats for all Portals: what fails for one Portal or one record is done for all others, and the job fails then,
// so that an operator hears of it.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { day } from '../src/platform/clock.ts'
import { type Lender, newApplication, newDeal, newLender } from './deal-fixtures.ts'
import { runRepeating } from './due-jobs.ts'
import { declarationOf, newIntake } from './fixtures.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { copyRows, numberedId } from './many-rows.ts'
import { cleanUp, cleanups } from './real-servers.ts'

let server: TestServer
let broken: TestPortal
let other: TestPortal
let lender: Lender
beforeAll(async () => {
  server = await startTestServer()
  // Portals take turns in the order of their ids: the one that fails comes first.
  broken = await newPortal(server)
  other = await newPortal(server)
  lender = await newLender(server)
})
afterEach(cleanUp)
afterAll(() => server.stop())

/** From now on the database refuses rows of a table that have this value. */
async function refuse(table: string, column: string, value: string): Promise<void> {
  const apply = (statements: ReturnType<typeof sql>[]) =>
    server.context.database.transaction(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
  const [place, field, refused] = [sql.table(table), sql.ref(column), sql.lit(value)]
  if (engine === 'postgres') {
    await apply([sql`alter table ${place} add constraint refused check (${field} <> ${refused}) not valid`])
    cleanups.push(() => apply([sql`alter table ${place} drop constraint refused`]))
    return
  }
  const acts = ['insert', 'update']
  await apply(
    acts.map(
      (act) => sql`create trigger ${sql.ref(`refused_${act}`)} before ${sql.raw(act)} on ${place}
        when new.${field} = ${refused} begin select raise(abort, 'refused'); end`,
    ),
  )
  cleanups.push(() => apply(acts.map((act) => sql`drop trigger ${sql.ref(`refused_${act}`)}`)))
}

const stateOf = async (by: TestPortal, { url }: { url: string }) => (await by.call('GET', url)).body.state
const newBusiness = async (by: TestPortal) => (await by.call('POST', 'businesses/', { body: by.business() })).body
const newFile = async (by: TestPortal) => {
  const application = await newIntake(by)
  const body = { question_key: 'bank_statements', ...declarationOf(Buffer.from('a,b\n'), 'a.csv', 'text/csv') }
  const headers = { 'if-match': application.etag }
  return (await by.call('POST', application.files_url, { body, headers })).body
}

test('the audit log of other Portals goes on while nothing can be added to that of one', async () => {
  const entries = async ({ id }: TestPortal) => {
    const query = server.context.database.read.selectFrom('audit_log').select('id').where('portal_id', '=', id)
    return (await query.execute()).length
  }
  await refuse('audit_log', 'portal_id', broken.id)
  const before = await entries(other)
  for (const portal of [broken, other]) {
    await newBusiness(portal)
    await portal.call('GET', 'events/')
  }
  await expect(runRepeating(server.context, 'audit_log.chain')).rejects.toThrow(/refused/)
  expect(await entries(broken)).toBe(0)
  expect(await entries(other)).toBeGreaterThan(before)
})

test('old events of other Portals are deleted, and none of a Portal whose events are not in the audit log', async () => {
  const countOf = async ({ id }: TestPortal) => {
    const query = server.context.database.read.selectFrom('events').select('id').where('portal_id', '=', id)
    return (await query.execute()).length
  }
  for (const portal of [broken, other]) await newBusiness(portal)
  await refuse('audit_log', 'portal_id', broken.id)
  const kept = await countOf(broken)
  expect(kept).toBeGreaterThan(0)
  server.clock.advance(31 * day)
  await expect(runRepeating(server.context, 'housekeeping.old_events')).rejects.toThrow(/refused/)
  expect([await countOf(broken), await countOf(other)]).toEqual([kept, 0])
})

test('other intake applications expire, also in the same Portal, when one cannot', async () => {
  const first = await newIntake(broken)
  const rest = [
    { by: broken, application: await newIntake(broken) },
    { by: other, application: await newIntake(other) },
  ]
  await refuse('client_intake_applications', 'id', first.id)
  server.clock.advance(91 * day)
  await expect(runRepeating(server.context, 'client_intake.expire')).rejects.toThrow(/refused/)
  expect(await stateOf(broken, first)).toBe('in_progress')
  for (const { by, application } of rest) expect(await stateOf(by, application)).toBe('expired')
  expect(
    server.logLines.filter((line) => line.includes(first.id) && line.includes('a part of a job failed')),
  ).toHaveLength(1)
})

test('other deal applications expire, also in the same Portal, when one cannot', async () => {
  const begin = async (by: TestPortal) => newApplication(by, await newDeal(by, lender))
  const first = await begin(broken)
  const rest = [
    { by: broken, application: await begin(broken) },
    { by: other, application: await begin(other) },
  ]
  await refuse('deal_applications', 'id', first.id)
  server.clock.advance(91 * day)
  await expect(runRepeating(server.context, 'deal_applications.expire')).rejects.toThrow(/refused/)
  expect(await stateOf(broken, first)).toBe('draft')
  for (const { by, application } of rest) expect(await stateOf(by, application)).toBe('expired')
})

test('all forgotten uploads expire in one run, however many, and those behind one that cannot', async () => {
  const { context } = server
  const first = await newFile(broken)
  await copyRows(context, 'files', first.id, { id: numberedId('fil') }, { last: 250 })
  const theirs = await newFile(other)
  await refuse('files', 'id', first.id)
  server.clock.advance(2 * day)
  await expect(runRepeating(context, 'files.expire_uploads')).rejects.toThrow(/refused/)
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from files where portal_id = ${broken.id} group by state order by state
  `.execute(context.database.read)
  expect(rows.map(({ state, count }) => [state, Number(count)])).toEqual([
    ['awaiting_upload', 1],
    ['expired', 250],
  ])
  expect(await stateOf(other, theirs)).toBe('expired')
})

test('several failures are one error that says how many there were', async () => {
  const applications = [await newIntake(broken), await newIntake(broken)]
  await refuse('client_intake_applications', 'portal_id', broken.id)
  server.clock.advance(91 * day)
  await expect(runRepeating(server.context, 'client_intake.expire')).rejects.toThrow(
    /^[2-9] parts of the job failed, the first with: .*refused/,
  )
  for (const application of applications) expect(await stateOf(broken, application)).toBe('in_progress')
})
