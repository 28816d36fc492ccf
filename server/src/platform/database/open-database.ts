import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../logging.ts'
import type { Database } from './database.ts'
import type { Patience } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export async function openDatabase(config: Config, log: Logger, patience: Patience = 'request'): Promise<Database> {
  if (config.database_url === undefined) return openSqlite(sqliteFile(config))
  // Loaded only when used: the driver would slow down every start on SQLite.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(config, log, patience)
}

export function sqliteFile(config: Pick<Config, 'data_dir'>): string {
  return join(config.data_dir, 'portico.db')
}
