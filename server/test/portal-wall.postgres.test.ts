// The second wall: what a Portal may see is held by PostgreSQL itself, whatever a query forgets. Here every query of the
// server is broken on purpose, and the wall is looked at from both sides.
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../src/platform/database/database.ts'
import { done, newApplication, newDeal, newLender, newSubmitted, putAnswer } from './deal-fixtures.ts'
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

  test('every table with a Portal is behind the wall, for the role that owns it too', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      inner join pg_attribute on attrelid = pg_class.oid and attname = 'portal_id'
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not (
        relrowsecurity and relforcerowsecurity
        and exists (select 1 from pg_policy where polrelid = pg_class.oid and polname = 'portico_portal')
      )
    `.execute(database.read)
    expect(rows).toEqual([])
  })
})
