// A query that runs on every request is built and compiled once; afterwards only its values change.
import type { CompiledQuery } from 'kysely'
import type { Connection } from './database.ts'

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
    const parameters = compiled.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value))
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}

const maximumShapes = 300
