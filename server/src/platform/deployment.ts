// The database remembers its environment and which secret key seals. A server with different ones would start and refuse
// every API key, so they are checked at the start; a process that has several keys learns here which one to use.

import { join } from 'node:path'
import { deployment } from './background/jobs.ts'
import { isoTime } from './clock.ts'
import type { Context } from './context.ts'
import type { Database } from './database/database.ts'
import { appliedMigrations } from './database/migrate.ts'

/** What is wrong, as a sentence; undefined when this process belongs to this database, or nobody has set it up yet. */
export async function deploymentProblem(context: Context): Promise<string | undefined> {
  const { config, database } = context
  const row = await database.read
    .selectFrom('deployments')
    .select(['environment', 'key_check', 'sealed_hash_keys'])
    .where('portal_id', '=', deployment)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.environment !== config.environment) {
    return `This database belongs to a ${row.environment} deployment, but PORTICO_ENVIRONMENT is ${config.environment}. Use a different database, or set PORTICO_ENVIRONMENT=${row.environment}.`
  }
  if (!context.vault.keys.use(row.key_check, row.sealed_hash_keys)) {
    return config.secret_key !== undefined || config.database_url !== undefined
      ? 'PORTICO_SECRET_KEY is not the key that this database uses. Set the original key, or add it to PORTICO_SECRET_KEY_PREVIOUS while the key is rotated: with a different key, no API key works.'
      : `${join(config.data_dir, 'secret.key')} does not contain the key that this database uses. Restore the original file from its copy, or set PORTICO_SECRET_KEY to the original key: with a different key, no API key works.`
  }
  return undefined
}

/** Whether anybody has set this database up. It need not have any tables yet. */
export async function isClaimed(database: Database): Promise<boolean> {
  if ((await appliedMigrations(database)).length === 0) return false
  return (await setUpAt(database)) !== undefined
}

/** When somebody has set up a database that has its tables. A backup of it says the same. */
export async function setUpAt({ read }: Database): Promise<string | undefined> {
  return (await read.selectFrom('deployments').select('created_at').executeTakeFirst())?.created_at
}

/** Makes the database this deployment's, if it is nobody's yet. Only what serves or writes does this; looking does not. */
export async function claimDatabase(context: Context): Promise<void> {
  const { config, database, clock } = context
  const values = {
    environment: config.environment,
    key_check: context.vault.keys.sealing(),
    created_at: isoTime(clock.now()),
  }
  await database.transaction((tx) =>
    tx
      .insertInto('deployments')
      .values({ portal_id: deployment, ...values })
      .onConflict((conflict) => conflict.column('portal_id').doNothing())
      .execute(),
  )
}

/** Writes what is there already: it fails as any write would. */
export async function tryToWrite({ database }: Pick<Context, 'database'>): Promise<void> {
  await database.transaction((tx) =>
    tx
      .updateTable('deployments')
      .set((eb) => ({ environment: eb.ref('environment') }))
      .where('portal_id', '=', deployment)
      .execute(),
  )
}
