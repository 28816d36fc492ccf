// Offers as records with states. They are part of their application: whoever changes one holds the application.
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

/** Ends the active offer of an application that ends: the sender turns it down, or the recipient takes it back. */
export async function endActiveOffer(
  tx: Tx,
  caller: Caller,
  application: ApplicationRow,
  isBySender: boolean,
): Promise<void> {
  const { portal_id, id, active_offer } = application
  const offer = active_offer && (await findOffer(tx, portal_id, id, active_offer.id))
  if (offer?.state !== 'active') return
  const step = isBySender
    ? ({ action: 'decline', by: 'sender' } as const)
    : ({ action: 'withdraw', by: 'recipient' } as const)
  await takeAction(tx, caller, offersOf(application), offer, step)
}
