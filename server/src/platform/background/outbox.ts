// Events are written in the transaction of the change they tell of, without a number. Numbers are given afterwards,
// one transaction at a time per Portal: an event that commits later always gets a higher number, so that a reader
// who has seen number n has seen everything below it. (Numbers taken while writing would become visible out of order.)
import { sql } from 'kysely'
import { actorText } from '../audit/actors.ts'
import { rememberTold } from '../audit/notes.ts'
import { isoTime } from '../clock.ts'
import type { Caller } from '../context.ts'
import { compileInsert } from '../database/compiled-query.ts'
import type { Connection, Database, Tx } from '../database/database.ts'
import { followTimes } from '../database/numbered-times.ts'
import { createRounds } from '../database/rounds.ts'
import { newId } from '../values/ids.ts'

export interface NewEvent {
  type: string
  resource: { type: string; id: string; path: string; version: number }
  state?: string
  previous_state?: string
  /** Names of the fields that changed. Never their values: events travel to places records do not. */
  changes?: readonly string[]
}

const insertEvents = compileInsert('events')
const insertedAtOnce = 100

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
  if (listeners.some(({ portal_id }) => portal_id === caller.portal_id)) rememberTold(tx, event.resource.id)
  await insertEvents(
    tx,
    listeners.map((listener) => rowOf(caller, event, listener)),
  )
}

/** Tells the caller's Portal of many things at once. */
export async function publishAll(tx: Tx, caller: Caller, events: readonly NewEvent[]): Promise<void> {
  caller.context.database.announce()
  for (let first = 0; first < events.length; first += insertedAtOnce)
    await insertEvents(
      tx,
      events.slice(first, first + insertedAtOnce).map((event) => rowOf(caller, event, caller)),
    )
}

function rowOf(caller: Caller, event: NewEvent, { portal_id, version = event.resource.version }: Listener) {
  return {
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
    actor: actorText(caller, portal_id),
    created_at: isoTime(caller.context.clock.now()),
  }
}

/** Numbers the Portal's committed events that have no number yet. Cheap when there are none. */
export async function numberEvents(database: Database, portalId: string): Promise<void> {
  if (!(await hasUnnumbered(database.read, portalId))) return
  while (await numberOnce(database, portalId));
}

const numberOnce = createRounds((database, portalId) =>
  database.transaction((tx) => numberSome(database, tx, portalId, numberedAtOnce.many)),
)

/** Holds the row of a Portal until the transaction ends. It also holds the last number given. */
export async function lockPortal(tx: Tx, portalId: string) {
  return tx
    .updateTable('portals')
    .set((eb) => ({ last_sequence: eb.ref('last_sequence') }))
    .where('portal_id', '=', portalId)
    .returning(['last_sequence', 'last_event_at', 'event_disorder_ms'])
    .executeTakeFirst()
}

/**
 * Numbers so many events at most; true when there may be more. In the order in which they were inserted: what was
 * written after the commit of something else comes after it, whatever the clocks of the processes say. (Ids are in the
 * order of those clocks; many more than are numbered are looked at, so that the two orders can differ.)
 */
export async function numberSome(
  database: Pick<Database, 'eventOrder'>,
  tx: Tx,
  portalId: string,
  most: number,
): Promise<boolean> {
  const portal = await lockPortal(tx, portalId)
  if (!portal) return false
  const waiting = await tx
    .selectFrom((eb) =>
      eb
        .selectFrom('events')
        .select(['id', 'created_at', database.eventOrder.as('place')])
        .where('portal_id', '=', portalId)
        .where('sequence', 'is', null)
        .orderBy('id')
        .limit(10 * most)
        .as('candidates'),
    )
    .select(['id', 'created_at'])
    .orderBy('place')
    .orderBy('id')
    .limit(most)
    .execute()
  if (waiting.length === 0) return false
  // Listed one by one: PostgreSQL would expect many more, and read through all events for them.
  const numbers = waiting.map(({ id }, index) => sql`(${id}, cast(${portal.last_sequence + index + 1} as bigint))`)
  await sql`
    with numbered (id, number) as (values ${sql.join(numbers)})
    update events set sequence = numbered.number from numbered
    where events.portal_id = ${portalId} and events.id = numbered.id
  `.execute(tx)
  // So that whoever looks for a time knows between which numbers to look.
  const known = { last_at: portal.last_event_at, disorder_ms: portal.event_disorder_ms }
  const { last_at: last_event_at, disorder_ms: event_disorder_ms } = followTimes(known, waiting)
  await tx
    .updateTable('portals')
    .set({ last_sequence: portal.last_sequence + waiting.length, last_event_at, event_disorder_ms })
    .where('portal_id', '=', portalId)
    .execute()
  return waiting.length === most
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

/** A few are found by an index each. For many, PostgreSQL reads through all events once, which is cheaper for them. */
export const numberedAtOnce = { few: 100, many: 500 }
