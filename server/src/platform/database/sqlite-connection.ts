// One connection to the file of a SQLite database. Its statements are prepared once and hand back the values that
// PostgreSQL would.
import type { DatabaseSync } from '@photostructure/sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { createRowMaker } from './row-maker.ts'

export type NativeConnection = InstanceType<typeof DatabaseSync>
type NativeStatement = ReturnType<NativeConnection['prepare']>

export class SqliteConnection implements DatabaseConnection {
  readonly #native: NativeConnection
  readonly #failed: (error: unknown) => void
  readonly #statements = new Map<string, { statement: NativeStatement; read: RowReader | undefined }>()

  /** `failed` is told of every error. */
  constructor(native: NativeConnection, failed: (error: unknown) => void) {
    this.#native = native
    this.#failed = failed
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { statement, read } = this.#prepare(query.sql)
      const parameters = query.parameters.map(toSqlite)
      if (!read) {
        const { changes } = statement.run(...parameters)
        return { rows: [], numAffectedRows: BigInt(changes) }
      }
      // safe because such a statement returns arrays, and Kysely derived R from the columns they are the values of
      return { rows: (statement.all(...parameters) as unknown as unknown[][]).map(read) as R[] }
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  // biome-ignore lint/correctness/useYield: SQLite answers at once, there is nothing to stream
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('SQLite results are not streamed')
  }

  #prepare(text: string) {
    let entry = this.#statements.get(text)
    if (!entry) {
      if (this.#statements.size >= maximumStatements) this.#statements.clear()
      const statement = this.#native.prepare(text)
      entry = { statement, read: readerOf(statement) }
      this.#statements.set(text, entry)
    }
    return entry
  }
}

type RowReader = (values: unknown[]) => Record<string, unknown>

/** How to make a row with the values PostgreSQL would give, from the declared column types; undefined for a statement without rows. */
function readerOf(statement: NativeStatement): RowReader | undefined {
  const columns = statement.columns()
  if (columns.length === 0) return undefined
  statement.setReturnArrays(true)
  const makeRow = createRowMaker(columns.map((column) => column.name))
  const indexesOf = (type: string) => columns.flatMap((column, index) => (column.type === type ? [index] : []))
  const json = indexesOf('json')
  const booleans = indexesOf('boolean')
  return (values) => {
    for (const index of json) {
      const value = values[index]
      if (typeof value === 'string') values[index] = parseJson(value)
    }
    for (const index of booleans) {
      if (values[index] !== null) values[index] = values[index] === 1
    }
    return makeRow(values)
  }
}

/** Lists that are empty are the rule, and looking is faster than parsing. */
function parseJson(text: string): unknown {
  return text === '[]' ? [] : JSON.parse(text)
}

function toSqlite(value: unknown): string | number | bigint | null | Uint8Array {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) return null
  // safe because queries bind only texts, numbers, booleans and null
  return value as string | number | null
}

/** Whether another process was in the way. */
export function isBusy(error: unknown): boolean {
  return /database is locked|database table is locked/.test(messageOf(error))
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

const maximumStatements = 500
