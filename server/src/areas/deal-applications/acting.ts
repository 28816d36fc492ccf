// An action on an application, whoever takes it: the table of states, the deal that moves with it, the timeline, and the
// events of both parties, all in one transaction.
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { type IfMatch, requireVersion, tagsOf } from '../../platform/protocol/etag.ts'
import { takeAction } from '../../platform/records/stateful-records.ts'
import { actOnDeal, addToTimeline, saveDeal } from '../deals/kind.ts'
import { partiesOf, type Role, roleOf } from '../deals/parties.ts'
import { type DealRow, findDeal, lockDeal } from '../deals/queries.ts'
import { atStage, ended, stagesOf } from '../deals/stage-moves.ts'
import { stageOf } from '../deals/stages.ts'
import { applicationRecord, asSeenBy } from './kind.ts'
import { endActiveOffer } from './offers/kind.ts'
import { type ApplicationRow, findApplicationRow, findHome, lockApplication } from './queries.ts'
import { type ApplicationAction, applicationObstacle, applicationStates, dealEffects, isEnded } from './states.ts'

export interface ApplicationTarget {
  application_id: string
  /** The version the caller has seen; null when it does not matter. */
  ifMatch: IfMatch | null
}

/** An application and its deal, held until the transaction ends. */
export interface Opened {
  application: ApplicationRow
  deal: DealRow
  role: Role
}

/** Always the deal before its application, so that two who begin at different ends never wait for each other. */
export async function openApplication(
  tx: Tx,
  caller: Caller,
  { application_id, ifMatch }: ApplicationTarget,
  /** What the caller wants to do, if need be by what the address names: whoever never may is told so before anything else. */
  action?: ApplicationAction | ((application: ApplicationRow) => Promise<ApplicationAction>),
  /** Throws when the address names something that is not there: that comes before versions and states. */
  requireNamed: (application: ApplicationRow) => Promise<unknown> = async () => undefined,
): Promise<Opened> {
  const { portal_id } = caller
  const found = await findHome(tx, portal_id, application_id)
  if (!found) throw new ApiError('not_found')
  await lockDeal(tx, found.portal_id, found.deal_id)
  await lockApplication(tx, found)
  const [application, deal] = await Promise.all([
    findApplicationRow(tx, portal_id, application_id),
    findDeal(tx, portal_id, found.deal_id),
  ])
  if (!application || !deal) throw new ApiError('not_found')
  const role = roleOf(application, portal_id)
  const wanted = typeof action === 'function' ? await action(application) : action
  if (wanted !== undefined) applicationStates.requireParty(wanted, partiesOf[role])
  await requireNamed(application)
  const seen = asSeenBy(caller.context, application, role)
  requireVersion(ifMatch, ...tagsOf(seen))
  return { application: { ...application, aspect: seen.aspect }, deal, role }
}

/** Throws unless the caller can take this action now: who may, and in which state, comes before what is wrong with it. */
export function requireStep({ application, role }: Opened, action: ApplicationAction): void {
  applicationStates.requireStep(application.state, action, partiesOf[role], applicationObstacle(application))
}

interface Step {
  action: ApplicationAction
  /** Who acts; left out for the caller in its role. */
  by?: 'job'
  change?: Partial<ApplicationRow>
  /** What else changes in the deal. */
  dealChange?: Partial<DealRow>
  note?: string | null | undefined
}

export async function act(
  tx: Tx,
  caller: Caller,
  { application, deal, role }: Opened,
  { action, by, change = {}, dealChange = {}, note = null }: Step,
): Promise<Opened> {
  const party = by ?? partiesOf[role]
  const obstacle = by ? undefined : applicationObstacle(application)
  const step = applicationStates.requireStep(application.state, action, party, obstacle)
  const { to = application.state, event = action } = step
  const end = isEnded(to) ? await ending(tx, caller, application, action) : {}
  const saved = await takeAction(tx, caller, applicationRecord, application, {
    action,
    by: party,
    change: { ...end, ...change },
  })
  await addToTimeline(tx, caller, deal, {
    kind: offerKinds[action] ?? `application_${event}`,
    from_value: application.state,
    to_value: saved.state,
    note,
    is_shared: saved.first_submitted_at !== null,
  })
  const isFollowed = action !== 'withdraw_with_deal' && action !== 'cancel_with_deal'
  return {
    application: saved,
    deal: isFollowed ? await follow(tx, caller, saved, deal, { dealChange, note }) : deal,
    role,
  }
}

/** What the timeline calls an action on an offer: the offer is what both parties look at. */
const offerKinds: Partial<Record<ApplicationAction, string>> = {
  offer: 'offer_received',
  accept_final_offer: 'offer_accepted',
  accept_indicative_offer: 'offer_accepted',
  decline_offer: 'offer_declined',
  withdraw_offer: 'offer_withdrawn',
  expire_offer: 'offer_expired',
}

/** What nothing happens to any more: no question is open, no offer stands, nothing expires. */
async function ending(
  tx: Tx,
  caller: Caller,
  application: ApplicationRow,
  action: ApplicationAction,
): Promise<Partial<ApplicationRow>> {
  const isBySender = action === 'withdraw' || action === 'withdraw_with_deal'
  await endActiveOffer(
    tx,
    caller,
    application,
    isBySender ? { action: 'decline', by: 'sender' } : { action: 'withdraw', by: 'recipient' },
  )
  return {
    active_deal_id: null,
    active_offer: null,
    offer_expires_at: null,
    expires_at: null,
    information_request: null,
    returned: null,
    open_question_keys: null,
  }
}

/** Moves the deal to where its application has come. */
async function follow(
  tx: Tx,
  caller: Caller,
  { id, state, first_submitted_at }: ApplicationRow,
  deal: DealRow,
  { dealChange: given, note }: { dealChange: Partial<DealRow>; note: string | null },
): Promise<DealRow> {
  const { category, ends } = dealEffects[state]
  const submitted_application_id = first_submitted_at === null || isEnded(state) ? null : id
  const dealChange = {
    ...given,
    ...(deal.submitted_application_id !== submitted_application_id && { submitted_application_id }),
    // What was approved goes with the application that it was approved for.
    ...(state === 'withdrawn' && deal.amount_approved && { amount_approved: null }),
  }
  if (ends) {
    const change = await ended(tx, caller, deal, endKinds[ends.action], { reason_code: ends.reason_code, note })
    return actOnDeal(tx, caller, deal, { action: ends.action, by: 'job', change: { ...change, ...dealChange }, note })
  }
  // A draft that is given up was never part of the deal's progress.
  const isMoved = category !== undefined && category !== deal.stage_category && first_submitted_at !== null
  if (isMoved) {
    const stage = stageOf(await stagesOf(tx, deal.recipient_portal_id), category)
    const change = { ...atStage(caller, deal, stage), ...dealChange }
    return actOnDeal(tx, caller, deal, { action: 'move', by: 'job', change })
  }
  return Object.keys(dealChange).length > 0
    ? saveDeal(tx, caller, { ...deal, ...dealChange }, { isShared: true })
    : deal
}

const endKinds = { win: 'won', lose: 'lost', expire: 'expired' } as const
