import { type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * A subquery of the different values in a column of a Portal's rows. It goes from one to the next through an index that
 * begins with them, however many rows each has.
 */
export function distinctValues(table: keyof Tables, column: string, portalId: string): RawBuilder<unknown> {
  const [from, value] = [sql.table(table), sql.ref(column)]
  return sql`(
    with recursive found (value) as (
      select min(${value}) from ${from} where portal_id = ${portalId}
      union all
      select (select min(${value}) from ${from} where portal_id = ${portalId} and ${value} > found.value)
      from found where found.value is not null
    )
    select value from found where value is not null
  )`
}
