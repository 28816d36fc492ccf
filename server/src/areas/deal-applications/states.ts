// One table for both parties of an application: what each of them can do in each state, what it leads to, what it tells.
// `dealEffects` says what each state does to the deal; both move in one transaction.
import { defineStates } from '../../platform/protocol/states.ts'
import type { Category } from '../deals/stages.ts'

/** The sender has the application and answers it; the recipient asks the questions and decides. */
const sender = { by: 'sender' } as const

const answer = sender
const submit = { ...sender, to: 'submitted', event: 'submitted' } as const
const withdraw = { ...sender, to: 'withdrawn', event: 'withdrawn' } as const
const request_information = { by: 'recipient', to: 'information_requested', event: 'information_requested' } as const
const returning = { by: 'recipient', to: 'returned', event: 'returned' } as const
const decline = { by: 'recipient', to: 'declined', event: 'declined' } as const
const cancel = { by: 'recipient', to: 'cancelled', event: 'cancelled' } as const
// The event of an offer is the offer's own.
const offer = { by: 'recipient', to: 'offered' } as const
// A deal that ends takes its application with it.
const withDeal = {
  withdraw_with_deal: { by: 'job', to: 'withdrawn', event: 'withdrawn' },
  cancel_with_deal: { by: 'job', to: 'cancelled', event: 'cancelled' },
} as const
const offerActions = {
  accept_final_offer: { ...sender, to: 'accepted', event: 'accepted' },
  accept_indicative_offer: { ...sender, to: 'in_review' },
  decline_offer: { ...sender, to: 'offer_declined' },
} as const
const give_up = { by: 'job', to: 'closed_incomplete', event: 'expired' } as const

export const applicationStates = defineStates({
  type: 'deal_application',
  noun: 'application',
  initial: 'draft',
  table: {
    draft: { answer, submit, withdraw, expire: { by: 'job', to: 'expired', event: 'expired' }, ...withDeal },
    submitted: {
      acknowledge: { by: 'recipient', to: 'in_review', event: 'acknowledged' },
      request_information,
      return: returning,
      decline,
      offer,
      cancel,
      withdraw,
      ...withDeal,
    },
    in_review: {
      request_information,
      return: returning,
      decline,
      offer,
      cancel,
      withdraw,
      // An offer that was made before a request for information still stands.
      ...offerActions,
      withdraw_offer: { by: 'recipient' },
      ...withDeal,
    },
    information_requested: {
      answer,
      respond: { ...sender, to: 'in_review', event: 'responded' },
      withdraw,
      request_information: { by: 'recipient', event: 'information_requested' },
      decline,
      cancel,
      give_up,
      ...withDeal,
    },
    returned: { answer, submit, withdraw, decline, cancel, give_up, ...withDeal },
    offered: {
      ...offerActions,
      withdraw,
      offer: { by: 'recipient' },
      withdraw_offer: { by: 'recipient', to: 'in_review' },
      request_information,
      decline,
      cancel,
      expire_offer: { by: 'job', to: 'in_review' },
      ...withDeal,
    },
    accepted: { fund: { by: 'recipient', to: 'funded', event: 'funded' }, decline, cancel, withdraw, ...withDeal },
    declined: {},
    offer_declined: {},
    withdrawn: {},
    expired: {},
    closed_incomplete: {},
    cancelled: {},
    funded: {},
  },
})
export type ApplicationState = (typeof applicationStates.states)[number]
export type ApplicationAction = (typeof applicationStates.transitions)[number]['action']

/** An application as far as it decides what can be done with it now. */
interface Standing {
  active_offer: { kind: string } | null
  /** Null when nothing was asked, as in a draft; empty when a request names no questions. */
  open_question_keys: readonly string[] | null
  expires_at: string | null
  offer_expires_at: string | null
  /** The deadlines that have passed. */
  aspect?: string | undefined
}

/** The deadlines of an application that have passed: they hold by themselves, before the job that ends it has run. */
export function passedDeadlines(
  { expires_at, offer_expires_at }: Pick<Standing, 'expires_at' | 'offer_expires_at'>,
  now: string,
): string {
  const isPassed = (deadline: string | null) => deadline !== null && deadline <= now
  return [...(isPassed(expires_at) ? [late] : []), ...(isPassed(offer_expires_at) ? [offerLate] : [])].join(' ')
}
const [late, offerLate] = ['late', 'offer_late']

/** What is in the way of an action that the state allows: a deadline that has passed, or what the action needs is not there. */
export function applicationObstacle({
  active_offer,
  open_question_keys,
  expires_at,
  offer_expires_at,
  aspect = '',
}: Standing) {
  const passed = aspect.split(' ')
  return (action: string): string | undefined => {
    if (sendersWork.has(action) && passed.includes(late))
      return `the deadline of the application passed at ${expires_at}.`
    if (action === 'answer' && open_question_keys?.length === 0)
      return 'the request for information names no questions to change.'
    const kinds = offerKinds[action]
    if (!kinds) return undefined
    if (!active_offer) return 'the application has no active offer.'
    if (passed.includes(offerLate)) return `the offer expired at ${offer_expires_at}.`
    return kinds.includes(active_offer.kind) ? undefined : `the active offer is ${active_offer.kind}.`
  }
}
const sendersWork: ReadonlySet<string> = new Set<ApplicationAction>(['answer', 'submit', 'respond'])
/** The kinds of offers that an action is for. */
const offerKinds: Readonly<Record<string, readonly string[]>> = {
  accept_final_offer: ['final'],
  accept_indicative_offer: ['indicative'],
  decline_offer: ['final', 'indicative'],
  withdraw_offer: ['final', 'indicative'],
} satisfies Partial<Record<ApplicationAction, readonly string[]>>

/** What a deal becomes when its application comes to a state. */
interface DealEffect {
  /** The category of stages the deal moves to. */
  category?: Category
  /** How the deal ends, and why. */
  ends?: { action: 'win' | 'lose' | 'expire'; reason_code: string | null }
}

export const dealEffects: Readonly<Record<ApplicationState, DealEffect>> = {
  // Nobody but the sender knows of a draft.
  draft: {},
  submitted: { category: 'under_review' },
  in_review: { category: 'under_review' },
  information_requested: { category: 'under_review' },
  returned: { category: 'application' },
  offered: { category: 'offer' },
  accepted: { category: 'closing' },
  funded: { ends: { action: 'win', reason_code: null } },
  declined: { ends: { action: 'lose', reason_code: 'declined' } },
  cancelled: { ends: { action: 'lose', reason_code: 'cancelled' } },
  offer_declined: { ends: { action: 'lose', reason_code: 'offer_declined' } },
  expired: { ends: { action: 'expire', reason_code: 'application_expired' } },
  closed_incomplete: { ends: { action: 'expire', reason_code: 'information_not_provided' } },
  withdrawn: { category: 'application' },
}

/** The states in which nothing happens any more. */
export function isEnded(state: ApplicationState): boolean {
  return !applicationStates.transitions.some(({ from }) => from === state)
}

/** Every offer that was made is kept; one of them can be active. */
const supersede = { by: 'recipient', to: 'superseded', event: 'superseded' } as const
export const offerStates = defineStates({
  type: 'offer',
  noun: 'offer',
  initial: 'active',
  table: {
    active: {
      accept: { by: 'sender', to: 'accepted', event: 'accepted' },
      decline: { by: 'sender', to: 'declined', event: 'declined' },
      withdraw: { by: 'recipient', to: 'withdrawn', event: 'withdrawn' },
      supersede,
      expire: { by: 'job', to: 'expired', event: 'expired' },
    },
    accepted: {},
    declined: {},
    expired: {},
    superseded: {},
    withdrawn: {},
  },
})
export type OfferState = (typeof offerStates.states)[number]
export type OfferAction = (typeof offerStates.transitions)[number]['action']
