// What happens to an application because time has passed, or because its deal has ended.
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { saveRecord } from '../../platform/records/stateful-records.ts'
import { type EndApplication, endDeal } from '../deals/commands.ts'
import { addToTimeline } from '../deals/kind.ts'
import { roleOf } from '../deals/parties.ts'
import { act, openApplication } from './acting.ts'
import { applicationRecord } from './kind.ts'
import { endActiveOffer } from './offers/kind.ts'
import { findActiveApplication, lockApplication } from './queries.ts'

/** Ends an application nobody went on with in time; does nothing when somebody has meanwhile. */
export async function expireApplication(tx: Tx, caller: Caller, id: string): Promise<void> {
  const opened = await openApplication(tx, caller, { application_id: id, ifMatch: null })
  const { state, expires_at } = opened.application
  if (expires_at === null || expires_at > isoTime(caller.context.clock.expiry())) return
  await act(tx, caller, opened, { action: state === 'draft' ? 'expire' : 'give_up', by: 'job' })
}

/** Ends the active offer when its last day has passed. An application that waited for an answer goes back to review. */
export async function expireOffer(tx: Tx, caller: Caller, id: string): Promise<void> {
  const opened = await openApplication(tx, caller, { application_id: id, ifMatch: null })
  const { application } = opened
  const { offer_expires_at } = application
  if (offer_expires_at === null || offer_expires_at > isoTime(caller.context.clock.expiry())) return
  await endActiveOffer(tx, caller, application, { action: 'expire', by: 'job' })
  const change = { active_offer: null, offer_expires_at: null }
  if (application.state === 'offered') await act(tx, caller, opened, { action: 'expire_offer', by: 'job', change })
  else {
    await saveRecord(tx, caller, applicationRecord, { ...application, ...change })
    await addToTimeline(tx, caller, opened.deal, { kind: 'offer_expired' })
  }
}

/** A deal that ends takes its open application with it. */
export const endWithDeal: EndApplication = async (tx, caller, deal, { action, note }) => {
  const found = await findActiveApplication(tx, deal)
  if (!found) return
  await lockApplication(tx, found)
  const application = await findActiveApplication(tx, deal)
  if (!application) return
  const role = roleOf(deal, caller.portal_id)
  await act(
    tx,
    caller,
    { application, deal, role },
    {
      action: action === 'withdraw' ? 'withdraw_with_deal' : 'cancel_with_deal',
      by: 'job',
      change: { decision: { reason_codes: [], note, at: isoTime(caller.context.clock.now()) } },
      note,
    },
  )
}

/** Withdraws a deal with its application, for a sender who is to be forgotten. */
export async function withdrawDeal(tx: Tx, caller: Caller, dealId: string): Promise<void> {
  await endDeal(tx, caller, { deal_id: dealId, ifMatch: null }, { action: 'withdraw' }, endWithDeal)
}
