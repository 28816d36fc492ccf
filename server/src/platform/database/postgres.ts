// PostgreSQL 15 and later.
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { Logger } from '../logging.ts'
import { createAnnouncements } from './announcements.ts'
import { type ColumnTypes, ConnectionFailed, type Database, type DatabaseTrouble } from './database.ts'
import { PostgresDriver } from './postgres-driver.ts'
import { channel, listenOnConnection } from './postgres-listening.ts'
import { analyseGrownTables } from './postgres-statistics.ts'
import { openStatements } from './transactions.ts'

/** How long a statement may take: a request must be answered, an administrator can wait. */
export type Patience = 'request' | 'maintenance'

export function openPostgres(
  config: Pick<Config, 'database_url' | 'database_pool_size'>,
  log: Logger,
  patience: Patience,
): Database {
  const pool = new pg.Pool({
    connectionString: config.database_url,
    max: config.database_pool_size,
    connectionTimeoutMillis: 3000,
    ...(patience === 'request' && {
      statement_timeout: 2000,
      idle_in_transaction_session_timeout: 15_000,
    }),
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'portico',
    options: '-c timezone=UTC',
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle PostgreSQL connection'))
  // The pool listens only while a connection is idle: one that breaks in use fails its query, and nothing else.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'lost a PostgreSQL connection')),
  )
  const { db, transaction } = openStatements({
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, isConnectionLost, patience === 'request' ? silenceMs : undefined),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  })
  const announcements = createAnnouncements(() => {
    // Beside every transaction: a notification inside one would make all commits wait for each other.
    sql
      .raw(`notify ${channel}`)
      .execute(db)
      .catch((error) => log.debug({ err: error }, 'could not announce events'))
  })
  const analysis = patience === 'request' ? analyseGrownTables(db, log) : undefined
  return {
    engine: 'postgres',
    read: db,
    write: db,
    transaction: (work) => transaction(work),
    patiently: (work) => work(),
    snapshot: (work) => transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' }),
    tryLock: (name) => sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`,
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
    jsonObject(members) {
      const parts = Object.entries(members).flatMap(([name, { column }]) => [sql.lit(name), sql.ref(column)])
      return sql<string>`json_build_object(${sql.join(parts)})`
    },
    announce: announcements.announce,
    listen(heard) {
      const stopHearing = announcements.listen(heard)
      const stopListening = listenOnConnection(config.database_url ?? '', announcements.tell)
      return async () => {
        await stopHearing()
        await stopListening()
      }
    },
    troubleOf,
    close() {
      announcements.stop()
      clearInterval(analysis)
      return db.destroy()
    },
  }
}

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

function troubleOf(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', constraint = '' } = error as { code?: string; constraint?: string } // safe because both are texts on every error of pg and Node
  if (code === '23505') return { kind: 'duplicate', constraint }
  if (code === '40001' || code === '40P01' || isForgotten(error)) return { kind: 'collision' }
  if (error instanceof ConnectionFailed || overloadedCodes.test(code) || isConnectionLost(error))
    return { kind: 'unavailable' }
  return undefined
}

/** A prepared statement that a migration has made void, or that a pooler has lost: a new connection knows better. */
function isForgotten(error: Error): boolean {
  const { code = '' } = error as { code?: string } // safe because it is a text on every error of pg and Node
  return code === '26000' || (code === '0A000' && error.message.includes('cached plan'))
}

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isForgotten(error)) return true
  const { code = '' } = error as { code?: string } // safe because it is a text on every error of pg and Node
  return lostCodes.test(code) || lostMessages.test(error.message)
}

// SQLSTATE classes: resources, cancelled or timed out, read-only, transaction ended by the server, lock not to be had.
const overloadedCodes = /^(53...|57014|25006|25P0[1-4]|55P03)$/
// Connection trouble and operator intervention, then Node's own codes.
const lostCodes = /^(08...|57P..|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
const lostMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/
