import { sql } from 'kysely'
import type { Connection } from '../../platform/database/database.ts'
import type { TableName } from './holdings.ts'

/** Those of the ids that name a record which this Portal can still read, whether it sent or received it. */
export async function findLiving(db: Connection, portalId: string, ids: readonly string[]): Promise<Set<string>> {
  const living = new Set<string>()
  for (const [prefix, tables] of Object.entries(tablesOf)) {
    const some = ids.filter((id) => id.startsWith(`${prefix}_`))
    if (some.length === 0) continue
    for (const table of tables) {
      const mayRead = table === 'deals' || table === 'deal_applications' ? sql`and erased_at is null` : sql``
      const { rows } = await sql<{ id: string }>`
        select id from ${sql.table(table)} where portal_id = ${portalId} and id in (${sql.join(some)}) ${mayRead}
      `.execute(db)
      for (const { id } of rows) living.add(id)
    }
  }
  return living
}

const tablesOf = {
  biz: ['businesses'],
  cia: ['client_intake_applications'],
  prj: ['projects'],
  deal: ['deals', 'received_deals'],
  dap: ['deal_applications', 'received_deal_applications'],
  fil: ['files'],
  afr: ['autofill_runs'],
  cal: ['match_calculations'],
} as const satisfies Record<string, readonly TableName[]>
