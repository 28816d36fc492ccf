import { apiUrl, type Caller } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import { partiesOf, roleOf } from '../../deals/parties.ts'
import type { Party } from '../../deals/states.ts'
import { asSeenBy } from '../kind.ts'
import type { ApplicationRow } from '../queries.ts'
import { applicationObstacle, applicationStates, offerStates } from '../states.ts'
import { offersOf } from './kind.ts'
import type { OfferRow } from './queries.ts'
import type { Offer } from './schema.ts'

/** What can be done with an offer: what its state allows, and that of its application, until it expires. */
function actionsOn(
  application: ApplicationRow,
  offer: OfferRow,
  parties: readonly Party[],
): Offer['available_actions'] {
  if (application.active_offer?.id !== offer.id) return []
  const obstacle = applicationObstacle(application)
  const accept = offer.kind === 'final' ? 'accept_final_offer' : 'accept_indicative_offer'
  const needed = { accept, decline: 'decline_offer', withdraw: 'withdraw_offer' } as const
  return (['accept', 'decline', 'withdraw'] as const).filter(
    (action) =>
      offerStates.isAllowed(offer.state, action, parties) &&
      applicationStates.isAllowed(application.state, needed[action], parties, obstacle),
  )
}

export function toOffer({ context, portal_id }: Caller, application: ApplicationRow, row: OfferRow): Offer {
  const role = roleOf(application, portal_id)
  const seen = asSeenBy(context, application, role)
  return {
    id: row.id,
    url: apiUrl(context.config, offersOf(application).path(row.id)),
    etag: etagOf(seen),
    application_id: row.application_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: actionsOn(seen, row, partiesOf[role]),
    // safe because only what has passed the schema of the input is ever stored
    kind: row.kind as Offer['kind'],
    amount: row.amount,
    term_months: row.term_months,
    // safe for the same reason
    rate: row.rate as Offer['rate'],
    fees: row.fees,
    // safe for the same reason
    repayment: row.repayment as Offer['repayment'],
    conditions: row.conditions,
    valid_until: row.valid_until,
    expires_at: row.expires_at,
  }
}
