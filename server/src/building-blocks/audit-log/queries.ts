import { type SqlBool, sql } from 'kysely'
import { ownersIn } from '../../platform/audit/chain.ts'
import type { AuditEntry } from '../../platform/audit/entries.ts'
import type { Connection } from '../../platform/database/database.ts'
import { numbersBetween } from '../../platform/database/numbered-times.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  mapPage,
  type PageRequest,
} from '../../platform/database/paging.ts'
import type { CreatedFilters } from '../../platform/values/fields.ts'

const columns = [
  'id',
  'portal_id',
  'sequence',
  'created_at',
  'actor_kind',
  'actor_id',
  'action',
  'resource_type',
  'resource_id',
  'resource_version',
  'changes',
  'request_id',
  'previous_hash',
  'hash',
] as const

const pages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('audit_log').select(columns).where('portal_id', '=', portal_id),
  filters: {
    ...equalFilters('action', 'actor_id', 'resource_id', 'request_id'),
    sequence_above: (value) => sql<SqlBool>`sequence > ${value}`,
    sequence_up_to: (value) => sql<SqlBool>`sequence <= ${value}`,
    ...createdConditions,
  },
  orders: { sequence: ['sequence'] },
})

export async function listEntries(
  db: Connection,
  portalId: string,
  filters: Record<string, unknown> & CreatedFilters,
  page: PageRequest,
) {
  const numbers = await numbersOf(db, portalId, filters)
  return mapPage(await pages(db, { portal_id: portalId }, { ...filters, ...numbers }, page), toEntry)
}

/** The numbers between which all entries of a time are, so that a page of them is found by its numbers. */
async function numbersOf(db: Connection, portal_id: string, filters: CreatedFilters) {
  if (filters.created_after === undefined && filters.created_before === undefined) return {}
  const head = await findHead(db, portal_id)
  return head && numbersBetween(db, 'audit_log', { portal_id, last: head.sequence, ...head }, filters)
}

/** The last entry of a Portal's chain, as it was written when the chain grew. */
export async function findHead(db: Connection, portalId: string) {
  return db
    .selectFrom('audit_heads')
    .select(['sequence', 'hash', 'disorder_ms'])
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
}

/** Everything that has a chain, or whose chain has a head or will begin with what waits: Portals, and the deployment. */
export async function chainOwners(db: Connection): Promise<string[]> {
  const { rows } = await sql<{ portal_id: string }>`
    ${ownersIn('audit_log')}
    union select portal_id from audit_heads
    union select portal_id from portals
    union select portal_id from audit_notes
    order by portal_id
  `.execute(db)
  return rows.map(({ portal_id }) => portal_id)
}

/** The chain of a Portal in its order, from behind a number on. */
export async function* entriesAfter(db: Connection, portalId: string, sequence: number): AsyncGenerator<AuditEntry> {
  for (let after = sequence; ; ) {
    const rows = await db
      .selectFrom('audit_log')
      .select(columns)
      .where('portal_id', '=', portalId)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(batchSize)
      .execute()
    for (const row of rows) yield toEntry(row)
    after = rows.at(-1)?.sequence ?? after
    if (rows.length < batchSize) return
  }
}

/** The number of the last entry before the first one that was made at this time or later. */
export async function numberBefore(db: Connection, portalId: string, time: string): Promise<number> {
  const { sequence_above = 0 } = (await numbersOf(db, portalId, { created_after: time })) ?? {}
  const first = await db
    .selectFrom('audit_log')
    .select('sequence')
    .where('portal_id', '=', portalId)
    .where('sequence', '>', sequence_above)
    .where('created_at', '>=', time)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return first ? first.sequence - 1 : Number.MAX_SAFE_INTEGER
}

const batchSize = 1000

interface EntryRow extends Omit<AuditEntry, 'actor' | 'resource'> {
  actor_kind: string
  actor_id: string | null
  resource_type: string
  resource_id: string
  resource_version: number | null
}

function toEntry({ id, portal_id, sequence, created_at, action, changes, request_id, ...row }: EntryRow): AuditEntry {
  return {
    id,
    portal_id,
    sequence,
    created_at,
    // safe because the chain wrote it; where somebody else did, its hash does not fit
    actor: { kind: row.actor_kind as AuditEntry['actor']['kind'], id: row.actor_id },
    action,
    resource: { type: row.resource_type, id: row.resource_id, version: row.resource_version },
    changes,
    request_id,
    previous_hash: row.previous_hash,
    hash: row.hash,
  }
}
