// Forward-only migrations. Any number of processes may migrate at once: PostgreSQL's advisory lock or SQLite's
// write lock lets one of them work, and the others find the work done.
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import type { ColumnTypes, Database } from './database.ts'
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
import { sqliteColumnTypes } from './sqlite.ts'

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
}

/** The names of the migrations that ran just now. */
export async function migrate(database: Database): Promise<string[]> {
  const migrator = migratorFor(database, await columnTypes(database))
  const { error, results = [] } = await database.patiently(() => migrator.migrateToLatest())
  if (error) throw error
  return results.map((result) => result.migrationName)
}

/** The migrations this program knows and the database does not have, and the other way round. */
export async function compareSchema(database: Database): Promise<{ missing: string[]; unknown: string[] }> {
  const applied = new Set(await appliedMigrations(database))
  const known = Object.keys(schemaChanges)
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !(name in schemaChanges)),
  }
}

export async function appliedMigrations(database: Database): Promise<string[]> {
  const table = await (database.engine === 'sqlite'
    ? sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(database.read)
    : sql`select 1 from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'kysely_migration'`.execute(
        database.read,
      ))
  if (table.rows.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database.read)
  return rows.map((row) => row.name)
}

function migratorFor(database: Database, types: ColumnTypes): Migrator {
  const migrations: Record<string, Migration> = {}
  for (const [name, change] of Object.entries(schemaChanges)) {
    migrations[name] = {
      async up(db) {
        // A migration that must wait for a lock would make every request behind it wait too.
        if (database.engine === 'postgres') await sql`set local lock_timeout = '5s'`.execute(db)
        await change(db, types, database.engine)
      },
    }
  }
  return new Migrator({ db: database.write, provider: { getMigrations: async () => migrations } })
}

async function columnTypes(database: Database): Promise<ColumnTypes> {
  return database.engine === 'sqlite' ? sqliteColumnTypes : (await import('./postgres.ts')).postgresColumnTypes
}
