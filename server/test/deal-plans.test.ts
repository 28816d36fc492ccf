// How the lists of deals and applications are found: no filter that an index is promised for reads through a Portal.
//   On SQLite the plan names the columns that an index is searched by; on PostgreSQL the rows that were touched are counted.
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listStages } from '../src/areas/deals/queries.ts'
import { recipientIdOf } from '../src/building-blocks/recipients/queries.ts'
import type { Connection } from '../src/platform/database/database.ts'
import type { Tables } from '../src/platform/database/tables.ts'
import { type Lender, newLender, newSubmitted } from './deal-fixtures.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

const rowCount = 6000
/** Those that few deals have are the oldest, at the end of every list. */
const named = (prefix: string, digit: number) => `${prefix}_${String(digit).repeat(26)}`
const [often, half, seldom] = [named('ptl', 1), named('ptl', 2), named('ptl', 3)]
const [business, project] = [named('biz', 1), named('prj', 1)]

let server: TestServer
let sender: TestPortal
let lender: Lender
let application: { id: string; deal_id: string }
beforeAll(async () => {
  server = await startTestServer({ PORTICO_RATE_LIMITS: 'off' })
  sender = await newPortal(server)
  lender = await newLender(server)
  application = await newSubmitted(sender, lender)
  const id = (prefix: string) => sql`${sql.lit(`${prefix}_000000000000000000`)} || cast(n as text)`
  const ofDeal = {
    state: spread('on_hold', 'open', 'open', 'won'),
    stage_key: spread('closing', 'funded', 'qualifying', 'funded'),
    business_id: spread(business, 'biz_other', 'biz_other', 'biz_other'),
  }
  await copyRows('deals', application.deal_id, {
    ...ofDeal,
    id: id('deal'),
    recipient_portal_id: spread(seldom, half, often, half),
    project_id: spread(project, '', '', ''),
    external_reference: sql`'ref-' || cast(n as text)`,
  })
  await copyRows('received_deals', application.deal_id, {
    ...ofDeal,
    id: id('deal'),
    external_reference: sql`'ref-' || cast(n as text)`,
  })
  const ofApplication = {
    id: id('dap'),
    deal_id: id('deal'),
    state: spread('accepted', 'submitted', 'submitted', 'declined'),
  }
  await copyRows('deal_applications', application.id, {
    ...ofApplication,
    active_deal_id: sql`null`,
    recipient_portal_id: spread(seldom, half, often, half),
  })
  await copyRows('received_deal_applications', application.id, ofApplication)
  if (engine === 'postgres') await sql`analyze`.execute(server.context.database.write)
}, 60_000)
afterAll(() => server.stop())

/** A value for the first 60 rows, the next 40, and the odd and even ones of the rest. */
function spread(...[first, next, odd, even]: [string, string, string, string]) {
  return sql`case when n <= 10000060 then ${sql.lit(first)} when n <= 10000100 then ${sql.lit(next)}
    when n % 2 = 1 then ${sql.lit(odd)} else ${sql.lit(even)} end`
}

/** Many rows like one, each later than the one before. */
async function copyRows(table: keyof Tables, of: string, different: Record<string, ReturnType<typeof sql>>) {
  const { database } = server.context
  const row = await database.read.selectFrom(table).selectAll().where('id', '=', of).executeTakeFirstOrThrow()
  const later = sql.lit('2026-01-01T00:00:')
  const changed: typeof different = {
    ...different,
    ...('number' in row && { number: sql`n` }),
    updated_at:
      engine === 'postgres'
        ? sql`timestamptz '2026-01-01' + n * interval '1 second'`
        : sql`${later} || cast(n as text) || 'Z'`,
  }
  const columns = Object.keys(row)
  const values = columns.map((name) => changed[name] ?? sql.ref(`one.${name}`))
  await database.transaction((tx) =>
    sql`
      with recursive numbers (n) as (
        select 10000001 union all select n + 1 from numbers where n < ${sql.lit(10000000 + rowCount)}
      )
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from numbers, ${sql.table(table)} as one where one.id = ${of}
    `.execute(tx),
  )
}

/** The page queries of a request, as they were sent to the database. */
async function queriesOf(by: TestPortal, path: string): Promise<CompiledQuery[]> {
  const { context } = server
  const { database } = context
  const queries: CompiledQuery[] = []
  const read: Connection = new Proxy(database.read, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (name !== 'executeQuery') return typeof member === 'function' ? member.bind(target) : member
      return (query: CompiledQuery) => {
        if (/order by|limit/.test(query.sql)) queries.push(query)
        return target.executeQuery(query)
      }
    },
  })
  context.database = { ...database, read }
  try {
    const answer = await by.call('GET', path)
    expect(answer.status, answer.text).toBe(200)
  } finally {
    context.database = database
  }
  return queries
}

interface PlanNode {
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Relation Name'?: string
  Plans?: PlanNode[]
}
/** The rows that were read from tables. */
function touched(node: PlanNode): number {
  const rows = node['Relation Name'] ? (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) : 0
  return rows * (node['Actual Loops'] ?? 1) + (node.Plans ?? []).reduce((sum, one) => sum + touched(one), 0)
}

async function explain(query: CompiledQuery): Promise<Record<string, unknown>[]> {
  const how = engine === 'postgres' ? 'explain (analyze, format json)' : 'explain query plan'
  const { rows } = await server.context.database.read.executeQuery({ ...query, sql: `${how} ${query.sql}` })
  return rows as Record<string, unknown>[] // safe because every engine explains in rows
}

/** The columns that a search must go by beside the Portal: those of the filters. */
async function expectFound(query: CompiledQuery, columns: readonly string[], name: string): Promise<void> {
  const rows = await explain(query)
  if (engine === 'postgres') {
    const plan = rows[0]?.['QUERY PLAN']
    // safe because it was asked for as JSON
    const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
    expect(touched(Plan), `${name}: ${JSON.stringify(Plan)}`).toBeLessThan(rowCount / 10)
    return
  }
  const steps = rows.map(({ detail }) => String(detail))
  expect(
    steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step)),
    `${name}: ${steps}`,
  ).toEqual([])
  const search = steps.find((step) => /_by_\w+ \(portal_id=\?/.test(step)) ?? ''
  for (const column of columns) expect([name, search]).toEqual([name, expect.stringContaining(`${column}=?`)])
}

const byRecipient = (portal: string) => `recipient_id=${recipientIdOf(portal)}`
type Case = [path: string, columns: string[]]
const sent: Case[] = [
  ['deals/?direction=sent', []],
  ['deals/?direction=sent&state=on_hold', ['state']],
  ['deals/?direction=sent&stage=closing', ['stage_key']],
  ['deals/?direction=sent&state=open&stage=funded', ['state', 'stage_key']],
  [`deals/?direction=sent&${byRecipient(seldom)}`, ['recipient_portal_id']],
  [`deals/?direction=sent&${byRecipient(half)}&state=open`, ['recipient_portal_id', 'state']],
  [`deals/?direction=sent&business_id=${business}`, ['business_id']],
  [`deals/?direction=sent&business_id=${business}&state=open`, ['business_id']],
  [`deals/?direction=sent&project_id=${project}&stage=closing`, ['project_id']],
  ['deals/?direction=sent&external_reference=ref-10000007', ['external_reference']],
  ['deal-applications/?direction=sent', []],
  ['deal-applications/?direction=sent&state=accepted', ['state']],
  [`deal-applications/?direction=sent&${byRecipient(seldom)}`, ['recipient_portal_id']],
  [`deal-applications/?direction=sent&${byRecipient(half)}&state=submitted`, ['recipient_portal_id', 'state']],
  ['deal-applications/?direction=sent&deal_id={deal}&state=submitted', ['deal_id']],
]
const received: Case[] = [
  ['deals/?direction=received', []],
  ['deals/?direction=received&state=on_hold', ['state']],
  ['deals/?direction=received&stage=closing', ['stage_key']],
  ['deals/?direction=received&state=open&stage=funded', ['state', 'stage_key']],
  [`deals/?direction=received&business_id=${business}&stage=closing`, ['business_id']],
  ['deals/?direction=received&external_reference=ref-10000007', ['external_reference']],
  ['deal-applications/?direction=received', []],
  ['deal-applications/?direction=received&state=accepted', ['state']],
  ['deal-applications/?direction=received&deal_id={deal}&state=submitted', ['deal_id']],
]

test.each([...sent, ...received])('%s is found by %s, on its first pages and backward', async (path, columns) => {
  const by = path.includes('=received') ? lender : sender
  const first = `${path.replace('{deal}', application.deal_id)}&page_size=10`
  const { next_cursor } = (await by.call('GET', first)).body
  const more = next_cursor === null ? [] : [`${first}&cursor=${encodeURIComponent(next_cursor)}`]
  const { previous_cursor } = more[0] ? (await by.call('GET', more[0])).body : { previous_cursor: null }
  if (previous_cursor !== null) more.push(`${first}&cursor=${encodeURIComponent(previous_cursor)}`)
  for (const page of [first, ...more]) {
    const queries = await queriesOf(by, page)
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) await expectFound(query, columns, page)
  }
})

test('the deals that may get a new label are found by their ids, the own ones however many were sent', async () => {
  const { read } = server.context.database
  for (const portal of [sender, lender])
    for (const after of ['', 'deal_00000000000000000010003000']) {
      const queries: CompiledQuery[] = []
      const db = read.withPlugin({
        transformQuery({ node, queryId }) {
          queries.push(read.getExecutor().compileQuery(node, queryId))
          return node
        },
        transformResult: async ({ result }) => result,
      })
      await listStages(db, portal.id, after, 100)
      const [own = expect.fail(), received = expect.fail()] = queries
      await expectFound(own, ['recipient_portal_id'], 'own')
      await expectFound(received, [], 'received')
    }
})
