// Entries are chained after the commit of their change, one transaction at a time per Portal, so that writers never wait for
// the end of the chain. What waits is in two places: numbered events beyond the position of the head, and notes of changes
// without an event. Events are taken in the order of their numbers, notes in the order of their ids; between the two the
// time decides. The row of the head is the lock, and moves in the same transaction: nothing is left out or chained twice.
import { type RawBuilder, sql } from 'kysely'
import { compileInsert } from '../database/compiled-query.ts'
import type { Connection, Database, Tx } from '../database/database.ts'
import { followTimes } from '../database/numbered-times.ts'
import { createRounds } from '../database/rounds.ts'
import { readActor } from './actors.ts'
import { type AuditEntry, firstHash, hashOf } from './entries.ts'

/** Chains what waits in a Portal; at most so many rounds, for whoever must answer soon. */
export async function chainEntries(
  database: Database,
  portalId: string,
  mostRounds = Number.POSITIVE_INFINITY,
): Promise<void> {
  if ((await countWaiting(database.read, portalId, 1)) === 0) return
  for (let round = 0; round < mostRounds && (await chainOnce(database, portalId)); round++);
}

/** One round; true when more is left. */
export const chainOnce = createRounds((database, portalId) => database.transaction((tx) => chainSome(tx, portalId)))

/** Portals with entries that wait, and the deployment when it is one of them. */
export async function portalsToChain(db: Connection): Promise<string[]> {
  const { rows } = await sql<{ portal_id: string }>`
    ${ownersIn('audit_notes')}
    union
    select portals.portal_id from portals
    left join audit_heads on audit_heads.portal_id = portals.portal_id
    where portals.last_sequence > coalesce(audit_heads.event_sequence, 0)
  `.execute(db)
  return rows.map(({ portal_id }) => portal_id)
}

/** The beginning of a statement: everybody who has rows in a table, from one to the next however many each has. */
export function ownersIn(table: 'audit_notes' | 'audit_log'): RawBuilder<unknown> {
  const from = sql.table(table)
  return sql`
    with recursive owners (portal_id) as (
      select min(portal_id) from ${from}
      union all
      select (select min(portal_id) from ${from} where portal_id > owners.portal_id)
      from owners where owners.portal_id is not null
    )
    select portal_id from owners where portal_id is not null`
}

/** How many entries of a Portal wait, events without a number included; counted up to a limit. */
export async function countWaiting(db: Connection, portalId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select * from (select id from audit_notes where portal_id = ${portalId} limit ${limit}) as notes
    union all
    select * from (select id from events where portal_id = ${portalId} and sequence is null limit ${limit}) as unnumbered
    union all
    select * from (
      select id from events where portal_id = ${portalId} and sequence > coalesce(
        (select event_sequence from audit_heads where portal_id = ${portalId}), 0
      ) limit ${limit}
    ) as numbered
    limit ${limit}
  `.execute(db)
  return rows.length
}

const chainedAtOnce = 200

async function chainSome(tx: Tx, portalId: string): Promise<boolean> {
  const head = await tx
    .insertInto('audit_heads')
    .values({ portal_id: portalId, sequence: 0, hash: firstHash, event_sequence: 0, last_at: null, disorder_ms: 0 })
    .onConflict((conflict) => conflict.column('portal_id').doUpdateSet({ sequence: sql`audit_heads.sequence` }))
    .returning(['sequence', 'hash', 'event_sequence', 'last_at', 'disorder_ms'])
    .executeTakeFirstOrThrow()
  // Read before the events: a number up to this one that is not among them will never come.
  const { last_sequence = 0 } =
    (await tx.selectFrom('portals').select('last_sequence').where('portal_id', '=', portalId).executeTakeFirst()) ?? {}
  const columns = ['id', 'created_at', 'actor', 'resource_type', 'resource_id', 'resource_version'] as const
  const events = await tx
    .selectFrom('events')
    .select([...columns, 'type as action', 'changes', 'request_id', 'sequence'])
    .where('portal_id', '=', portalId)
    .where('sequence', '>', head.event_sequence)
    .orderBy('sequence')
    .limit(chainedAtOnce)
    .execute()
  const notes = await tx
    .selectFrom('audit_notes')
    .select([...columns, 'action', 'changes', 'request_id', sql<null>`null`.as('sequence')])
    .where('portal_id', '=', portalId)
    .orderBy('id')
    .limit(chainedAtOnce)
    .execute()
  const chained = merge<WaitingRow>(events, notes).slice(0, chainedAtOnce)
  let { sequence, hash } = head
  const rows = chained.map((row) => {
    sequence += 1
    const entry = toEntry(portalId, row, sequence, hash)
    hash = entry.hash
    return toRow(entry)
  })
  await insertRows(tx, rows)
  const noted = chained.flatMap((row) => (row.sequence === null ? [row.id] : []))
  if (noted.length > 0)
    await tx.deleteFrom('audit_notes').where('portal_id', '=', portalId).where('id', 'in', noted).execute()
  // Numbers that no event has are those that a restore has left out.
  const passed = events.length === 0 ? Math.max(head.event_sequence, last_sequence) : head.event_sequence
  const event_sequence = chained.findLast((row) => row.sequence !== null)?.sequence ?? passed
  await tx
    .updateTable('audit_heads')
    .set({ sequence, hash, event_sequence, ...followTimes(head, chained) })
    .where('portal_id', '=', portalId)
    .execute()
  return chained.length === chainedAtOnce
}

interface WaitingRow {
  id: string
  created_at: string
  actor: string | null
  action: string
  resource_type: string
  resource_id: string
  resource_version: number | null
  changes: string[]
  request_id: string | null
  /** The number of an event; null for a note. */
  sequence: number | null
}

/** Both in their own order, which need not be quite that of time. */
function merge<Row extends { created_at: string }>(one: readonly Row[], other: readonly Row[]): Row[] {
  const merged: Row[] = []
  let next = 0
  for (const row of one) {
    for (let before = other[next]; before && before.created_at <= row.created_at; before = other[++next])
      merged.push(before)
    merged.push(row)
  }
  return [...merged, ...other.slice(next)]
}

function toEntry(portal_id: string, row: WaitingRow, sequence: number, previous_hash: string): AuditEntry {
  const entry = {
    // The id of an event is that of its entry, but for the prefix.
    id: `aud_${row.id.slice(row.id.indexOf('_') + 1)}`,
    portal_id,
    sequence,
    created_at: row.created_at,
    actor: readActor(row.actor),
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id, version: row.resource_version },
    changes: row.changes,
    request_id: row.request_id,
    previous_hash,
  }
  return { ...entry, hash: hashOf(entry) }
}

function toRow({ actor, resource, changes, ...rest }: AuditEntry) {
  return {
    ...rest,
    actor_kind: actor.kind,
    actor_id: actor.id,
    resource_type: resource.type,
    resource_id: resource.id,
    resource_version: resource.version,
    changes: JSON.stringify(changes),
  }
}

const insertEntries = compileInsert('audit_log')

/** In statements of few different lengths: each is compiled, and prepared, once. */
async function insertRows(tx: Tx, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  let first = 0
  for (const length of [50, 10, 1])
    for (; rows.length - first >= length; first += length) await insertEntries(tx, rows.slice(first, first + length))
}
