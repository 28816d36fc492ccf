// What a demo deal is made of: one business, one recipient, and what happened to it day by day. Stories are told with the
// same commands that the API calls, each by the party whose act it is.

import type { Static } from 'typebox'
import type { OfferInput } from '../../areas/deal-applications/offers/schema.ts'
import type { DeclineInput } from '../../areas/deal-applications/schema.ts'
import type { LoseInput } from '../../areas/deals/schema.ts'

/** What happened, by the number of days before the day of the demo. */
export type Step = { at: number; note?: string } & (
  | { do: 'move'; stage: string }
  | { do: 'hold' | 'resume' | 'withdraw' | 'reopen' | 'win' }
  | { do: 'lose'; reason: Static<typeof LoseInput>['reason_code'] }
  /** Begins an application; `answered` limits the answers to the first questions, `autofill` leaves them to Autofill. */
  | { do: 'apply'; answered?: number; autofill?: true }
  | { do: 'submit' | 'respond' | 'cancel_application' | 'withdraw_application' | 'expire' | 'expire_offer' }
  | { do: 'acknowledge'; reference: string }
  | { do: 'ask'; message: string; keys: string[]; due_in?: number }
  | { do: 'return'; message: string; keys: string[] }
  | { do: 'decline'; reasons: DeclineInput['reason_codes'] }
  | { do: 'offer'; offer: Terms }
  | { do: 'accept_offer' | 'decline_offer' | 'withdraw_offer' }
  | { do: 'fund'; amount: string }
)

/** The terms of an offer, in dollars. */
export interface Terms {
  kind: OfferInput['kind']
  amount: string
  term_months?: number
  rate?: number
  fee_percent?: number
  conditions?: string[]
  /** Days after the offer. */
  valid_days?: number
}

export interface Story {
  /** The legal name of the business. */
  business: string
  /** The name of the recipient; left out for the Portal itself. */
  recipient?: string
  title: string
  amount: string
  use: string
  /** What the business says it needs the money for. */
  purpose: string
  /** The match it was created from. */
  match?: { project: string; program: string }
  /** Days before the demo on which the deal was created. */
  created: number
  /** In how many days it is expected to be closed. */
  closes_in?: number
  tags?: string[]
  /** The recipient's own notes. */
  assignee?: string
  /** Questions that a document is uploaded for. */
  documents?: string[]
  steps: Step[]
}

/** An application that was prepared and submitted the next day. */
export function submitted(at: number): Step[] {
  return [
    { at, do: 'apply' },
    { at: at - 1, do: 'submit' },
  ]
}

/** One whose review has begun. */
export function inReview(at: number, reference: string): Step[] {
  return [...submitted(at), { at: at - 2, do: 'acknowledge', reference }]
}
