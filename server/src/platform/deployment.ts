// The database remembers the environment and the secret key it was set up with. A server with different ones would
// start and refuse every API key, so they are checked at the start.

import { deployment } from './background/jobs.ts'
import { isoTime } from './clock.ts'
import type { Context } from './context.ts'

/** What is wrong, as a sentence; undefined when this process belongs to this database, or nobody has set it up yet. */
export async function deploymentProblem(context: Context): Promise<string | undefined> {
  const { config, database } = context
  const row = await database.read
    .selectFrom('deployments')
    .select(['environment', 'key_check'])
    .where('portal_id', '=', deployment)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.environment !== config.environment) {
    return `This database belongs to a ${row.environment} deployment, but PORTICO_ENVIRONMENT is ${config.environment}. Use a different database, or set PORTICO_ENVIRONMENT=${row.environment}.`
  }
  if (row.key_check !== keyCheck(context)) {
    return 'PORTICO_SECRET_KEY is not the key that this database was set up with. Set the original key: with a different key, no API key works.'
  }
  return undefined
}

/** Makes the database this deployment's, if it is nobody's yet. Only what serves or writes does this; looking does not. */
export async function claimDatabase(context: Context): Promise<void> {
  const { config, database, clock } = context
  const values = { environment: config.environment, key_check: keyCheck(context), created_at: isoTime(clock.now()) }
  await database.transaction((tx) =>
    tx
      .insertInto('deployments')
      .values({ portal_id: deployment, ...values })
      .onConflict((conflict) => conflict.column('portal_id').doNothing())
      .execute(),
  )
}

export function keyCheck(context: Pick<Context, 'vault'>): string {
  return context.vault.hash('key_check', 'portico').slice(0, 16)
}
