import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { intakeExpiryDays } from '../src/areas/client-intake/settings.ts'
import { autofillProvider } from '../src/building-blocks/autofill/provider-setting.ts'
import { readSetting } from '../src/building-blocks/portals/settings.ts'
import { compareSchema, migrate } from '../src/platform/database/migrate.ts'
import { portalSettings } from '../src/platform/database/migrations/0006-portal-settings.ts'
import { programColumns } from '../src/platform/database/migrations/0007-funding-recommendations.ts'
import { submittedApplications } from '../src/platform/database/migrations/0011-submitted-applications.ts'
import { columnNames, preparedPrograms } from '../src/platform/database/migrations/0015-prepared-programs.ts'
import { postgresColumnTypes } from '../src/platform/database/postgres.ts'
import { sqliteColumnTypes } from '../src/platform/database/sqlite.ts'
import { primaryKeys } from '../src/platform/database/tables.ts'
import { act, done, newApplication, newDeal, newLender, newSubmitted } from './deal-fixtures.ts'
import { newProgram } from './fixtures.ts'
import { engine, newPortal, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Every index and primary key with its first column. */
async function indexes(): Promise<{ table: string; index: string; first: string }[]> {
  const query =
    engine === 'sqlite'
      ? sql<{ table: string; index: string; first: string }>`
          select m.name as "table", l.name as "index", (select name from pragma_index_info(l.name) where seqno = 0) as first
          from sqlite_master as m join pragma_index_list(m.name) as l where m.type = 'table'`
      : sql<{ table: string; index: string; first: string }>`
          select t.relname as "table", i.relname as "index", a.attname as first
          from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
          join pg_namespace n on n.oid = t.relnamespace and n.nspname = current_schema()
          join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]`
  return (await query.execute(server.context.database.read)).rows.filter(({ table }) => !table.startsWith('kysely_'))
}

test('portal_id leads every primary key and index, but for the one that finds the Portal of a key', async () => {
  const all = await indexes()
  expect(new Set(all.map(({ table }) => table))).toEqual(new Set(Object.keys(primaryKeys)))
  expect(all.filter(({ first }) => first !== 'portal_id').map(({ index }) => index)).toEqual(['api_keys_by_hash'])
})

test('migrating again changes nothing', async () => {
  expect(await migrate(server.context.database)).toEqual([])
  expect(await compareSchema(server.context.database)).toEqual({ missing: [], unknown: [], isEmpty: false })
})

test('settings kept in columns of a Portal move into their table; the defaults do not', async () => {
  const { context } = server
  const { engine, read, write } = context.database
  await sql`
    insert into portals (portal_id, name, state, created_at, intake_expiry_days, autofill_provider)
    values ('ptl_old', 'Old', 'active', '2026-01-31T12:00:00.000Z', 30, 'sealed "text"'),
      ('ptl_plain', 'Plain', 'active', '2026-01-31T12:00:00.000Z', 90, null)
  `.execute(write)
  await sql`drop table portal_settings`.execute(write)
  const types = engine === 'sqlite' ? sqliteColumnTypes : postgresColumnTypes
  // safe because migrations know no tables
  await portalSettings(write as unknown as Kysely<unknown>, types, engine)
  const { rows } = await sql<{ portal_id: string }>`select portal_id from portal_settings`.execute(read)
  expect(rows.map(({ portal_id }) => portal_id)).toEqual(['ptl_old', 'ptl_old'])
  expect(await readSetting(read, 'ptl_old', intakeExpiryDays)).toBe(30)
  expect(await readSetting(read, 'ptl_old', autofillProvider)).toBe('sealed "text"')
  expect(await readSetting(read, 'ptl_plain', intakeExpiryDays)).toBe(90)
})

test('deals learn of the submitted application they have, and of no draft', async () => {
  const { engine, write } = server.context.database
  const [sender, lender] = [await newPortal(server), await newLender(server)]
  const submitted = await newSubmitted(sender, lender)
  const draft = await newApplication(sender, await newDeal(sender, lender))
  const ended = await newSubmitted(sender, lender)
  done(await act(sender, ended, 'withdraw/'))
  await sql`alter table deals drop column submitted_application_id`.execute(write)
  await sql`drop index deal_applications_by_deal_and_state`.execute(write)
  await sql`drop index deals_by_recipient_and_id`.execute(write)
  const types = engine === 'sqlite' ? sqliteColumnTypes : postgresColumnTypes
  // safe because migrations know no tables
  await submittedApplications(write as unknown as Kysely<unknown>, types)
  const canBeWon = async ({ deal_id }: { deal_id: string }) =>
    (await lender.call('GET', `deals/${deal_id}/`)).body.available_actions.includes('win')
  expect([await canBeWon(submitted), await canBeWon(draft), await canBeWon(ended)]).toEqual([false, true, true])
})

test('programmes keep everything when their rows learn of imports, and can be changed as before', async () => {
  const { engine, write } = server.context.database
  const portal = await newPortal(server)
  const before = await newProgram(portal, { name: 'Kept', external_reference: 'a' })
  for (const name of ['number', 'id', 'started_at', 'version', 'created', 'updated'])
    await sql`alter table recipients drop column ${sql.ref(`import_${name}`)}`.execute(write)
  // safe because migrations know no tables
  const db = write as unknown as Kysely<unknown>
  const types = engine === 'sqlite' ? sqliteColumnTypes : postgresColumnTypes
  await programColumns(db.schema.createTable('old_programs'), types)
    .addPrimaryKeyConstraint('funding_programs_pkey', ['portal_id', 'id'])
    .execute()
  const names = sql.raw(columnNames.join(', '))
  await sql`insert into old_programs (${names}) select ${names} from funding_programs`.execute(write)
  await sql`drop table funding_programs`.execute(write)
  await sql`alter table old_programs rename to funding_programs`.execute(write)
  await preparedPrograms(db, types)
  expect((await portal.call('GET', before.url)).body).toEqual(before)
  const renamed = { body: { name: 'Renamed' }, headers: { 'if-match': before.etag } }
  expect((await portal.call('PATCH', before.url, renamed)).body).toMatchObject({ name: 'Renamed', version: 2 })
})

test('both engines hand back the same values: ISO times, parsed JSON, numbers, booleans', async () => {
  const { database } = server.context
  const now = '2026-01-31T12:00:00.120Z'
  await database.transaction(async (tx) => {
    await tx
      .insertInto('portals')
      .values({
        portal_id: 'ptl_values',
        name: 'Värde "1"',
        state: 'active',
        created_at: now,
        last_sequence: 9_007_199_254_740_991,
      })
      .execute()
    await tx
      .insertInto('lead_sources')
      .values({
        portal_id: 'ptl_values',
        id: 'l1',
        version: 1,
        name: 'n',
        name_sort: 'n',
        kind: 'api',
        is_active: true,
        requires_detail: false,
        created_at: now,
        updated_at: now,
      })
      .execute()
    await tx
      .insertInto('jobs')
      .values({
        portal_id: 'ptl_values',
        id: 'j1',
        kind: 'k',
        unique_key: null,
        payload: '{"z":1,"a":[true,null]}',
        run_at: now,
        lease: null,
        last_error: null,
        dead_at: null,
        created_at: now,
      })
      .execute()
  })
  expect(
    await database.read
      .selectFrom('portals')
      .select(['name', 'last_sequence', 'created_at'])
      .where('portal_id', '=', 'ptl_values')
      .executeTakeFirst(),
  ).toEqual({ name: 'Värde "1"', last_sequence: 9_007_199_254_740_991, created_at: now })
  expect(
    await database.read
      .selectFrom('lead_sources')
      .select(['is_active', 'requires_detail'])
      .where('portal_id', '=', 'ptl_values')
      .executeTakeFirst(),
  ).toEqual({ is_active: true, requires_detail: false })
  const job = await database.read
    .selectFrom('jobs')
    .select(['payload', 'attempts', 'dead_at'])
    .where('portal_id', '=', 'ptl_values')
    .executeTakeFirst()
  expect(job).toEqual({ payload: { z: 1, a: [true, null] }, attempts: 0, dead_at: null })
  expect(Object.keys(job?.payload ?? {})).toEqual(['z', 'a'])
})

test('a failed transaction leaves nothing behind and the next one works', async () => {
  const { database } = server.context
  const insert = (id: string, fail: boolean) =>
    database.transaction(async (tx) => {
      await tx
        .insertInto('portals')
        .values({ portal_id: id, name: id, state: 'active', created_at: '2026-01-31T12:00:00.000Z' })
        .execute()
      if (fail) throw new Error('no')
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => insert(`ptl_tx${n}`, n % 2 === 0)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  const rows = await database.read
    .selectFrom('portals')
    .select('portal_id')
    .where('portal_id', 'like', 'ptl_tx%')
    .execute()
  expect(rows).toHaveLength(10)
})
