// A query that runs on every request is built and compiled once; afterwards only its values change.
import { type CompiledQuery, type Insertable, sql } from 'kysely'
import type { Connection, Tx } from './database.ts'
import type { Tables } from './tables.ts'

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
  const compiledByShape = new Map<string, CompiledQuery<Row>>()
  // safe because it answers to every name
  const placeholders = new Proxy({} as Values, {
    // safe because a placeholder only ever travels into the list of parameters
    get: (_, name) => new Placeholder(String(name)) as unknown,
  })
  return async (db, values, shape = '') => {
    const cacheKey = `${db.getExecutor().adapter.constructor.name} ${shape}`
    let compiled = compiledByShape.get(cacheKey)
    if (!compiled) {
      if (compiledByShape.size >= maximumShapes) compiledByShape.clear()
      compiled = build(db, placeholders, shape).compile()
      compiledByShape.set(cacheKey, compiled)
    }
    const { sql: text, query, queryId } = compiled
    const parameters = compiled.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value))
    return (await db.executeQuery<Row>({ sql: text, query, queryId, parameters })).rows
  }
}

/**
 * Inserts rows of equal columns. A row that would double the columns of `unique` is left out;
 * the answer says how many went in.
 */
export function compileInsert<Table extends keyof Tables>(
  table: Table,
  { unique }: { unique?: readonly (keyof Tables[Table] & string)[] } = {},
): (tx: Tx, rows: readonly Insertable<Tables[Table]>[]) => Promise<number> {
  const compiledByCount = new Map<string, { columns: readonly string[]; query: CompiledQuery }>()
  const names = (list: readonly string[]) => sql.join(list.map((name) => sql.ref(name)))
  return async (tx, rows) => {
    const columns = Object.keys(rows[0] ?? {})
    const cacheKey = `${tx.getExecutor().adapter.constructor.name} ${rows.length}`
    let compiled = compiledByCount.get(cacheKey)
    // Comparing the names one by one is much cheaper than making one text of all of them to look up.
    if (compiled?.columns.length !== columns.length || columns.some((name, i) => name !== compiled?.columns[i])) {
      if (compiledByCount.size >= maximumShapes) compiledByCount.clear()
      const values = sql.join(rows.map(() => sql`(${sql.join(columns)})`))
      const leaveOut = unique ? sql`on conflict (${names(unique)}) do nothing` : sql``
      const text = sql`insert into ${sql.table(table)} (${names(columns)}) values ${values} ${leaveOut}`
      compiled = { columns, query: text.compile(tx) }
      compiledByCount.set(cacheKey, compiled)
    }
    const parameters: unknown[] = []
    for (const row of rows) {
      const values: Record<string, unknown> = row
      for (const column of columns) parameters.push(values[column])
    }
    const { numAffectedRows } = await tx.executeQuery({ ...compiled.query, parameters })
    return Number(numAffectedRows)
  }
}

const maximumShapes = 300
