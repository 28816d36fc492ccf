// Offers as records with states. They are part of their application: whoever changes one holds the application.
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { type RecordKind, takeAction } from '../../../platform/records/stateful-records.ts'
import { audienceOf } from '../../deals/parties.ts'
import type { Party } from '../../deals/states.ts'
import type { ApplicationRow } from '../queries.ts'
import { type OfferAction, type OfferState, offerStates } from '../states.ts'
import { findOffer, type OfferRow, updateOffer } from './queries.ts'

export function offersOf(application: ApplicationRow): RecordKind<OfferState, OfferAction, Party | 'job', OfferRow> {
  return {
    states: offerStates,
    path: (id) => `/deal-applications/${application.id}/offers/${id}/`,
    update: (tx, _caller, row) => updateOffer(tx, row),
    audience: () => audienceOf(application),
  }
}

/** How an offer can end other than by being accepted. */
type Ending =
  | { action: 'decline'; by: 'sender' }
  | { action: 'withdraw' | 'supersede'; by: 'recipient' }
  | { action: 'expire'; by: 'job' }

/** Ends the active offer of an application, if there is one. After its last day it has expired, whatever ends it. */
export async function endActiveOffer(
  tx: Tx,
  caller: Caller,
  application: ApplicationRow,
  ending: Ending,
): Promise<void> {
  const { portal_id, id, active_offer } = application
  const offer = active_offer && (await findOffer(tx, portal_id, id, active_offer.id))
  if (offer?.state !== 'active') return
  const { expires_at } = offer
  const isLate = expires_at !== null && expires_at <= isoTime(caller.context.clock.expiry())
  await takeAction(tx, caller, offersOf(application), offer, isLate ? { action: 'expire', by: 'job' } : ending)
}
