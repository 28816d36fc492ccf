// PostgreSQL 15 and later.
import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { Logger } from '../logging.ts'
import { createAnnouncements } from './announcements.ts'
import { type ColumnTypes, ConnectionFailed, type Database, type DatabaseTrouble, type Tx } from './database.ts'
import { PostgresConnections, PostgresDriver } from './postgres-driver.ts'
import { channel, listenOnConnection, pastPooler } from './postgres-listening.ts'
import { analyseGrownTables } from './postgres-statistics.ts'
import { forgetStatistics, isLocked, rewriteTables } from './postgres-traces.ts'
import { requireVersion, VersionedClient } from './postgres-version.ts'
import { everyPortal, wallSetting } from './postgres-wall.ts'
import { noStatementsYet, openStatements } from './transactions.ts'

/** How long a statement may take: a request must be answered, an administrator can wait. */
export type Patience = 'request' | 'maintenance'

type PostgresConfig = Pick<Config, 'database_url' | 'database_pool_size' | 'database_pooler' | 'database_direct_url'>

export function openPostgres(config: PostgresConfig, log: Logger, patience: Patience): Database {
  const { database_url: connectionString = '', database_pooler } = config
  const isPooled = database_pooler === 'transaction'
  const directUrl = (isPooled ? config.database_direct_url : undefined) ?? connectionString
  const limits = patience === 'request' ? { statement_timeout: 2000, idle_in_transaction_session_timeout: 15_000 } : {}
  const pool = new pg.Pool({
    Client: VersionedClient,
    verify: requireVersion,
    connectionString,
    max: config.database_pool_size,
    connectionTimeoutMillis: 3000,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'portico',
    // A pooler has no session to give these to: there they come with each transaction.
    ...(!isPooled && { ...limits, options: `-c timezone=UTC -c ${wallSetting}=` }),
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle PostgreSQL connection'))
  // The pool listens only while a connection is idle: one that breaks in use fails its query, and nothing else.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'lost a PostgreSQL connection')),
  )
  const times = noStatementsYet()
  const connections = new PostgresConnections(pool, {
    isConnectionLost,
    silenceMs: patience === 'request' ? silenceMs : undefined,
    perTransaction: isPooled
      ? Object.entries({ timezone: "'UTC'", ...limits })
          .map(([name, value]) => `set local ${name} = ${value}`)
          .join('; ')
      : undefined,
  })
  const statementsIn = (scope: string) => {
    const dialect: Dialect = {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver(connections, scope),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    }
    const { db, transaction } = openStatements(dialect, times)
    return {
      read: db,
      write: db,
      transaction: <T>(work: (tx: Tx) => Promise<T>) => transaction(work),
      snapshot: <T>(work: (tx: Tx) => Promise<T>) =>
        transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' }),
    }
  }
  const everything = statementsIn(everyPortal)
  const db = everything.read
  const announcements = createAnnouncements(() => {
    // Beside every transaction: a notification inside one would make all commits wait for each other.
    sql
      .raw(`notify ${channel}`)
      .execute(db)
      .catch((error) => log.debug({ err: error }, 'could not announce events'))
  })
  const analysis = patience === 'request' ? analyseGrownTables(db, log) : undefined
  const itself = { variable: 'PORTICO_DATABASE_URL', announce: undefined }
  const portals = new Map<string, Database>()
  const database: Database = {
    engine: 'postgres',
    ...everything,
    within(portalId) {
      let own = portals.get(portalId)
      if (!own) {
        if (portals.size >= maximumPortals) portals.clear()
        own = { ...database, ...statementsIn(portalId) }
        portals.set(portalId, own)
      }
      return own
    },
    patiently: (work) => work(),
    tryLock: (name) => sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`,
    lock(name, mode) {
      const take = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
      return sql`${take}(hashtextextended(${name}, 0))`
    },
    // Cut to the milliseconds of the columns: what is due now must not be rounded into the future. now() stays the same for
    // a statement, so that an index can be searched by it.
    timeIn: (_clock, milliseconds) =>
      sql<string>`(date_trunc('milliseconds', now()) + ${Math.round(milliseconds)} * interval '1 millisecond')`,
    earlier: (column, milliseconds) =>
      sql<string>`(${sql.ref(column)} - ${Math.round(milliseconds)} * interval '1 millisecond')`,
    eventOrder: sql<number>`coalesce(inserted, 0)`,
    skipLocked: sql`for update skip locked`,
    async refreshStatistics(tables) {
      for (const table of tables) await sql.raw(`analyze ${table}`).execute(db)
    },
    // Rewriting every table after each erasure would stop the service too often: see `rewriteTables`.
    removeTraces: async () => true,
    forgetStatistics: (tables) => forgetStatistics(connectionString, tables),
    rewriteTables: (tables, rewriting) => rewriteTables(directUrl, tables, rewriting),
    jsonObject(members) {
      const parts = Object.entries(members).flatMap(([name, { column }]) => [sql.lit(name), sql.ref(column)])
      return sql<string>`json_build_object(${sql.join(parts)})`
    },
    announce: announcements.announce,
    listen(heard) {
      const stopHearing = announcements.listen(heard)
      // Only a session of one's own can listen. Without one, whoever listens looks every second.
      const listening = isPooled ? pastPooler(config.database_direct_url, db) : { ...itself, connectionString }
      const stopListening = listening && listenOnConnection(listening, announcements.tell, log)
      return async () => {
        await stopHearing()
        await stopListening?.()
      }
    },
    damage: () => undefined,
    writeRefusal: () => undefined,
    findDamage: async () => undefined,
    troubleOf,
    isLocked,
    connections: () => ({
      in_use: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    times,
    close() {
      announcements.stop()
      clearInterval(analysis)
      return connections.end()
    },
  }
  return database
}

/** Views of the database that are kept for the Portals that ask. */
const maximumPortals = 1000

/** The server ends a slow statement by itself; this is for one that does not answer at all. */
const silenceMs = 4000

export const postgresColumnTypes: ColumnTypes = {
  time: sql`timestamptz(3)`,
  date: sql`date`,
  // json, not jsonb: a record comes back with its keys in the order they were sent.
  json: sql`json`,
  boolean: sql`boolean`,
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  clustered: sql``,
}

/** SQLSTATE, or the code of an error of Node. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function troubleOf(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  const { constraint = '' } = error as { constraint?: string } // safe because it is a text on every error of pg
  if (code === '23505') return { kind: 'duplicate', constraint }
  if (code === '40001' || code === '40P01' || isForgotten(error)) return { kind: 'collision' }
  // A row that the wall between Portals refuses has the same code as a right that is missing: that is a mistake of ours.
  if (code === '42501' && !error.message.startsWith('permission denied') && !(error instanceof ConnectionFailed))
    return undefined
  if (error instanceof ConnectionFailed || overloadedCodes.test(code) || isConnectionLost(error))
    return { kind: 'unavailable' }
  return undefined
}

/** A prepared statement that a migration has made void, or that a pooler has lost: a new connection knows better. */
function isForgotten(error: Error): boolean {
  const code = codeOf(error)
  return code === '26000' || (code === '0A000' && error.message.includes('cached plan'))
}

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isForgotten(error)) return true
  return lostCodes.test(codeOf(error)) || lostMessages.test(error.message)
}

// SQLSTATE classes: resources, cancelled or timed out, transaction ended by the server, lock not to be had. And tables that
// are gone or may no longer be used, as while somebody restores them: the same work may succeed later.
const overloadedCodes = /^(53...|57014|25P0[1-4]|55P03|42P01|42501)$/
// Connection trouble, operator intervention, a server that has become a standby: a new connection may find the one that
// has taken over. Then Node's own codes.
const lostCodes = /^(08...|57P..|25006|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
const lostMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/
