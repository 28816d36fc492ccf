// The second wall: what a Portal may see is held by PostgreSQL itself, whatever a query forgets. Here every query of the
// server is broken on purpose, and the wall is looked at from both sides.
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { match } from '../src/areas/funding-recommendations/calculations/matcher.ts'
import { sealCredential, type TransferCredential } from '../src/building-blocks/file-transfers/credentials.ts'
import { findTransferableFile } from '../src/building-blocks/questionnaires/files/queries.ts'
import type { Database } from '../src/platform/database/database.ts'
import { tablesOutsideWall } from '../src/platform/database/postgres-wall.ts'
import { jsonHere } from './command-here.ts'
import { act, done, newApplication, newDeal, newLender, newSubmitted, putAnswer } from './deal-fixtures.ts'
import { declarationOf, newIntake, newProgram, upload } from './fixtures.ts'
import { newRecipient } from './funding-fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { runSql } from './postgres-cluster.ts'

let server: TestServer
let own: TestPortal
let other: TestPortal
let ownId: string
let otherId: string
let database: Database
let url: string

beforeAll(async () => {
  // Few connections, so that the Portals share them.
  server = await startTestServer({ PORTICO_DATABASE_POOL_SIZE: '3' })
  database = server.context.database
  url = server.context.config.database_url ?? ''
  own = await newPortal(server)
  other = await newPortal(server)
  ownId = (await own.call('POST', 'businesses/', { body: own.business() })).body.id
  otherId = (await other.call('POST', 'businesses/', { body: other.business() })).body.id
})
afterAll(() => server.stop())

const sendAsItIs = pg.Client.prototype.query
// safe because the driver sends nothing but such queries
const send = sendAsItIs as unknown as (query: Sent) => unknown
interface Sent {
  text?: string
  name?: string | undefined
}
afterEach(() => {
  pg.Client.prototype.query = sendAsItIs
})

/** From now on, no condition on the Portal reaches PostgreSQL from this process. */
function forgetPortals(): { count: number } {
  const forgotten = { count: 0 }
  const broken = function (this: pg.Client, query: Sent) {
    const text = query.text?.replace(/(?:"?\w+"?\.)?"?portal_id"? = (\$\d+)/g, '$1::text is not null')
    if (text !== query.text) {
      forgotten.count++
      Object.assign(query, { text, name: undefined })
    }
    return send.call(this, query)
  }
  pg.Client.prototype.query = broken as typeof sendAsItIs // safe because the driver sends nothing but such queries
  return forgotten
}

describe('queries that forget their Portal', () => {
  test.each([
    'businesses/',
    'lead-sources/',
    'events/',
    'projects/',
    'client-intake-applications/',
    'contracts/',
    'deals/',
    'webhooks/',
  ])('200 with the Portal’s own records alone: GET %s', async (path) => {
    const before = await own.call('GET', path)
    const forgotten = forgetPortals()
    const after = await own.call('GET', path)
    expect(forgotten.count).toBeGreaterThan(0)
    expect([after.status, after.body.items]).toEqual([200, before.body.items])
  })

  test('404 for a business of another Portal, to read or to change; without the wall it would be found', async () => {
    const { etag } = (await other.call('GET', `businesses/${otherId}/`)).body
    const forgotten = forgetPortals()
    const headers = { 'if-match': etag }
    const answers = await Promise.all([
      own.call('GET', `businesses/${otherId}/`),
      own.call('PATCH', `businesses/${otherId}/`, { body: { employee_count: 7 }, headers }),
      own.call('GET', `businesses/${ownId}/`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200])
    expect(forgotten.count).toBeGreaterThan(2)
    const find = (db: Database) =>
      db.read
        .selectFrom('businesses')
        .select('employee_count')
        .where('portal_id', '=', own.id)
        .where('id', '=', otherId)
        .execute()
    expect(await find(database.within(own.id))).toEqual([])
    expect(await find(database)).toEqual([{ employee_count: null }])
  })

  test('nothing of others is changed or removed, and nothing is written in their name', async () => {
    const mine = database.within(own.id)
    await mine.transaction(async (tx) => {
      const { numUpdatedRows } = await tx.updateTable('businesses').set({ employee_count: 9 }).executeTakeFirstOrThrow()
      expect(numUpdatedRows).toBe(1n)
    })
    const removed = await mine.transaction((tx) => tx.deleteFrom('idempotency_keys').returning('portal_id').execute())
    expect(new Set(removed.map(({ portal_id }) => portal_id))).toEqual(new Set([own.id]))
    expect((await other.call('GET', `businesses/${otherId}/`)).body.employee_count).toBeNull()
    const row = { portal_id: other.id, name: 'x', value: '1', updated_at: new Date().toISOString() }
    await expect(mine.transaction((tx) => tx.insertInto('portal_settings').values(row).execute())).rejects.toThrow(
      /row-level security policy for table "portal_settings"/,
    )
  })
})

describe('transfers whose queries forget their Portal', () => {
  const bytes = Buffer.from('date,amount\n')
  const declared = { question_key: 'bank_statements', ...declarationOf(bytes, 'a.csv', 'text/csv') }
  const send = (method: 'PUT' | 'GET', given: Partial<TransferCredential> & { file_id: string; portal_id: string }) => {
    const credential = sealCredential(server.context.vault, {
      ...{ holder_portal_id: given.portal_id, key_id: null, method, size_bytes: bytes.length },
      ...{ expires_at: server.clock.now() + 60_000, ...given },
    })
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'text/csv' }
    const body = method === 'PUT' ? { body: new Uint8Array(bytes) } : {}
    return fetch(`${server.origin}/transfers/${given.file_id}`, { method, headers, ...body })
  }

  test('404 for an upload to a file of another Portal, which stays as it is; without the wall it would be found', async () => {
    const another = await newPortal(server)
    const application = await newIntake(another)
    const headers = { 'if-match': application.etag }
    const file = (await another.call('POST', application.files_url, { body: declared, headers })).body
    forgetPortals()
    expect((await send('PUT', { portal_id: own.id, file_id: file.id })).status).toBe(404)
    expect(await findTransferableFile(database.read, own.id, file.id)).toMatchObject({ state: 'awaiting_upload' })
    expect((await send('PUT', { portal_id: another.id, file_id: file.id })).status).toBe(200)
  })

  test('a recipient downloads what was submitted to it, and 404 for a file of a draft', async () => {
    const lender = await newLender(server)
    const sender = await newPortal(server)
    const fileOf = async (isSubmitted: boolean) => {
      const application = await newApplication(sender, await newDeal(sender, lender))
      const { id, upload: request } = (await act(sender, application, 'files/', declared)).body
      expect((await upload(request, bytes)).status).toBe(200)
      if (isSubmitted) done(await act(sender, application, 'submit/'))
      return { portal_id: sender.id, holder_portal_id: lender.id, file_id: id }
    }
    const [submitted, draft] = [await fileOf(true), await fileOf(false)]
    forgetPortals()
    const answers = [await send('GET', submitted), await send('GET', draft)]
    expect(answers.map(({ status }) => status)).toEqual([200, 404])
    expect(await answers[0]?.text()).toBe(bytes.toString())
  })
})

test('a what-if question reads the programmes of recipients that its Portal may see, and no others', async () => {
  const [open, closed] = [await newRecipient(server), await newRecipient(server, { visibility: 'invited' })]
  for (const recipient of [open, closed]) await newProgram(recipient)
  const asked = ({ id: portal_id, recipient_id: id }: typeof open) => ({
    ...{ portal_id, id, name: 'Lender', countries: ['US'], time_zone: 'UTC', catalog_version: 1 },
  })
  const { counts } = await match(server.context, 'what_if', {
    ...{ portal_id: own.id, project_id: 'prj_none', values: {}, instead: {}, now: server.clock.now() },
    recipients: [asked(open), asked(closed)],
  })
  expect(counts.evaluated).toBe(1)
})

test('each statement sees its own Portal, however Portals, failures and connections follow each other', async () => {
  const seen = async (one: TestPortal, index: number) => {
    const mine = database.within(one.id)
    const look = sql<{ portal_id: string }>`select distinct portal_id from businesses`
    if (index % 3 === 0) return (await look.execute(mine.read)).rows
    if (index % 3 === 1) return (await mine.transaction((tx) => look.execute(tx))).rows
    await expect(
      mine.transaction(async (tx) => {
        await look.execute(tx)
        throw new Error('given up')
      }),
    ).rejects.toThrow('given up')
    await expect(sql`select 1 / 0`.execute(mine.read)).rejects.toThrow('division by zero')
    return (await look.execute(mine.read)).rows
  }
  const portals = Array.from({ length: 120 }, (_, index) => ((index * 7) % 5 < 2 ? own : other))
  // No more at once than get a connection in time on a busy machine.
  for (const wave of [portals.slice(0, 60), portals.slice(60)])
    expect(await Promise.all(wave.map(seen))).toEqual(wave.map(({ id }) => [{ portal_id: id }]))
})

test('a recipient sees the deal it received and what was submitted, its sender everything, anybody else nothing', async () => {
  const [lender, elsewhere, sender] = [await newLender(server), await newLender(server), await newPortal(server)]
  await newSubmitted(sender, lender)
  // A draft, to somebody else.
  const draft = await newApplication(sender, await newDeal(sender, elsewhere))
  done(await putAnswer(sender, draft, 'legal_name', 'Lee'))
  const tables = ['deals', 'deal_applications', 'answers', 'submissions', 'businesses'] as const
  const seen = async ({ id }: { id: string }) => {
    const { read } = database.within(id)
    const counts = tables.map(async (table) => (await sql`select 1 from ${sql.table(table)}`.execute(read)).rows.length)
    return Object.fromEntries((await Promise.all(counts)).map((count, index) => [tables[index], count]))
  }
  const [all, received, drafted, nothing] = await Promise.all([sender, lender, elsewhere, other].map(seen))
  expect(all).toMatchObject({ deals: 2, deal_applications: 2, submissions: 1, businesses: 2 })
  expect(received).toMatchObject({ deals: 1, deal_applications: 1, submissions: 1, businesses: 0 })
  expect(drafted).toEqual({ deals: 1, deal_applications: 1, answers: 0, submissions: 0, businesses: 0 })
  expect(nothing).toEqual({ deals: 0, deal_applications: 0, answers: 0, submissions: 0, businesses: 1 })
})

describe('sessions', () => {
  const countWith = async (options: string) => {
    const client = new pg.Client({ connectionString: url, options })
    await client.connect()
    const { rows } = await client.query('select count(*)::int as n from businesses')
    await client.end()
    return rows[0].n
  }

  test('a session that was told no Portal sees nothing, as each session of Portico begins; others see everything', async () => {
    expect(await countWith('-c portico.portal=')).toBe(0)
    expect(await countWith(`-c portico.portal=${own.id}`)).toBe(1)
    expect(await countWith('')).toBeGreaterThan(1)
  })

  test('nobody sees anything without saying so once the database begins every session with no Portal', async () => {
    const administer = (text: string) => runSql(inject('postgresUrl') ?? '', text)
    const name = new URL(url).pathname.slice(1)
    await administer(`alter database ${name} set portico.portal = ''`)
    expect(await countWith('')).toBe(0)
    expect((await own.call('GET', `businesses/${ownId}/`)).status).toBe(200)
    await administer(`alter database ${name} reset portico.portal`)
  })
})

describe('tables outside the wall', () => {
  const environment = () => ({
    PORTICO_DATABASE_URL: url,
    PORTICO_DATA_DIR: server.context.config.data_dir,
    PORTICO_SECRET_KEY: server.context.config.secret_key?.toString('base64') ?? '',
  })
  const finding = async () => {
    const { findings } = await jsonHere(['doctor'], environment())
    return findings.find(({ check }: { check: string }) => check === 'row-level security')
  }

  test('there are none, also for the role that owns them', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class inner join pg_attribute on attrelid = pg_class.oid and attname = 'portal_id'
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not (relrowsecurity and relforcerowsecurity)
    `.execute(database.read)
    expect([rows, await tablesOutsideWall(database.read)]).toEqual([[], []])
    expect(await finding()).toMatchObject({ outcome: 'ok', message: 'PostgreSQL separates the rows of Portals' })
  })

  test.each([
    'alter table businesses no force row level security',
    'alter table businesses disable row level security',
    'drop policy portico_portal on businesses',
    'drop policy portico_readers on files',
  ])('doctor names the table after: %s, and migrate puts the wall back', async (statement) => {
    const [, table] = / (?:table|on) (\w+)/.exec(statement) ?? []
    await sql.raw(statement).execute(database.write)
    expect(await finding()).toEqual({
      check: 'row-level security',
      outcome: 'warning',
      message: `PostgreSQL does not separate Portals in ${table}: row-level security is off there, is not forced for the owner, or lacks a policy. To restore it, run: portico migrate`,
    })
    await jsonHere(['migrate'], environment())
    expect(await tablesOutsideWall(database.read)).toEqual([])
    const { rows } = await sql`select portal_id from businesses group by portal_id`.execute(
      database.within(own.id).read,
    )
    expect(rows).toEqual([{ portal_id: own.id }])
    expect((await own.call('GET', `businesses/${ownId}/`)).status).toBe(200)
  })
})
