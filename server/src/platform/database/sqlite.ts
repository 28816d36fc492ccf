// SQLite inside the process: one writing connection behind a queue, one reading connection beside it.
// Every statement is synchronous, so a reading connection is never busy when the next statement arrives.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { ColumnTypes, Database, DatabaseTrouble } from './database.ts'
import { createQueue, QueueFullError } from './queue.ts'
import { createRowMaker } from './row-maker.ts'
import type { Tables } from './tables.ts'

export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true })
  const writer = openConnection(file)
  // Whoever opens a database first, or after a crash, holds it for a moment; the others may well wait that long.
  writer.exec(`pragma busy_timeout = ${openingTimeoutMs}`)
  writer.exec('pragma journal_mode = wal')
  // Not earlier: even this reads the file, and may have to wait.
  writer.exec(`pragma cache_size = -${cacheKilobytes}`)
  writer.exec('pragma synchronous = full')
  // Pages that change in many transactions are then copied into the database once for all of them.
  writer.exec('pragma wal_autocheckpoint = 8000')
  writer.exec('pragma foreign_keys = on')
  // From here on waiting is done in `beginWhenFree`, which does not stop the process.
  writer.exec('pragma busy_timeout = 0')
  const reader = openConnection(file)
  reader.exec('pragma query_only = on')
  reader.exec(`pragma cache_size = -${cacheKilobytes}`)
  const write = openKysely(writer, true)
  const read = openKysely(reader, false)
  return {
    engine: 'sqlite',
    read,
    write,
    transaction: (work) => write.transaction().execute(work),
    async patiently(work) {
      writer.exec(`pragma busy_timeout = ${openingTimeoutMs}`)
      try {
        return await work()
      } finally {
        writer.exec('pragma busy_timeout = 0')
      }
    },
    async snapshot(work) {
      const connection = openConnection(file)
      connection.exec('pragma query_only = on')
      const own = openKysely(connection, true, 'begin')
      try {
        return await own.transaction().execute(work)
      } finally {
        await own.destroy()
      }
    },
    // One transaction at a time writes: whoever runs has the lock already.
    tryLock: () => sql<boolean>`1`,
    skipLocked: sql``,
    troubleOf,
    async close() {
      await read.destroy()
      await write.destroy()
    },
  }
}

export const sqliteColumnTypes: ColumnTypes = {
  // The declared names tell `readerOf` how to hand a value back.
  time: sql`text`,
  date: sql`text`,
  json: sql`json`,
  boolean: sql`boolean`,
  text: sql`text`,
  integer: sql`integer`,
  clustered: sql`without rowid`,
}

function openConnection(file: string): NativeConnection {
  return new DatabaseSync(file, { timeout: busyTimeoutMs })
}

function openKysely(connection: NativeConnection, isExclusive: boolean, begin = 'begin immediate'): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new TransactionalSqliteAdapter(),
      createDriver: () => new SqliteDriver(connection, isExclusive, begin),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** SQLite's DDL is transactional, and `begin immediate` already keeps other processes from migrating at once. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #native: NativeConnection
  readonly #connection: SqliteConnection
  readonly #queue: ReturnType<typeof createQueue> | undefined
  readonly #begin: string

  constructor(native: NativeConnection, isExclusive: boolean, begin: string) {
    this.#native = native
    this.#connection = new SqliteConnection(native)
    this.#queue = isExclusive ? createQueue({ maximumWaiting: 2000, maximumWaitMs: 10_000 }) : undefined
    this.#begin = begin
  }

  async init(): Promise<void> {
    // The connection is open from the start.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#queue?.enter()
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    await beginWhenFree(this.#native, this.#begin)
  }

  async commitTransaction(): Promise<void> {
    this.#native.exec('commit')
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#native.isTransaction) this.#native.exec('rollback')
  }

  async releaseConnection(): Promise<void> {
    this.#queue?.leave()
  }

  async destroy(): Promise<void> {
    if (this.#native.isOpen) this.#native.close()
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #native: NativeConnection
  readonly #statements = new Map<string, { statement: NativeStatement; read: RowReader | undefined }>()

  constructor(native: NativeConnection) {
    this.#native = native
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, read } = this.#prepare(query.sql)
    const parameters = query.parameters.map(toSqlite)
    if (!read) {
      const { changes } = statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    }
    // safe because such a statement returns arrays, and Kysely derived R from the columns they are the values of
    return { rows: (statement.all(...parameters) as unknown as unknown[][]).map(read) as R[] }
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
      if (typeof value === 'string') values[index] = JSON.parse(value)
    }
    for (const index of booleans) {
      if (values[index] !== null) values[index] = values[index] === 1
    }
    return makeRow(values)
  }
}

function toSqlite(value: unknown): string | number | bigint | null | Uint8Array {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) return null
  // safe because queries bind only texts, numbers, booleans and null
  return value as string | number | null
}

/** Another process may be writing: wait for it without holding up this process's other work. */
async function beginWhenFree(native: NativeConnection, begin: string): Promise<void> {
  const deadline = Date.now() + maximumBeginWaitMs
  for (;;) {
    try {
      native.exec(begin)
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))
    }
  }
}

function troubleOf(error: unknown): DatabaseTrouble | undefined {
  if (error instanceof QueueFullError || isBusy(error)) return { kind: 'unavailable' }
  const message = messageOf(error)
  const duplicate = /UNIQUE constraint failed: (?:index ')?([\w.]+)/.exec(message)
  if (duplicate) return { kind: 'duplicate', constraint: duplicate[1] ?? '' }
  if (
    /database or disk is full|disk I\/O error|unable to open database|readonly database|database is not open/.test(
      message,
    )
  )
    return { kind: 'unavailable' }
  return undefined
}

function isBusy(error: unknown): boolean {
  return /database is locked|database table is locked/.test(messageOf(error))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

type NativeConnection = InstanceType<typeof DatabaseSync>
type NativeStatement = ReturnType<NativeConnection['prepare']>

const openingTimeoutMs = 5000
const busyTimeoutMs = 50
/** A connection's own memory for pages; with SQLite's 2 MB even the upper levels of the indexes are read again and again. */
const cacheKilobytes = 16_000
const maximumBeginWaitMs = 5000
const maximumStatements = 500
