// How lists are found: many rows like one, and a look at the plans of the queries that a list sends. On SQLite the plan
// names the columns that an index is searched by; on PostgreSQL the rows that were touched are counted.
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '../src/platform/database/database.ts'
import type { Tables } from '../src/platform/database/tables.ts'
import { engine, type TestPortal, type TestServer } from './harness.ts'

export const rowCount = 6000
/** The number of a copied row is more than this: numbers have the same length, and their texts the same order. */
const base = 10_000_000

/** An id, different in each row. */
export const numberedId = (prefix: string) => sql`${sql.lit(`${prefix}_000000000000000000`)} || cast(n as text)`

/** A time, in each row a second later than in the one before. */
export function secondsAfter(time: string): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`cast(${sql.lit(time)} as timestamptz) + (n - ${sql.lit(base)}) * interval '1 second'`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.lit(time)}, '+' || (n - ${sql.lit(base)}) || ' seconds')`
}

/** A value for the first 60 rows, the next 40, and the odd and even ones of the rest. */
export function spread(...[first, next, odd, even]: [string, string, string, string]) {
  return sql`case when n <= ${sql.lit(base + 60)} then ${sql.lit(first)} when n <= ${sql.lit(base + 100)} then ${sql.lit(next)}
    when n % 2 = 1 then ${sql.lit(odd)} else ${sql.lit(even)} end`
}

/** Many rows like one, with what is to be different in them. */
export async function copyRows(
  { context: { database } }: TestServer,
  table: keyof Tables,
  of: string,
  different: Readonly<Record<string, RawBuilder<unknown>>>,
): Promise<void> {
  const row = await database.read.selectFrom(table).selectAll().where('id', '=', of).executeTakeFirstOrThrow()
  const columns = Object.keys(row)
  const values = columns.map((name) => different[name] ?? sql.ref(`one.${name}`))
  await database.transaction((tx) =>
    sql`
      with recursive numbers (n) as (
        select ${sql.lit(base + 1)} union all select n + 1 from numbers where n < ${sql.lit(base + rowCount)}
      )
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from numbers, ${sql.table(table)} as one where one.id = ${of}
    `.execute(tx),
  )
}

/** What PostgreSQL knows of tables is brought up to date, as it is soon after they have grown. */
export async function refreshPlans({ context: { database } }: TestServer): Promise<void> {
  if (engine === 'postgres') await sql`analyze`.execute(database.write)
}

/** The page queries of a request, as they were sent to the database. */
async function queriesOf({ context }: TestServer, by: TestPortal, path: string): Promise<CompiledQuery[]> {
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
  context.database = watched(database)
  try {
    const answer = await by.call('GET', path)
    expect(answer.status, answer.text).toBe(200)
  } finally {
    context.database = database
  }
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

/** The columns that a search must go by beside the Portal: those of the filters. One with `<` or `>` bounds a range. */
export async function expectFound(
  database: Database,
  query: CompiledQuery,
  columns: readonly string[],
  name: string,
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
      (step) => /^SCAN|TEMP B-TREE/.test(step) && step !== `SCAN ${recursive}` && step !== 'SCAN CONSTANT ROW',
    ),
    `${name}: ${steps}`,
  ).toEqual([])
  if (recursive !== undefined) return
  const search = steps.find((step) => /(_by_\w+|_pkey|autoindex_\w+|PRIMARY KEY) \(portal_id=\?/.test(step)) ?? ''
  for (const column of columns) {
    const condition = /[<>]$/.test(column) ? `${column}?` : `${column}=?`
    expect([name, search]).toEqual([name, expect.stringContaining(condition)])
  }
}

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
