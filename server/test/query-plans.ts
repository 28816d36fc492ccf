// How lists are found: a look at the plans of the queries that a list sends. On SQLite the plan names the columns that
// an index is searched by; on PostgreSQL the rows that were touched are counted.
import { type CompiledQuery, sql } from 'kysely'
import { expect } from 'vitest'
import type { Connection, Database } from '../src/platform/database/database.ts'
import { engine, type TestPortal, type TestServer } from './harness.ts'
import { atLeisure, rowCount } from './many-rows.ts'

/** What PostgreSQL knows of tables is brought up to date, as it is soon after they have grown. */
export async function refreshPlans({ context }: TestServer): Promise<void> {
  if (engine === 'postgres') await atLeisure(context, (tx) => sql`analyze`.execute(tx))
}

/** The page queries of a request, as they were sent to the database. */
export async function queriesOf({ context }: TestServer, by: TestPortal, path: string): Promise<CompiledQuery[]> {
  const { database } = context
  const queries: CompiledQuery[] = []
  const watched = (one: Database): Database => ({
    ...one,
    read: new Proxy(one.read, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (name !== 'executeQuery') return typeof member === 'function' ? member.bind(target) : member
        return (query: CompiledQuery) => {
          if (/order by|limit/.test(query.sql) && !isNumbering(query)) queries.push(query)
          return target.executeQuery(query)
        }
      },
    }),
    within: (portalId) => watched(one.within(portalId)),
  })
  // In place: the server has taken the database from the context long ago.
  const { read, within } = database
  const { read: readWatched, within: withinWatched } = watched({ ...database })
  Object.assign(database, { read: readWatched, within: withinWatched })
  try {
    const answer = await by.call('GET', path)
    expect(answer.status, answer.text).toBe(200)
  } finally {
    Object.assign(database, { read, within })
  }
  return queries
}

/** The queries of some work, as they were sent to the database. */
export async function queriesSent(
  db: Connection,
  work: (db: Connection) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = []
  await work(
    db.withPlugin({
      transformQuery({ node, queryId }) {
        queries.push(db.getExecutor().compileQuery(node, queryId))
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  )
  return queries
}

/** Whether events wait for their number, or entries for their place, is looked up before a page of them is. */
const isNumbering = ({ sql }: CompiledQuery) => /sequence"? is null/.test(sql)

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

async function explain({ read }: Database, query: CompiledQuery): Promise<Record<string, unknown>[]> {
  const how = engine === 'postgres' ? 'explain (analyze, format json)' : 'explain query plan'
  const { rows } = await read.executeQuery({ ...query, sql: `${how} ${query.sql}` })
  return rows as Record<string, unknown>[] // safe because every engine explains in rows
}

/**
 * The columns that a search must go by beside the Portal: those of the filters. One with `<` or `>` bounds a range; several
 * in brackets are where a page begins.
 */
export async function expectFound(
  database: Database,
  query: CompiledQuery,
  columns: readonly string[],
  name: string,
  { maySort = false } = {},
): Promise<void> {
  const rows = await explain(database, query)
  if (engine === 'postgres') {
    const plan = rows[0]?.['QUERY PLAN']
    // safe because it was asked for as JSON
    const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
    expect(touched(Plan), `${name}: ${JSON.stringify(Plan)}`).toBeLessThan(rowCount / 10)
    return
  }
  const steps = rows.map(({ detail }) => String(detail))
  const [, recursive] = /with recursive (\w+)/.exec(query.sql) ?? []
  expect(
    steps.filter(
      (step) =>
        (maySort ? /^SCAN/ : /^SCAN|TEMP B-TREE/).test(step) &&
        step !== `SCAN ${recursive}` &&
        step !== 'SCAN CONSTANT ROW',
    ),
    `${name}: ${steps}`,
  ).toEqual([])
  if (recursive !== undefined) return
  const search = steps.find((step) => /(_by_\w+|_pkey|autoindex_\w+|PRIMARY KEY) \(portal_id=\?/.test(step)) ?? ''
  for (const column of columns) {
    const [, bounded, compare] = /^(\w+)([<>])$/.exec(column) ?? []
    // Where a page begins is within the bound.
    const conditions = compare
      ? [`${column}?`, `(${bounded},id)${compare}`]
      : [column.startsWith('(') ? column : `${column}=?`]
    expect([name, search]).toEqual([name, expect.stringMatching(conditions.map(escaped).join('|'))])
  }
}

const escaped = (text: string) => text.replace(/[()?]/g, '\\$&')

/** The first page, the next one, and that one's way back: all are found by the columns. */
export async function expectPagesFound(
  server: TestServer,
  by: TestPortal,
  path: string,
  columns: readonly string[],
): Promise<void> {
  const first = `${path}${path.includes('?') ? '&' : '?'}page_size=10`
  const { next_cursor } = (await by.call('GET', first)).body
  const more = next_cursor === null ? [] : [`${first}&cursor=${encodeURIComponent(next_cursor)}`]
  const { previous_cursor } = more[0] ? (await by.call('GET', more[0])).body : { previous_cursor: null }
  if (previous_cursor !== null) more.push(`${first}&cursor=${encodeURIComponent(previous_cursor)}`)
  for (const page of [first, ...more]) {
    const queries = await queriesOf(server, by, page)
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) await expectFound(server.context.database.within(by.id), query, columns, page)
  }
}

/** A page behind two others begins where the one before it ended, and so does the look back. */
export async function expectDeepPagesFound(server: TestServer, by: TestPortal, path: string): Promise<void> {
  let page = `${path}&page_size=100`
  for (let depth = 0; depth < 2; depth++)
    page = `${path}&page_size=100&cursor=${encodeURIComponent((await by.call('GET', page)).body.next_cursor)}`
  const queries = await queriesOf(server, by, page)
  expect(queries.length).toBe(2)
  for (const query of queries)
    await expectFound(server.context.database.within(by.id), query, ['(created_at,id)'], page)
}
