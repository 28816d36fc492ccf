// What every record with states does when it is written: the version the caller has seen, the table of its states, the
// next version, the event.
import { type NewEvent, publish } from '../background/outbox.ts'
import { isoTime } from '../clock.ts'
import type { Caller } from '../context.ts'
import type { Tx } from '../database/database.ts'
import { ApiError } from '../protocol/errors.ts'
import { etagOf, type IfMatch, preconditionFailed, requireVersion } from '../protocol/etag.ts'
import type { StateMachine } from '../protocol/states.ts'

interface StatefulRow<State extends string> {
  id: string
  version: number
  state: State
  state_changed_at: string
  updated_at: string
}

/** What is known of all records of a kind, whatever their states are. */
interface WrittenKind<Row> {
  readonly states: { readonly type: string }
  /** The address of a record, below `/v1`. */
  path(id: string): string
  /** The row with whatever else moves when it does, such as the copy that another Portal lists. */
  withCopies?(row: Row): Row
  /** Writes the row with the next version number; false when the record is no longer at the row's version. */
  update(tx: Tx, caller: Caller, row: Row): Promise<boolean>
  /** The Portals that hear of it. */
  audience(caller: Caller, row: Row): readonly string[]
  /** The version a Portal sees, where it is not the row's: the parties of a record need not see the same changes. */
  versionFor?(row: Row, portalId: string): number
}

export interface RecordKind<
  State extends string,
  Action extends string,
  Party extends string,
  Row extends StatefulRow<State>,
> extends WrittenKind<Row> {
  readonly states: StateMachine<State, Action, Party>
}

/** The record an address names, at the version the caller has seen. */
export function requireRow<Row extends StatefulRow<string>>(row: Row | undefined, ifMatch: IfMatch | null): Row {
  if (!row) throw new ApiError('not_found')
  requireVersion(ifMatch, etagOf(row))
  return row
}

/** Writes a record as its next version, if nobody else has meanwhile. */
export async function saveRecord<Row extends StatefulRow<string>>(
  tx: Tx,
  caller: Caller,
  kind: WrittenKind<Row>,
  row: Row,
  now = isoTime(caller.context.clock.now()),
): Promise<Row> {
  const touched = { ...row, updated_at: now }
  const changed = kind.withCopies?.(touched) ?? touched
  if (!(await kind.update(tx, caller, changed))) throw preconditionFailed()
  return { ...changed, version: row.version + 1 }
}

/** Takes an action of the table: the state it leads to, whatever else changes with it, the event it has. */
export async function takeAction<
  State extends string,
  Action extends string,
  Party extends string,
  Row extends StatefulRow<State>,
>(
  tx: Tx,
  caller: Caller,
  kind: RecordKind<State, Action, Party, Row>,
  current: Row,
  {
    action,
    by,
    change,
  }: { action: NoInfer<Action>; by: NoInfer<Party> | readonly NoInfer<Party>[]; change?: Partial<Row> },
): Promise<Row> {
  const { to = current.state, event } = kind.states.requireStep(current.state, action, by)
  const isMoved = to !== current.state
  const now = isoTime(caller.context.clock.now())
  const moved = isMoved ? { state: to, state_changed_at: now } : {}
  const saved = await saveRecord(tx, caller, kind, { ...current, ...change, ...moved }, now)
  if (event !== undefined)
    await publishOf(tx, caller, kind, saved, event, isMoved ? { previous_state: current.state } : {})
  return saved
}

/** Tells everybody concerned what happened to a record. */
export async function publishOf<Row extends StatefulRow<string>>(
  tx: Tx,
  caller: Caller,
  kind: WrittenKind<Row>,
  row: Row,
  event: string,
  more: Pick<NewEvent, 'changes' | 'previous_state'> = {},
): Promise<void> {
  const { type } = kind.states
  const { id, version, state } = row
  const listeners = [...new Set(kind.audience(caller, row))].map((portal_id) => ({
    portal_id,
    version: kind.versionFor?.(row, portal_id) ?? version,
  }))
  const resource = { type, id, path: kind.path(id), version }
  await publish(tx, caller, { type: `${type}.${event}`, resource, state, ...more }, listeners)
}
