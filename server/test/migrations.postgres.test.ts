// What migrations say to PostgreSQL, read as it is sent. A table of an operator may have a hundred million rows and is in
// use: nothing may lock it for longer than a moment.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import { createLogger } from '../src/platform/logging.ts'
import { makeDatabase, type TestDatabase } from './harness.ts'

/** The last one from before this check. */
const lastUnchecked = '0018-order-of-events'

let place: TestDatabase
const statements = new Map<string, string[]>()

beforeAll(async () => {
  place = await makeDatabase()
  const config = readConfig(place.environment)
  const database = await openDatabase(
    config,
    createLogger(config, () => undefined),
  )
  const sendAsItIs = pg.Client.prototype.query
  // safe because the driver sends nothing but such queries
  const send = sendAsItIs as unknown as (query: { text?: string; values?: unknown[] }) => unknown
  let said: string[] = []
  const watched = function (this: pg.Client, query: { text?: string; values?: unknown[] }) {
    const text = query.text ?? ''
    if (text.startsWith('insert into kysely_migration')) {
      statements.set(String(query.values?.[0]), said)
      said = []
    } else said.push(text)
    return send.call(this, query)
  }
  pg.Client.prototype.query = watched as typeof sendAsItIs // safe because the driver sends nothing but such queries
  try {
    await migrate(database)
  } finally {
    pg.Client.prototype.query = sendAsItIs
    await database.close()
  }
})
afterAll(() => place.remove())

/** What would hold a lock for as long as a table is large; each names its table. */
const patterns: readonly [RegExp, string][] = [
  [/^create (?:unique )?index (?!concurrently)\S+ on "?(?<table>\w+)/, 'builds an index while nobody can write'],
  [
    /^alter table "?(?<table>\w+)"? .*\balter column \S+ ((set data )?type|set not null)\b/,
    'rewrites or reads the whole table',
  ],
  [
    /^alter table "?(?<table>\w+)"? .*\badd (constraint|foreign key|check|unique)\b(?!.*not valid)/,
    'reads the whole table',
  ],
  [
    /^alter table "?(?<table>\w+)"? .*\badd column\b.*\bdefault\b.*\(/,
    'rewrites the table for a default that is worked out',
  ],
  [
    /^(update|delete from) "?(?<table>\w+)/,
    'changes rows in the transaction of the migration; a job does it in batches',
  ],
  [/^(vacuum full|cluster|lock table|reindex table) "?(?<table>\w+)/, 'locks the table'],
]

/** The harm that a migration does to tables which were there before. */
function harmsOf(texts: readonly string[]): string[] {
  const plain = texts.map((text) => text.trim().replaceAll(/\s+/g, ' '))
  const created = new Set(plain.map((text) => /^create table "?(\w+)/.exec(text)?.[1]))
  return plain.flatMap((text) =>
    patterns.flatMap(([pattern, harm]) => {
      const table = pattern.exec(text)?.groups?.table
      return table === undefined || created.has(table) ? [] : [`${harm}: ${text}`]
    }),
  )
}

test('no migration since the first release locks a table for as long as the table is large', () => {
  expect(statements.get('0023-portal-wall')?.join()).toContain('force row level security')
  for (const [name, texts] of statements) if (name > lastUnchecked) expect([name, harmsOf(texts)]).toEqual([name, []])
})

test.each([
  'create index x on businesses (portal_id)',
  'create unique index "x" on "events" ("portal_id")',
  'alter table "events" alter column "type" set not null',
  'alter table events alter column type type varchar(20)',
  'alter table events add constraint x check (sequence > 0)',
  'alter table events add column x text default gen_random_uuid()',
  'update events set type = type',
  'delete from "jobs"',
])('the check finds: %s', (text) => {
  expect(harmsOf([text])).toHaveLength(1)
  expect(harmsOf([`create table "${/events|businesses|jobs/.exec(text)?.[0]}" (id text)`, text])).toEqual([])
})

test.each([
  'create index concurrently x on businesses (portal_id)',
  'alter table "events" add column "actor" text collate "C"',
  'alter table "portals" add column "n" bigint default 0 not null',
  'alter table events add constraint x check (sequence > 0) not valid',
  'alter table events enable row level security, force row level security',
])('the check lets pass: %s', (text) => {
  expect(harmsOf([text])).toEqual([])
})
