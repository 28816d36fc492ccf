// What a database keeps of rows that are gone, where this is ours to remove.
import type { Context } from '../../platform/context.ts'
import { heldTables, type TableName } from './holdings.ts'

/** They hold ids, times and names of fields, and stay when a business is erased. */
export const tablesOfIds: ReadonlySet<TableName> = new Set<TableName>([
  'events',
  'webhook_deliveries',
  'audit_log',
  'erasures',
  'erased_files',
])

/** Tables from which an erasure takes something that may tell of people: of the business, its recipients, its clients. */
export const tablesOfPeople: readonly TableName[] = [
  ...heldTables.filter((table) => !tablesOfIds.has(table)),
  'received_deals',
  'received_deal_applications',
  'idempotency_keys',
  'jobs',
]

/** What was erased is so already: an erasure does not wait until this can be done. */
export async function forgetStatistics({ database, log }: Pick<Context, 'database' | 'log'>): Promise<void> {
  const advice = 'the statistics of PostgreSQL can still contain values of erased rows; run: portico business compact'
  await database.forgetStatistics(tablesOfPeople).catch((error) => log.warn({ err: error }, advice))
}
