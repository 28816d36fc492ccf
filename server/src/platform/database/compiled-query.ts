// A query that runs on every request is built and compiled once; afterwards only its values change.
import { type CompiledQuery, type Insertable, sql } from 'kysely'
import type { Connection, Tx } from './database.ts'
import type { Tables } from './tables.ts'

/** What an engine may know about a query beside its text. */
export interface KnownQuery<Row = unknown> extends CompiledQuery<Row> {
  /** The very same text comes again and again: worth being prepared. */
  readonly isRepeated?: boolean
  /** Nobody waits for the answer: it may go out with the transaction's next statement or its commit, and fail there. */
  readonly isUnhurried?: boolean
}

interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

/** Stands in a query for the value with this name. */
class Placeholder {
  constructor(readonly name: string) {}
}

/**
 * `build` is called once per engine and shape. The values it is given are placeholders: it may put them anywhere
 * a value goes, and must decide nothing by them. What does decide the form of the query is its `shape`.
 */
export function compileOnce<Values extends Record<string, unknown>, Row>(
  build: (db: Connection, values: Values, shape: string) => Compilable<Row>,
): (db: Connection, values: Values, shape?: string) => Promise<Row[]> {
  const compiledQueries = cachePerEngine<string, CompiledQuery<Row>>()
  // safe because it answers to every name
  const placeholders = new Proxy({} as Values, {
    // safe because a placeholder only ever travels into the list of parameters
    get: (_, name) => new Placeholder(String(name)) as unknown,
  })
  return async (db, values, shape = '') => {
    const compiledByShape = compiledQueries(db)
    let compiled = compiledByShape.get(shape)
    if (!compiled) {
      if (compiledByShape.size >= maximumShapes) compiledByShape.clear()
      compiled = build(db, placeholders, shape).compile()
      compiledByShape.set(shape, compiled)
    }
    const query: KnownQuery<Row> = {
      sql: compiled.sql,
      query: compiled.query,
      queryId: compiled.queryId,
      parameters: compiled.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value)),
      // One of many shapes is planned for its values: how many rows a filter leaves differs too much.
      isRepeated: shape === '',
    }
    return (await db.executeQuery<Row>(query)).rows
  }
}

/**
 * Inserts rows of equal columns, which nobody waits for: what PostgreSQL has to say about them, such as that one is
 * there already, is thrown by the transaction's next statement or by its commit.
 */
export function compileInsert<Table extends keyof Tables>(
  table: Table,
  /** The columns by which a row may be there already; then its other columns are written over. */
  over: readonly (keyof Tables[Table] & string)[] = [],
): (tx: Tx, rows: readonly Insertable<Tables[Table]>[]) => Promise<void> {
  const compiledInserts = cachePerEngine<number, { columns: readonly string[]; query: CompiledQuery }>()
  return async (tx, rows) => {
    const columns = Object.keys(rows[0] ?? {})
    const compiledByCount = compiledInserts(tx)
    let compiled = compiledByCount.get(rows.length)
    // Comparing the names one by one is much cheaper than making one text of all of them to look up.
    if (compiled?.columns.length !== columns.length || columns.some((name, i) => name !== compiled?.columns[i])) {
      if (compiledByCount.size >= maximumShapes) compiledByCount.clear()
      const names = sql.join(columns.map((name) => sql.ref(name)))
      const values = sql.join(rows.map(() => sql`(${sql.join(columns)})`))
      const insert = sql`insert into ${sql.table(table)} (${names}) values ${values}${onConflict(columns, over)}`
      compiled = { columns, query: insert.compile(tx) }
      compiledByCount.set(rows.length, compiled)
    }
    const parameters: unknown[] = []
    for (const row of rows) {
      const values: Record<string, unknown> = row
      for (const column of columns) parameters.push(values[column])
    }
    const { sql: text, query, queryId } = compiled.query
    const insert: KnownQuery = { sql: text, query, queryId, parameters, isRepeated: true, isUnhurried: true }
    await tx.executeQuery(insert)
  }
}

function onConflict(columns: readonly string[], keys: readonly string[]) {
  if (keys.length === 0) return sql``
  const others = columns.filter((name) => !keys.includes(name))
  const assignments = others.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)
  return sql` on conflict (${sql.join(keys.map((name) => sql.ref(name)))}) do update set ${sql.join(assignments)}`
}

/** The engines write queries differently, so each has its own. */
function cachePerEngine<Key, Value>(): (db: Connection) => Map<Key, Value> {
  const caches = new Map<unknown, Map<Key, Value>>()
  return (db) => {
    const engine = db.getExecutor().adapter.constructor
    let cache = caches.get(engine)
    if (!cache) {
      cache = new Map()
      caches.set(engine, cache)
    }
    return cache
  }
}

const maximumShapes = 300
