// Forward-only migrations. Any number of processes may migrate at once: PostgreSQL's advisory lock or SQLite's
// write lock lets one of them work, and the others find the work done.
import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Connection, Database, Tx } from './database.ts'
import { firstSchema } from './migrations/0001-first-schema.ts'
import { questionnaires } from './migrations/0002-questionnaires.ts'
import { searchText } from './migrations/0003-search-text.ts'
import { applications } from './migrations/0004-applications.ts'
import { searchWords } from './migrations/0005-search-words.ts'
import { portalSettings } from './migrations/0006-portal-settings.ts'
import { fundingRecommendations } from './migrations/0007-funding-recommendations.ts'
import { deals } from './migrations/0008-deals.ts'
import { webhooks } from './migrations/0009-webhooks.ts'
import { keptTime } from './migrations/0010-kept-time.ts'
import { submittedApplications } from './migrations/0011-submitted-applications.ts'
import { matchingOverTime } from './migrations/0012-matching-over-time.ts'
import { eventTimes } from './migrations/0013-event-times.ts'
import { recipientStages } from './migrations/0014-recipient-stages.ts'
import { preparedPrograms } from './migrations/0015-prepared-programs.ts'
import { tellingTurns } from './migrations/0016-telling-turns.ts'
import { olderSecrets } from './migrations/0017-older-secrets.ts'
import { orderOfEvents } from './migrations/0018-order-of-events.ts'
import { auditLog } from './migrations/0020-audit-log.ts'
import { erasures } from './migrations/0021-erasures.ts'
import { secretKeys } from './migrations/0022-secret-keys.ts'
import { portalWall } from './migrations/0023-portal-wall.ts'
import { raiseWall } from './postgres-wall.ts'
import { sqliteColumnTypes } from './sqlite.ts'

/** From here on, every table with a `portal_id` is behind the wall, those of later migrations too. */
const firstWithWall = '0023-portal-wall'

type SchemaChange = (db: Kysely<unknown>, types: ColumnTypes, engine: Database['engine']) => Promise<void>

const schemaChanges: Record<string, SchemaChange> = {
  '0001-first-schema': firstSchema,
  '0002-questionnaires': questionnaires,
  '0003-search-text': searchText,
  '0004-applications': applications,
  '0005-search-words': searchWords,
  '0006-portal-settings': portalSettings,
  '0007-funding-recommendations': fundingRecommendations,
  '0008-deals': deals,
  '0009-webhooks': webhooks,
  '0010-kept-time': keptTime,
  '0011-submitted-applications': submittedApplications,
  '0012-matching-over-time': matchingOverTime,
  '0013-event-times': eventTimes,
  '0014-recipient-stages': recipientStages,
  '0015-prepared-programs': preparedPrograms,
  '0016-telling-turns': tellingTurns,
  '0017-older-secrets': olderSecrets,
  '0018-order-of-events': orderOfEvents,
  '0020-audit-log': auditLog,
  '0021-erasures': erasures,
  '0022-secret-keys': secretKeys,
  [firstWithWall]: portalWall,
}

/** Up to the migration that is named, or to the last one. The names of the migrations that ran just now. */
export async function migrate(database: Database, last?: string): Promise<string[]> {
  const types = await columnTypes(database)
  return database.patiently(async () => {
    const done: string[] = []
    for (;;) {
      const step = await whenUnlocked(database, () => database.transaction((tx) => takeStep(tx, database, types, last)))
      done.push(...step.done)
      if (step.isLast) return done
    }
  })
}

/**
 * The next migration, by itself: what it locks is free again before the next one begins. A database without tables has
 * nobody who waits, and gets them all at once.
 */
async function takeStep(
  tx: Tx,
  { engine }: Database,
  types: ColumnTypes,
  last: string | undefined,
): Promise<{ done: string[]; isLast: boolean }> {
  // SQLite has its lock with the transaction. (It is the one that releases with Kysely's own migrator take.)
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(tx)
  const list = await readMigrations(tx, engine)
  if (!list)
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      tx,
    )
  const applied = new Set(list)
  const pending = Object.entries(schemaChanges).filter(
    ([name]) => !applied.has(name) && (last === undefined || name <= last),
  )
  const now = applied.size === 0 ? pending : pending.slice(0, 1)
  // Whoever waits for a lock makes every request that comes later wait too: better to give up soon and try again.
  if (engine === 'postgres') await sql`set local lock_timeout = '300ms'`.execute(tx)
  // safe because a migration knows its tables by their names alone
  const db = tx as unknown as Kysely<unknown>
  // Somebody may have taken the wall away since, or a restore by other means has lost it.
  if (engine === 'postgres' && now.length === 0 && applied.has(firstWithWall))
    return { done: [], isLast: await raiseWall(db, 1) }
  for (const [name, change] of now) {
    await change(db, types, engine)
    if (engine === 'postgres' && (name >= firstWithWall || applied.has(firstWithWall))) {
      // Around tables in use one at a time: all their locks at once are hardly ever to be had.
      const isUp = await raiseWall(db, name === firstWithWall && applied.size > 0 ? 1 : undefined)
      if (!isUp) return { done: [], isLast: false }
    }
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(tx)
  }
  return { done: now.map(([name]) => name), isLast: now.length === pending.length }
}

/** Tries again while others hold what a migration must lock for a moment. */
async function whenUnlocked<T>(database: Database, attempt: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await attempt()
    } catch (error) {
      if (round >= maximumRounds || !database.isLocked(error)) throw error
      await setTimeout(Math.min(100 * round, 2000))
    }
  }
}

/** Two minutes and more. */
const maximumRounds = 60

/** The migrations this program knows and the database does not have, and the other way round. */
interface SchemaDifference {
  missing: string[]
  unknown: string[]
  /** Nobody has ever migrated this database. */
  isEmpty: boolean
}

export async function compareSchema(database: Database): Promise<SchemaDifference> {
  const applied = new Set(await appliedMigrations(database))
  const known = Object.keys(schemaChanges)
  return {
    isEmpty: applied.size === 0,
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !(name in schemaChanges)),
  }
}

export function knownMigrations(): string[] {
  return Object.keys(schemaChanges)
}

export async function appliedMigrations({ read, engine }: Database): Promise<string[]> {
  return (await readMigrations(read, engine)) ?? []
}

/** Undefined for a database that was never migrated. */
async function readMigrations(db: Connection, engine: Database['engine']): Promise<string[] | undefined> {
  const table = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(db)
    : sql`select 1 from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'kysely_migration'`.execute(
        db,
      ))
  if (table.rows.length === 0) return undefined
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map((row) => row.name)
}

async function columnTypes(database: Database): Promise<ColumnTypes> {
  return database.engine === 'sqlite' ? sqliteColumnTypes : (await import('./postgres.ts')).postgresColumnTypes
}
