// Whether a recipient takes a deal or an application: asked when a deal is created, when an application is begun and when
// it is submitted for the first time.
import { findVisibleRecipient, type RecipientRow, recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { ApiError, type ErrorDetail } from '../../platform/protocol/errors.ts'

/** The recipient, if it takes something of a business from this country. Throws 422 otherwise, with the reason. */
export async function requireEligible(
  db: Connection,
  { portal_id }: Caller,
  recipientId: string,
  country: string,
  pointer = '/recipient_id',
): Promise<RecipientRow> {
  const recipient = await findVisibleRecipient(db, portal_id, recipientId)
  if (!recipient)
    throw notEligible(
      'not_visible',
      'The recipient is not visible to your Portal. GET /recipients/ lists the recipients that are.',
      pointer,
    )
  if (recipientId === recipientIdOf(portal_id)) return recipient
  if (!recipient.accepting_applications)
    throw notEligible(
      'not_accepting',
      'The recipient does not accept new applications now. GET /recipients/?accepting=true lists those that do.',
      pointer,
    )
  if (recipient.countries.length > 0 && !recipient.countries.includes(country))
    throw notEligible(
      'country_not_served',
      `The recipient does not work in the country of the business, ${country}. It works in: ${recipient.countries.join(', ')}.`,
      pointer,
      { country, countries: recipient.countries },
    )
  return recipient
}

export function notEligible(code: string, message: string, pointer: string, meta?: Record<string, unknown>): ApiError {
  const detail: ErrorDetail = { location: 'body', pointer, code, message, ...(meta && { meta }) }
  return new ApiError('recipient_not_eligible', { message, details: [detail] })
}
