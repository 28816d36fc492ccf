import { apiUrl, type Caller } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import { roleOf } from '../../deals/parties.ts'
import { asSeenBy } from '../kind.ts'
import type { ApplicationRow } from '../queries.ts'
import { offersOf } from './kind.ts'
import type { OfferRow } from './queries.ts'
import type { Offer } from './schema.ts'

export function toOffer({ context, portal_id }: Caller, application: ApplicationRow, row: OfferRow): Offer {
  return {
    id: row.id,
    url: apiUrl(context.config, offersOf(application).path(row.id)),
    etag: etagOf(asSeenBy(application, roleOf(application, portal_id))),
    application_id: row.application_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
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
