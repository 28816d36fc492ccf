// SQLite inside the process: one writing connection, one reading connection beside it.
// Every statement is synchronous, so a reading connection is never busy when the next statement arrives.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { isoTime } from '../clock.ts'
import { createAnnouncements } from './announcements.ts'
import type { ColumnTypes, Database, DatabaseTrouble, StatementTimes } from './database.ts'
import { QueueFullError } from './queue.ts'
import { isBusy, messageOf, type NativeConnection, SqliteConnection } from './sqlite-connection.ts'
import { type Damage, DatabaseDamaged, isDamage, isUnwritable, watchForDamage } from './sqlite-damage.ts'
import { GroupLostError, SqliteDriver } from './sqlite-driver.ts'
import { noStatementsYet, openStatements } from './transactions.ts'

export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true })
  const damage = watchForDamage(file)
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
  const times = noStatementsYet()
  const write = openWriting(writer, damage, times)
  const read = openReading(reader, damage, times)
  const announcements = createAnnouncements()
  const database: Database = {
    engine: 'sqlite',
    read,
    write: write.db,
    transaction(work) {
      const found = damage.found()
      if (found === undefined) return write.transaction(work)
      return Promise.reject(new DatabaseDamaged(`the database file is damaged: ${found}`))
    },
    damage: damage.found,
    writeRefusal: damage.refusal,
    findDamage: damage.look,
    // SQLite has no row-level security: here the queries alone keep Portals apart.
    within: () => database,
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
      const own = openWriting(connection, damage, times, 'begin')
      try {
        return await own.transaction(work)
      } finally {
        await own.db.destroy()
      }
    },
    // One transaction at a time writes: whoever runs has the lock already.
    tryLock: () => sql<boolean>`1`,
    lock: () => sql`1`,
    timeIn: (clock, milliseconds) => sql<string>`${isoTime(clock.now() + milliseconds)}`,
    earlier: (column, milliseconds) =>
      sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.ref(column)}, ${`-${(milliseconds / 1000).toFixed(3)} seconds`})`,
    eventOrder: sql<number>`rowid`,
    skipLocked: sql``,
    // Without statistics SQLite takes the index that fits best, whatever the size of a table.
    refreshStatistics: async () => undefined,
    async removeTraces() {
      writer.exec(`pragma busy_timeout = ${openingTimeoutMs}`)
      try {
        // Free pages, and the free places in pages, keep what was there.
        writer.exec('vacuum')
        // The log keeps the pages as they were until it begins anew.
        const [row] = writer.prepare('pragma wal_checkpoint(truncate)').all()
        return row?.busy === 0
      } finally {
        writer.exec('pragma busy_timeout = 0')
      }
    },
    forgetStatistics: async () => undefined,
    rewriteTables: async () => ({ older: [], left: [] }),
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
    // `patiently` has waited already.
    isLocked: () => false,
    connections: () => write.driver.load,
    times,
    async close() {
      damage.stop()
      announcements.stop()
      await read.destroy()
      await write.db.destroy()
    },
  }
  return database
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

function openWriting(native: NativeConnection, damage: Damage, times: StatementTimes, begin = 'begin immediate') {
  const driver = new SqliteDriver(native, begin, damage.note)
  return { driver, ...openStatements(dialectOf(driver), times) }
}

/** Statements without transactions: there is nothing to wait for, so none goes the long way through a driver's queue. */
function openReading(native: NativeConnection, damage: Damage, times: StatementTimes) {
  const connection = new SqliteConnection(native, damage.note)
  const lend = { provideConnection: <T>(use: (one: SqliteConnection) => Promise<T>) => use(connection) }
  return openStatements(dialectOf(new ReadingDriver(native, 'begin', damage.note)), times, lend).db
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
  if (error instanceof QueueFullError || error instanceof GroupLostError || error instanceof DatabaseDamaged)
    return { kind: 'unavailable' }
  if (isBusy(error) || isDamage(error) || isUnwritable(error)) return { kind: 'unavailable' }
  const message = messageOf(error)
  const duplicate = /UNIQUE constraint failed: (?:index ')?([\w.]+)/.exec(message)
  if (duplicate) return { kind: 'duplicate', constraint: duplicate[1] ?? '' }
  // Tables that are gone, as while somebody restores them.
  if (/unable to open database|database is not open|no such table/.test(message)) return { kind: 'unavailable' }
  return undefined
}

const openingTimeoutMs = 5000
const busyTimeoutMs = 50
/** A connection's own memory for pages; with SQLite's 2 MB even the upper levels of the indexes are read again and again. */
const cacheKilobytes = 16_000
