// A deal as a record with states: written in the Portal of its sender, with the row by which the recipient lists it.
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { etagOf, type IfMatch, requireVersion } from '../../platform/protocol/etag.ts'
import { type RecordKind, saveRecord, takeAction } from '../../platform/records/stateful-records.ts'
import { newId } from '../../platform/values/ids.ts'
import { audienceOf, partiesOf, type Role, receivedView, roleOf } from './parties.ts'
import { type DealRow, findDeal, findSender, lockDeal, updateDeal, updateReceived } from './queries.ts'
import { type DealAction, type DealState, dealObstacle, dealStates, type Party } from './states.ts'
import { insertTimelineEntry, type TimelineRow } from './timeline-queries.ts'

export function dealPath(id: string): string {
  return `/deals/${id}/`
}

export const dealRecord: RecordKind<DealState, DealAction, Party | 'job', DealRow> = {
  states: dealStates,
  path: dealPath,
  withCopies(row) {
    const { received, state, stage_key, updated_at } = row
    return {
      ...row,
      received: received && { ...received, version: received.version + 1, state, stage_key, updated_at },
    }
  },
  async update(tx, _caller, row) {
    if (!(await updateDeal(tx, row))) return false
    return row.received === null || updateReceived(tx, { ...row.received, version: row.received.version - 1 })
  },
  audience: (_caller, row) => audienceOf(row),
  versionFor: (row, portalId) => viewOf(row, roleOf(row, portalId)).version,
}

/** What the ETag of a deal is made of: the two parties do not see the same changes. */
export function viewOf({ id, version, updated_at, received }: DealRow, role: Role) {
  return role === 'recipient' && received
    ? { id, view: receivedView, version: received.version, updated_at: received.updated_at }
    : { id, version, updated_at }
}

export interface DealTarget {
  deal_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** A deal that the caller sent or received. */
export async function requireDeal(db: Connection, caller: Caller, id: string): Promise<DealRow> {
  const deal = await findDeal(db, caller.portal_id, id)
  if (!deal) throw new ApiError('not_found')
  return deal
}

/** The same for a change: held until the transaction ends, at the version the caller has seen. */
export async function openDeal(
  tx: Tx,
  caller: Caller,
  { deal_id, ifMatch }: DealTarget,
  /** What the caller wants to do: whoever never may is told so before anything else. */
  action?: DealAction,
): Promise<DealRow> {
  const sender = await findSender(tx, caller.portal_id, deal_id)
  if (sender === undefined) throw new ApiError('not_found')
  await lockDeal(tx, sender, deal_id)
  const deal = await requireDeal(tx, caller, deal_id)
  const role = roleOf(deal, caller.portal_id)
  if (action !== undefined) dealStates.requireParty(action, partiesOf[role])
  requireVersion(ifMatch, etagOf(viewOf(deal, role)))
  return deal
}

/** Writes a deal as its next version. What the sender alone sees moves nothing that the recipient sees. */
export async function saveDeal(
  tx: Tx,
  caller: Caller,
  deal: DealRow,
  { isShared }: { isShared: boolean },
): Promise<DealRow> {
  if (isShared) return saveRecord(tx, caller, dealRecord, deal)
  const saved = await saveRecord(tx, caller, { ...dealRecord, withCopies: (row) => ({ ...row, received: null }) }, deal)
  return { ...saved, received: deal.received }
}

interface Step {
  action: DealAction
  /** Who acts; left out for the caller in its role. */
  by?: 'job'
  change?: Partial<DealRow>
  note?: string | null | undefined
}

/** Takes an action on a deal: the table of states, both parties' rows, the timeline, both parties' events. */
export async function actOnDeal(tx: Tx, caller: Caller, deal: DealRow, step: Step): Promise<DealRow> {
  const { action, by, change = {}, note = null } = step
  const party = by ?? partiesOf[roleOf(deal, caller.portal_id)]
  const { event = action } = dealStates.requireStep(deal.state, action, party, by ? undefined : dealObstacle(deal))
  const saved = await takeAction(tx, caller, dealRecord, deal, { action, by: party, change })
  const isMove = saved.state === deal.state
  await addToTimeline(tx, caller, deal, {
    kind: event,
    from_value: isMove ? deal.stage_key : deal.state,
    to_value: isMove ? saved.stage_key : saved.state,
    note,
  })
  return saved
}

/** Notes what happened in the timeline that both parties read. */
export async function addToTimeline(
  tx: Tx,
  caller: Caller,
  { portal_id, id }: Pick<DealRow, 'portal_id' | 'id'>,
  entry: Pick<TimelineRow, 'kind'> & Partial<TimelineRow>,
): Promise<void> {
  await insertTimelineEntry(tx, {
    portal_id,
    deal_id: id,
    id: newId('tml'),
    at: isoTime(caller.context.clock.now()),
    actor_portal_id: caller.is_job ? null : caller.portal_id,
    actor_key_id: caller.key_id ?? null,
    from_value: null,
    to_value: null,
    note: null,
    is_shared: true,
    ...entry,
  })
}
