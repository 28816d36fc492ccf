// Events are written in the transaction of the change they tell of, without a number. Numbers are given afterwards,
// one transaction at a time per Portal: an event that commits later always gets a higher number, so that a reader
// who has seen number n has seen everything below it. (Numbers taken while writing would become visible out of order.)
import { sql } from 'kysely'
import { isoTime } from '../clock.ts'
import type { Caller } from '../context.ts'
import { compileInsert } from '../database/compiled-query.ts'
import type { Connection, Database, Tx } from '../database/database.ts'
import { newId } from '../values/ids.ts'

export interface NewEvent {
  type: string
  resource: { type: string; id: string; path: string; version: number }
  state?: string
  previous_state?: string
  /** Names of the fields that changed. Never their values: events travel to places records do not. */
  changes?: readonly string[]
}

const insertEvent = compileInsert('events')

/** A Portal that is told of a change, and the version of the record it sees, where that is not the same for all. */
interface Listener {
  portal_id: string
  version?: number
}

/** Tells the caller's Portal, or those that are named: what concerns two Portals is an event of each. */
export async function publish(
  tx: Tx,
  caller: Caller,
  event: NewEvent,
  listeners: readonly Listener[] = [{ portal_id: caller.portal_id }],
): Promise<void> {
  caller.context.database.announce()
  await insertEvent(
    tx,
    listeners.map(({ portal_id, version = event.resource.version }) => ({
      portal_id,
      id: newId('evt'),
      type: event.type,
      resource_type: event.resource.type,
      resource_id: event.resource.id,
      resource_path: event.resource.path,
      resource_version: version,
      state: event.state ?? null,
      previous_state: event.previous_state ?? null,
      changes: JSON.stringify(event.changes ?? []),
      // A request is known to the Portal that sent it, and to nobody else.
      request_id: portal_id === caller.portal_id ? caller.request_id : null,
      created_at: isoTime(caller.context.clock.now()),
    })),
  )
}

/**
 * Numbers the Portal's committed events that have no number yet; false when some are left after so many rounds. Cheap
 * when there are none.
 */
export async function numberEvents(
  database: Database,
  portalId: string,
  { rounds = Number.POSITIVE_INFINITY } = {},
): Promise<boolean> {
  if (!(await hasUnnumbered(database.read, portalId))) return true
  for (let round = 0; round < rounds; round++) {
    const numbered = await database.transaction(async (tx) => {
      // The row of the Portal is the lock: it also holds the last number given.
      const portal = await tx
        .updateTable('portals')
        .set((eb) => ({ last_sequence: eb.ref('last_sequence') }))
        .where('portal_id', '=', portalId)
        .returning('last_sequence')
        .executeTakeFirst()
      if (!portal) return 0
      const waiting = await tx
        .selectFrom('events')
        .select('id')
        .where('portal_id', '=', portalId)
        .where('sequence', 'is', null)
        .orderBy('id')
        .limit(batchSize)
        .execute()
      if (waiting.length === 0) return 0
      const numbers = sql.join(
        waiting.map(({ id }, index) => sql`(cast(${id} as text), cast(${portal.last_sequence + index + 1} as bigint))`),
      )
      await sql`
        with numbered (id, number) as (values ${numbers})
        update events set sequence = (select number from numbered where numbered.id = events.id)
        where portal_id = ${portalId} and id in (select id from numbered)
      `.execute(tx)
      await tx
        .updateTable('portals')
        .set({ last_sequence: portal.last_sequence + waiting.length })
        .where('portal_id', '=', portalId)
        .execute()
      return waiting.length
    })
    if (numbered < batchSize) return true
  }
  return false
}

async function hasUnnumbered(db: Connection, portalId: string): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('sequence', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const batchSize = 500
