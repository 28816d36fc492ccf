import { type SqlBool, sql } from 'kysely'
import { isoTime, minute } from '../../../platform/clock.ts'
import type { Connection } from '../../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { CreatedFilters } from '../../../platform/values/fields.ts'
import { withinYears } from '../../../platform/values/times.ts'

const eventColumns = [
  'id',
  'portal_id',
  'sequence',
  'type',
  'resource_type',
  'resource_id',
  'resource_path',
  'resource_version',
  'state',
  'previous_state',
  'changes',
  'request_id',
  'created_at',
] as const

const eventPages = definePagedQuery({
  // An event without a sequence number is not public yet.
  rows: (db, { portal_id, since }: { portal_id: string; since: string }) =>
    db
      .selectFrom('events')
      .select(eventColumns)
      .where('portal_id', '=', portal_id)
      .where('sequence', 'is not', null)
      .where('created_at', '>', since),
  filters: {
    ...equalFilters('type', 'resource_id'),
    sequence_after: (value) => sql<SqlBool>`sequence > ${value}`,
    sequence_above: (value) => sql<SqlBool>`sequence > ${value}`,
    sequence_up_to: (value) => sql<SqlBool>`sequence <= ${value}`,
    ...createdConditions,
  },
  orders: { sequence: ['sequence'] },
})

export async function listEvents(
  db: Connection,
  portalId: string,
  since: string,
  filters: Record<string, unknown> & CreatedFilters,
  page: PageRequest,
) {
  const numbers = await numbersBetween(db, portalId, filters)
  return eventPages(db, { portal_id: portalId, since }, { ...filters, ...numbers }, page)
}

/**
 * The numbers between which all events of a time are, so that a page of them is found by its numbers: the index of
 * numbers would otherwise be read through from its end to that time.
 */
async function numbersBetween(
  db: Connection,
  portalId: string,
  { created_after: after, created_before: before }: CreatedFilters,
): Promise<{ sequence_above?: number; sequence_up_to?: number }> {
  if (after === undefined && before === undefined) return {}
  const portal = await db
    .selectFrom('portals')
    .select(['last_sequence', 'event_disorder_ms'])
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  if (!portal?.last_sequence) return {}
  // An event with a number beyond that of a later one is at most so much earlier.
  const apart = portal.event_disorder_ms + likelyDisorderMs
  const find = (time: string, by: number) =>
    lastNumberBefore(db, portalId, isoTime(withinYears(Date.parse(time) + by)), portal.last_sequence)
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
async function lastNumberBefore(db: Connection, portalId: string, time: string, last: number): Promise<number> {
  let first = 1
  while (2 * first <= last) first *= 2
  const { rows } = await sql<{ number: number }>`
    with recursive halves (number, step) as (
      select cast(0 as bigint), cast(${first} as bigint)
      union all
      select
        case when (
          select created_at from events where portal_id = ${portalId} and sequence >= number + step
          order by sequence limit 1
        ) < ${time} then number + step else number end,
        step / 2
      from halves where step > 0
    )
    select number from halves where step = 0
  `.execute(db)
  return rows[0]?.number ?? 0
}

/** Events by their ids. */
export async function findEvents(
  db: Connection,
  portalId: string,
  ids: readonly string[],
): Promise<Map<string, EventRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('events')
    .select(eventColumns)
    .where('portal_id', '=', portalId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function findEvent(db: Connection, portalId: string, id: string) {
  return db
    .selectFrom('events')
    .select(eventColumns)
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}
export type EventRow = NonNullable<Awaited<ReturnType<typeof findEvent>>>
