// What endpoints answer to events may repeat the records that the events are about, so it is kept only while these can be
// read. Who erases a record forgets what was written before; who writes what came of an attempt looks whether the record is
// still there. A lock of the Portal keeps the two apart, until both have committed.
import { sql } from 'kysely'
import type { Database, Tx } from '../../platform/database/database.ts'
import { distinctValues } from '../../platform/database/distinct-values.ts'
import { findLiving } from './living-records.ts'

type Locks = Pick<Database, 'lock'>

/** Forgets what endpoints answered to events about these records. The attempts themselves stay: they name nobody. */
export async function forgetAttemptBodies(
  tx: Tx,
  database: Locks,
  portalId: string,
  recordIds: readonly string[],
): Promise<void> {
  for (let first = 0; first < recordIds.length; first += atOnce) {
    const some = sql.join(recordIds.slice(first, first + atOnce))
    await forgetBodies(tx, database, portalId, sql`resource_id in (${some})`)
  }
}

/** The same for the matches of a project, which have no rows of their own. */
export async function forgetMatchAttemptBodies(
  tx: Tx,
  database: Locks,
  portalId: string,
  projectId: string,
): Promise<void> {
  const path = `/projects/${projectId}/%`
  await forgetBodies(tx, database, portalId, sql`type = 'match.found' and resource_path like ${path}`)
}

async function forgetBodies(tx: Tx, database: Locks, portalId: string, events: ReturnType<typeof sql>): Promise<void> {
  await holdBodies(tx, database, portalId, 'alone')
  // Of deleted webhooks, too: their deliveries are removed later. Only numbered events have deliveries, and an index.
  await sql`
    update webhook_attempts set response_body = null
    where portal_id = ${portalId} and delivery_id in (
      select id from webhook_deliveries
      where portal_id = ${portalId}
        and webhook_id in ${distinctValues('webhook_deliveries', 'webhook_id', portalId)}
        and event_id in (select id from events where portal_id = ${portalId} and sequence is not null and ${events})
    )
  `.execute(tx)
}

/** Keeps erasures of these Portals from forgetting until `tx` ends: they forget what it writes, or have committed before. */
export async function holdErasures(tx: Tx, database: Locks, portalIds: readonly string[]): Promise<void> {
  for (const portalId of portalIds.toSorted()) await holdBodies(tx, database, portalId, 'shared')
}

/** Those of the events that are about a record which this Portal can no longer read. */
export async function findEventsOfErased(tx: Tx, portalId: string, eventIds: readonly string[]): Promise<Set<string>> {
  const events = await tx
    .selectFrom('events')
    .select(['id', 'resource_path'])
    .where('portal_id', '=', portalId)
    .where('id', 'in', eventIds)
    .execute()
  const named = events.map(({ id, resource_path }) => ({ id, record: lastingRecord.exec(resource_path)?.[1] }))
  const living = await findLiving(tx, portalId, [...new Set(named.flatMap(({ record }) => record ?? []))])
  return new Set(named.flatMap(({ id, record }) => (record === undefined || living.has(record) ? [] : [id])))
}

async function holdBodies(tx: Tx, { lock }: Locks, portalId: string, mode: 'alone' | 'shared'): Promise<void> {
  await sql`select ${lock(`endpoint responses ${portalId}`, mode)}`.execute(tx)
}

/** The record under whose address everything else stands: a file or a match under its application or project. */
const lastingRecord = /^\/[a-z-]+\/((?:biz|cia|dap|prj|deal)_[0-7][0-9a-hjkmnp-tv-z]{25})\//
const atOnce = 200
