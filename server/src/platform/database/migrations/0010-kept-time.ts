// The time that processes keep for each other and for the next one, to notice a clock that has jumped meanwhile.
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function keptTime(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('kept_times')
    .addColumn('portal_id', t.text, (c) => c.primaryKey())
    .addColumn('kept_at', t.time, (c) => c.notNull())
    // The clock that due work is judged by, which may be another one.
    .addColumn('judged_at', t.time, (c) => c.notNull())
    .addColumn('expiry_at', t.time, (c) => c.notNull())
    // How far the clock has jumped, while that is not believed.
    .addColumn('difference_ms', t.integer)
    .addColumn('acceptances', t.integer, (c) => c.notNull())
    .execute()
}
