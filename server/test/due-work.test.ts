// Looking for due work costs the same however much waits that is not due; and a clock that is doubted or set back.
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpointsWithDue } from '../src/areas/webhooks/deliveries/queries.ts'
import { setBackDeliveries } from '../src/areas/webhooks/deliveries/upkeep-queries.ts'
import { claimJobs, dueOwners, enqueue, type JobDefinition } from '../src/platform/background/jobs.ts'
import { beginTime, findKeptTime, keepTime } from '../src/platform/background/kept-time.ts'
import { oldestDueJob } from '../src/platform/background/queue-depth.ts'
import { runJob } from '../src/platform/background/run-job.ts'
import { setBackJobs } from '../src/platform/background/set-back-jobs.ts'
import { day, hour, isoTime, minute } from '../src/platform/clock.ts'
import type { Connection } from '../src/platform/database/database.ts'
import { createOwnTime } from '../src/platform/own-time.ts'
import { newId } from '../src/platform/values/ids.ts'
import { runRepeating } from './due-jobs.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { atLeisure } from './many-rows.ts'
import { refreshPlans } from './query-plans.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(() => server.stop())

const add = (kind: string, after_ms = 0) =>
  server.context.database.transaction((tx) =>
    enqueue(tx, server.context, { portal_id: portal.id, kind, after_ms, unique_key: `${kind} ${after_ms}` }),
  )
const waitOf = async (kind: string) => {
  const row = await server.context.database.read
    .selectFrom('jobs')
    .select('run_at')
    .where('kind', '=', kind)
    .executeTakeFirst()
  return Date.parse(row?.run_at ?? '') - server.clock.now()
}

describe('looking for due work', () => {
  const waiting = 5000
  const id = newId('whk')
  beforeAll(async () => {
    const { clock } = server.context
    const later = isoTime(clock.now() + 30 * day)
    const now = isoTime(clock.now())
    await atLeisure(server.context, async (tx) => {
      const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(waiting)})`
      await sql`
        insert into jobs (portal_id, id, kind, payload, run_at, attempts, created_at)
        ${numbers} select ${portal.id}, 'job_' || i, 'waits', '{}', ${time(later)}, 0, ${time(now)} from n
      `.execute(tx)
      await sql`
        insert into webhooks (portal_id, id, version, state, state_changed_at, url, event_types, sealed_secret, secret_last4, created_at, updated_at)
        values (${portal.id}, ${id}, 1, 'active', ${time(now)}, 'https://example.com/', '["*"]', 'x', 'x', ${time(now)}, ${time(now)})
      `.execute(tx)
      await sql`
        insert into webhook_deliveries (portal_id, id, webhook_id, event_id, event_type, state, attempts, scheduled_attempts, trigger, next_attempt_at, state_changed_at, created_at, updated_at)
        ${numbers} select ${portal.id}, 'dlv_' || i, ${id}, 'evt_' || i, 'business.created', 'retrying', 1, 1, 'event', ${time(later)}, ${time(now)}, ${time(now)}, ${time(now)} from n
      `.execute(tx)
    })
    await refreshPlans(server)
  })

  const looks: Record<string, (db: Connection) => Promise<unknown>> = {
    jobs: (read) => dueOwners({ ...server.context, database: { ...server.context.database, read } }),
    webhook_deliveries: (read) => endpointsWithDue(read, server.context.database.timeIn(server.clock, 0)),
  }
  for (const [table, look] of Object.entries(looks))
    test(`reads an index of ${table} and none of the ${waiting} rows that are not due`, async () => {
      const plan = await planOf(look)
      if (engine === 'sqlite') {
        expect(plan).toMatch(new RegExp(`SEARCH ${table} USING (COVERING )?INDEX ${table}_due`))
        expect(plan).not.toMatch(new RegExp(`SCAN ${table}\\b`))
        return
      }
      expect(plan).toContain(`${table}_due`)
      const rows = [...plan.matchAll(/"(?:Actual Rows|Rows Removed by Filter)":(\d+)/g)].map(([, count]) =>
        Number(count),
      )
      expect(rows.length).toBeGreaterThan(0)
      expect(Math.max(...rows)).toBeLessThan(50)
    })

  test('reads from the same index how long the oldest due job has waited', async () => {
    const { context } = server
    const waited = (read: Connection) =>
      oldestDueJob({ ...context, database: { ...context.database, read } }, [{ kind: 'waits' }])
    const plan = await planOf(waited)
    expect(plan).toContain('jobs_due')
    expect(plan).not.toMatch(/SCAN jobs\b|"Node Type":"(Seq Scan|Sort)"/)
  })

  test('finds what is due among them', async () => {
    await add('due now')
    expect(await dueOwners(server.context)).toContain(portal.id)
    expect(await claimJobs(server.context, portal.id, ['due now', 'waits'], 10)).toMatchObject([{ kind: 'due now' }])
  })

  test('what waits by a clock that is set back is moved with it, and what is due stays due', async () => {
    await add('in 40 days', 40 * day)
    await add('set back: due')
    const { database } = server.context
    await database.transaction(async (tx) => {
      for (const setBack of [setBackJobs, setBackDeliveries]) await setBack(tx, server.context, 40 * day - hour)
    })
    expect(Math.abs((await waitOf('in 40 days')) - hour)).toBeLessThan(minute)
    // All of them, each once, piece by piece.
    const { rows } = await sql<{ next_attempt_at: string; count: number }>`
      select next_attempt_at, count(*) as count from webhook_deliveries where webhook_id = ${id} group by next_attempt_at
    `.execute(database.read)
    const byWait = rows.map((row) => [
      Math.round((Date.parse(row.next_attempt_at) - server.clock.now()) / hour),
      Number(row.count),
    ])
    expect(byWait).toContainEqual([-10 * 24 + 1, expect.toSatisfy((count: number) => count >= waiting - 10)])
    expect(await claimJobs(server.context, portal.id, ['set back: due'], 10)).toHaveLength(1)
    expect(await endpointsWithDue(database.read, database.timeIn(server.clock, 0))).toEqual([
      { portal_id: portal.id, webhook_id: id },
    ])
  })

  test('what was scheduled before the clock jumped ahead keeps its time when the clock is set back', async () => {
    const { database, clock } = server.context
    await add('before the jump', 2 * hour)
    await add('during the jump', 2 * hour)
    const [before, ahead] = [isoTime(clock.now() - hour), isoTime(clock.now() + 5 * hour)]
    const at = (text: string) => sql<string>`${time(text)}`
    const next = isoTime(clock.now() + 20 * hour)
    await database.transaction(async (tx) => {
      await sql`update jobs set created_at = ${at(before)} where kind = 'before the jump'`.execute(tx)
      await sql`update jobs set created_at = ${at(ahead)}, run_at = ${at(next)} where kind = 'during the jump'`.execute(
        tx,
      )
      const delivery = (name: string, updated: string) =>
        sql`update webhook_deliveries set next_attempt_at = ${at(next)}, updated_at = ${at(updated)} where id = ${name}`
      await delivery('dlv_1', before).execute(tx)
      await delivery('dlv_2', ahead).execute(tx)
      for (const setBack of [setBackJobs, setBackDeliveries]) await setBack(tx, server.context, 19 * hour)
    })
    const nextOf = async (name: string) => {
      const query = database.read.selectFrom('webhook_deliveries').select('next_attempt_at').where('id', '=', name)
      return Date.parse((await query.executeTakeFirst())?.next_attempt_at ?? '') - clock.now()
    }
    const hours = (milliseconds: number) => Math.round(milliseconds / hour)
    expect([hours(await waitOf('before the jump')), hours(await waitOf('during the jump'))]).toEqual([2, 1])
    expect([hours(await nextOf('dlv_1')), hours(await nextOf('dlv_2'))]).toEqual([20, 1])
  })

  test('deliveries of a webhook that no longer exists are removed, and those of others stay', async () => {
    const { database } = server.context
    const count = async (webhook: string) =>
      (await database.read.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', webhook).execute())
        .length
    await database.transaction((tx) =>
      sql`update webhook_deliveries set webhook_id = 'whk_gone' where id like 'dlv_1%'`.execute(tx),
    )
    const [gone, kept] = [await count('whk_gone'), await count(id)]
    expect(gone).toBeGreaterThan(1000)
    await runRepeating(server.context, 'webhooks.old_deliveries')
    expect([await count('whk_gone'), await count(id)]).toEqual([0, kept])
  })

  /** How the engine carries out the one query of a look. */
  async function planOf(look: (db: Connection) => Promise<unknown>): Promise<string> {
    const { read } = server.context.database
    const plans: Promise<{ rows: unknown[] }>[] = []
    const explain = engine === 'sqlite' ? 'explain query plan' : 'explain (analyze, format json)'
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        const compiled = read.getExecutor().compileQuery(node, queryId)
        plans.push(read.executeQuery({ ...compiled, sql: `${explain} ${compiled.sql}` }))
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await look(read.withPlugin(plugin))
    return JSON.stringify((await Promise.all(plans)).map(({ rows }) => rows))
      .replaceAll(' ":', '":')
      .replaceAll('": ', '":')
  }
})

describe('a doubted clock', () => {
  test('holds back what expires or deletes, and nothing else; the work is done once the clock is believed', async () => {
    const ran: string[] = []
    const definitions: JobDefinition[] = [
      { kind: 'clears', needs_clock: true, run: async () => void ran.push('clears') },
      { kind: 'works', run: async () => void ran.push('works') },
    ]
    const doubting = { ...server.context, clock: { ...server.clock, isDoubted: () => true } }
    for (const definition of definitions) {
      await add(definition.kind)
      const [job] = await claimJobs(doubting, portal.id, [definition.kind], 1)
      if (job) await runJob(doubting, definition, job)
    }
    expect(ran).toEqual(['works'])
    server.clock.advance(2 * minute)
    const [job] = await claimJobs(server.context, portal.id, ['clears'], 1)
    expect(job?.attempts).toBe(1)
    const [clears] = definitions
    if (job && clears) await runJob(server.context, clears, job)
    expect(ran).toEqual(['works', 'clears'])
  })

  test('the time that a process keeps is taken up by the next, and a set-back is passed on once', async () => {
    const timed = () => ({
      ...server.context,
      clock: createOwnTime({ wall: server.clock.now, ticks: () => 0, uptime: () => 0 }),
    })
    const process = timed()
    await keepTime(process, [])
    const next = timed()
    next.clock.begin(server.clock.now() + 40 * day, undefined)
    await beginTime(next)
    expect(Math.abs(next.clock.now() - server.clock.now())).toBeLessThan(minute)
    const before = await findKeptTime(process)
    const { database } = server.context
    await database.transaction((tx) =>
      tx
        .updateTable('kept_times')
        .set({ judged_at: isoTime(server.clock.now() + 3 * hour) })
        .execute(),
    )
    const setBacks: number[] = []
    const note = async (_tx: unknown, _context: unknown, milliseconds: number) => void setBacks.push(milliseconds)
    for (let round = 0; round < 2; round++) await keepTime(process, [note])
    expect(setBacks).toHaveLength(1)
    expect(Math.abs((setBacks[0] ?? 0) - 3 * hour)).toBeLessThan(minute)
    expect(before).toMatchObject({ difference_ms: null, acceptances: 0 })
  })
})

function time(text: string) {
  return engine === 'sqlite' ? sql`${text}` : sql`cast(${text} as timestamptz)`
}
