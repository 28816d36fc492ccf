// Rows whose version counts up with every change, so that nobody writes over what they have not seen.
import { type Insertable, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import type { Tx } from './database.ts'
import type { Tables } from './tables.ts'

interface VersionedColumns {
  portal_id: string
  id: string
  version: number
}
type VersionedTable = {
  [Name in keyof Tables]: Insertable<Tables[Name]> extends VersionedColumns ? Name : never
}[keyof Tables]

/** Writes the columns of a row as its next version. False when the record is no longer at this version, or not `when`. */
export async function updateVersion<Table extends VersionedTable>(
  tx: Tx,
  table: Table,
  { portal_id, id, version, ...columns }: VersionedColumns & Updateable<Tables[Table]>,
  when?: RawBuilder<SqlBool>,
): Promise<boolean> {
  const values = Object.entries({ ...columns, version: version + 1 })
  const assignments = values.map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.join(assignments)}
    where portal_id = ${portal_id} and id = ${id} and version = ${version} ${when ? sql`and ${when}` : sql``}
  `.execute(tx)
  return numAffectedRows > 0n
}

/** Holds the row until the transaction ends. An update that changes nothing does it on both engines alike. */
export async function lockRow(tx: Tx, table: VersionedTable, portalId: string, id: string): Promise<void> {
  await sql`
    update ${sql.table(table)} set version = version where portal_id = ${portalId} and id = ${id}
  `.execute(tx)
}
