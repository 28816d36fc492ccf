// SQLite inside the process: one writing connection, one reading connection beside it.
// Every statement is synchronous, so a reading connection is never busy when the next statement arrives.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { isoTime } from '../clock.ts'
import { createAnnouncements } from './announcements.ts'
import type { ColumnTypes, Database, DatabaseTrouble } from './database.ts'
import { QueueFullError } from './queue.ts'
import { isBusy, messageOf, type NativeConnection, SqliteConnection } from './sqlite-connection.ts'
import { GroupLostError, SqliteDriver } from './sqlite-driver.ts'
import { openStatements } from './transactions.ts'

export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true })
  const writer = openConnection(file)
  // Whoever opens a database first, or after a crash, holds it for a moment; the others may well wait that long.
  writer.exec(`pragma busy_timeout = ${openingTimeoutMs}`)
  writer.exec('pragma journal_mode = wal')
  // Not earlier: even this reads the file, and may have to wait.
  writer.exec(`pragma cache_size = -${cacheKilobytes}`)
  writer.exec('pragma synchronous = full')
  // Pages that change in many transactions are then copied into the database once for all of them, but never so many
  // at once that requests, or a start after a crash, would have to wait for it.
  writer.exec('pragma wal_autocheckpoint = 2000')
  writer.exec('pragma foreign_keys = on')
  // From here on waiting is done in `beginWhenFree`, which does not stop the process.
  writer.exec('pragma busy_timeout = 0')
  const reader = openConnection(file)
  reader.exec('pragma query_only = on')
  reader.exec(`pragma cache_size = -${cacheKilobytes}`)
  const write = openWriting(writer)
  const read = openReading(reader)
  const announcements = createAnnouncements()
  return {
    engine: 'sqlite',
    read,
    write: write.db,
    transaction: (work) => write.transaction(work),
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
      const own = openWriting(connection, 'begin')
      try {
        return await own.transaction(work)
      } finally {
        await own.db.destroy()
      }
    },
    // One transaction at a time writes: whoever runs has the lock already.
    tryLock: () => sql<boolean>`1`,
    timeIn: (clock, milliseconds) => sql<string>`${isoTime(clock.now() + milliseconds)}`,
    earlier: (column, milliseconds) =>
      sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.ref(column)}, ${`-${(milliseconds / 1000).toFixed(3)} seconds`})`,
    eventOrder: sql<number>`rowid`,
    skipLocked: sql``,
    // Without statistics SQLite takes the index that fits best, whatever the size of a table.
    refreshStatistics: async () => undefined,
    jsonObject(members) {
      const parts = Object.entries(members).flatMap(([name, { column, isJson }]) => [
        sql.lit(name),
        isJson ? sql`json(${sql.ref(column)})` : sql.ref(column),
      ])
      return sql<string>`json_object(${sql.join(parts)})`
    },
    announce: announcements.announce,
    listen: announcements.listen,
    troubleOf,
    async close() {
      announcements.stop()
      await read.destroy()
      await write.db.destroy()
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

function openWriting(native: NativeConnection, begin = 'begin immediate') {
  return openStatements(dialectOf(new SqliteDriver(native, begin)))
}

/** Statements without transactions: there is nothing to wait for, so none goes the long way through a driver's queue. */
function openReading(native: NativeConnection) {
  const connection = new SqliteConnection(native)
  return openStatements(dialectOf(new ReadingDriver(native, 'begin')), { provideConnection: (use) => use(connection) })
    .db
}

class ReadingDriver extends SqliteDriver {
  override async beginTransaction(): Promise<void> {
    throw new Error('the reading connection has no transactions; use snapshot')
  }
}

function dialectOf(driver: Driver): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** SQLite's DDL is transactional, and `begin immediate` already keeps other processes from migrating at once. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

function troubleOf(error: unknown): DatabaseTrouble | undefined {
  if (error instanceof QueueFullError || error instanceof GroupLostError || isBusy(error))
    return { kind: 'unavailable' }
  const message = messageOf(error)
  const duplicate = /UNIQUE constraint failed: (?:index ')?([\w.]+)/.exec(message)
  if (duplicate) return { kind: 'duplicate', constraint: duplicate[1] ?? '' }
  if (
    /database or disk is full|disk I\/O error|unable to open database|readonly database|database is not open|disk image is malformed|file is not a database/.test(
      message,
    )
  )
    return { kind: 'unavailable' }
  return undefined
}

const openingTimeoutMs = 5000
const busyTimeoutMs = 50
/** A connection's own memory for pages; with SQLite's 2 MB even the upper levels of the indexes are read again and again. */
const cacheKilobytes = 16_000
