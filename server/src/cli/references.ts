// Which rows belong to which, where the schema itself does not say so: a restore that lost rows of one table shows here.
import { sql } from 'kysely'
import type { Connection } from '../platform/database/database.ts'
import { counted } from '../platform/values/counted.ts'

interface Reference {
  table: string
  column: string
  /** Any of these has the row, in the same Portal, by its id or by the column that is named. */
  targets: readonly string[]
}

const applications = ['client_intake_applications', 'deal_applications']
const references: readonly Reference[] = [
  { table: 'client_intake_applications', column: 'business_id', targets: ['businesses'] },
  { table: 'answers', column: 'application_id', targets: applications },
  { table: 'answer_items', column: 'application_id', targets: applications },
  { table: 'files', column: 'application_id', targets: applications },
  { table: 'submissions', column: 'application_id', targets: applications },
  { table: 'projects', column: 'business_id', targets: ['businesses'] },
  // A deal may outlive its business: its recipient keeps it.
  { table: 'deals', column: 'business_id', targets: ['businesses', 'erasures.business_id'] },
  { table: 'deal_applications', column: 'deal_id', targets: ['deals'] },
  { table: 'offers', column: 'application_id', targets: ['deal_applications'] },
]
const ownedTables = ['portal_settings', 'api_keys', 'lead_sources', 'businesses', 'contracts', 'recipients', 'webhooks']

/** One sentence for every kind of row whose other row is not there. */
export async function findLostReferences(db: Connection): Promise<string[]> {
  const lost: string[] = []
  const note = async (table: string, other: string, isLost: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} as one where ${isLost}
    `.execute(db)
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) lost.push(`${counted(count, 'row')} of ${table} without ${other}.`)
  }
  for (const { table, column, targets } of references) {
    const keys = targets.map((target) => {
      const [name = '', key = 'id'] = target.split('.')
      return { name, key }
    })
    const absent = keys.map(
      ({ name, key }) => sql`not exists (
        select 1 from ${sql.table(name)} as other
        where other.portal_id = one.portal_id and ${sql.ref(`other.${key}`)} = ${sql.ref(`one.${column}`)}
      )`,
    )
    await note(table, keys.map(({ name }) => name).join(' or '), sql.join(absent, sql` and `))
  }
  for (const table of ownedTables) {
    const isAbsent = sql`not exists (select 1 from portals as other where other.portal_id = one.portal_id)`
    await note(table, 'portals', isAbsent)
  }
  return lost
}
