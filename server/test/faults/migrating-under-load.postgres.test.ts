// A migration that must lock large tables for a moment, while a server works and somebody else is in the way: it gives up
// soon and tries again, so that no request waits for it for long, and none fails.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, runJson } from '../built-program.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { createLoadClient, type LoadClient } from './load-client.ts'
import { faultTimeoutMs, isFull, scale } from './scale.ts'

const name = '0023-portal-wall'

let deployment: Deployment
let server: RunningServer
let client: LoadClient
let session: pg.Client

beforeAll(async () => {
  deployment = await newDeployment()
  server = await deployment.start()
  client = createLoadClient(server.origin, { key: deployment.key, sockets: 6 })
  session = new pg.Client({ connectionString: deployment.environment.PORTICO_DATABASE_URL ?? '' })
  await session.connect()
}, faultTimeoutMs)
afterAll(async () => {
  client?.close()
  await session?.end()
  await deployment?.remove()
})

test('201 and 200 for every request while a migration waits for its locks and runs', {
  timeout: faultTimeoutMs,
}, async () => {
  const create = () =>
    client.send({ method: 'POST', path: '/v1/businesses/', headers: newKey(), body: deployment.business() })
  expect((await create()).status).toBe(201)
  await makeMany(scale.migratedRows)
  await takeDownWall()

  let isOver = false
  let answered = 0
  let longestMs = 0
  const statuses = new Set<number>()
  const work = async (send: () => ReturnType<typeof create>) => {
    while (!isOver) {
      const began = performance.now()
      const { status } = await send()
      longestMs = Math.max(longestMs, performance.now() - began)
      statuses.add(status)
      answered++
    }
  }
  const list = () => client.send({ method: 'GET', path: '/v1/businesses/?page_size=25' })
  const workers = Promise.all([create, create, create, list, list].map(work))
  const answers = async (more: number) => {
    const until = answered + more
    await expect.poll(() => answered, { timeout: faultTimeoutMs }).toBeGreaterThan(until)
  }
  try {
    await answers(20)
    const quietMs = longestMs
    // A report that takes its time: it only reads, but nothing can be altered while it does.
    await session.query('begin')
    await session.query('select id from businesses limit 1')
    const migration = runJson(['migrate'], deployment.environment)
    await answers(isFull ? 2000 : 200)
    expect(await isUp()).toBe(false)
    await session.query('commit')
    expect(await migration).toEqual({ applied: [name], was_empty: false })
    await answers(20)
    report('Migration under load', {
      rows: scale.migratedRows,
      requests: answered,
      'longest ms before': Math.round(quietMs),
      'longest ms': Math.round(longestMs),
    })
  } finally {
    isOver = true
  }
  await workers
  expect(await isUp()).toBe(true)
  expect([...statuses].sort()).toEqual([200, 201])
  if (isFull) expect(longestMs).toBeLessThan(2000)
})

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

async function isUp(): Promise<boolean> {
  const { rows } = await session.query(
    `select 1 from pg_policies where policyname = 'portico_portal' and tablename = 'businesses'`,
  )
  return rows.length > 0
}

/** As the database was before the migration. */
async function takeDownWall(): Promise<void> {
  await session.query(`
    do $$ declare policy record; begin
      for policy in select tablename, policyname from pg_policies where schemaname = 'public' loop
        execute format('drop policy %I on %I', policy.policyname, policy.tablename);
        execute format('alter table %I disable row level security, no force row level security', policy.tablename);
      end loop;
      delete from kysely_migration where name = '${name}';
    end $$`)
  expect(await isUp()).toBe(false)
}

/** Many rows like the one that is there. */
async function makeMany(count: number): Promise<void> {
  const { rows } = await session.query(
    `select column_name as name from information_schema.columns where table_name = 'businesses' and column_name <> 'id'`,
  )
  const columns = rows.map(({ name: column }) => column).join(', ')
  await session.query(`
    insert into businesses (id, ${columns})
    select 'biz_0' || lpad(n::text, 25, '0'), ${columns} from businesses, generate_series(1, ${count}) as n`)
  await session.query('analyze businesses')
}
