// Rows that are numbered about in the order of their times: those of a period are found by their numbers, which a page is
// sorted by anyway.
import { sql } from 'kysely'
import { isoTime, minute } from '../clock.ts'
import { withinYears } from '../values/times.ts'
import type { Connection } from './database.ts'

/** The latest time that has a number, and by how much a later number had an earlier time, at most. */
interface TimeOrder {
  last_at: string | null
  disorder_ms: number
}

/** What is known after more rows got their numbers, in this order. */
export function followTimes(known: TimeOrder, numbered: readonly { created_at: string }[]): TimeOrder {
  let { last_at, disorder_ms } = known
  for (const { created_at } of numbered) {
    if (last_at === null || created_at >= last_at) last_at = created_at
    else disorder_ms = Math.max(disorder_ms, Date.parse(last_at) - Date.parse(created_at))
  }
  return { last_at, disorder_ms }
}

/** The numbers between which all rows of a period are: the index of numbers need not be read from its end to that time. */
export async function numbersBetween(
  db: Connection,
  table: 'events' | 'audit_log',
  { portal_id, last, disorder_ms }: { portal_id: string; last: number; disorder_ms: number },
  { created_after: after, created_before: before }: { created_after?: string; created_before?: string },
): Promise<{ sequence_above?: number; sequence_up_to?: number }> {
  if (last === 0) return {}
  // A row with a number beyond that of a later one is at most so much earlier.
  const apart = disorder_ms + likelyDisorderMs
  const find = (time: string, by: number) =>
    lastNumberBefore(db, table, portal_id, isoTime(withinYears(Date.parse(time) + by)), last)
  return {
    ...(after !== undefined && { sequence_above: await find(after, -apart) }),
    ...(before !== undefined && { sequence_up_to: await find(before, apart + 1) }),
  }
}

/** What processes of an earlier release, which keep no note of it, can have added while they ran beside this one. */
const likelyDisorderMs = 5 * minute

/**
 * A number that is earlier than `time`, and whose next is not, found by halving. Where numbers and times are not in the
 * same order, it is one of several such numbers.
 */
async function lastNumberBefore(
  db: Connection,
  table: 'events' | 'audit_log',
  portalId: string,
  time: string,
  last: number,
): Promise<number> {
  let first = 1
  while (2 * first <= last) first *= 2
  const { rows } = await sql<{ number: number }>`
    with recursive halves (number, step) as (
      select cast(0 as bigint), cast(${first} as bigint)
      union all
      select
        case when (
          select created_at from ${sql.table(table)} where portal_id = ${portalId} and sequence >= number + step
          order by sequence limit 1
        ) < ${time} then number + step else number end,
        step / 2
      from halves where step > 0
    )
    select number from halves where step = 0
  `.execute(db)
  return rows[0]?.number ?? 0
}
