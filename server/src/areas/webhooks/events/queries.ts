import { type SqlBool, sql } from 'kysely'
import type { Connection } from '../../../platform/database/database.ts'
import { numbersBetween } from '../../../platform/database/numbered-times.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { CreatedFilters } from '../../../platform/values/fields.ts'

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
  const numbers = await numbersOf(db, portalId, filters)
  return eventPages(db, { portal_id: portalId, since }, { ...filters, ...numbers }, page)
}

/** The numbers between which all events of a time are, so that a page of them is found by its numbers. */
async function numbersOf(db: Connection, portal_id: string, filters: CreatedFilters) {
  if (filters.created_after === undefined && filters.created_before === undefined) return {}
  const portal = await db
    .selectFrom('portals')
    .select(['last_sequence as last', 'event_disorder_ms as disorder_ms'])
    .where('portal_id', '=', portal_id)
    .executeTakeFirst()
  return portal && numbersBetween(db, 'events', { portal_id, ...portal }, filters)
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
