// Offers are made and taken back by the recipient, accepted and declined by the sender. Each moves its application.
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, bodyDetail, type ErrorDetail, validationFailed } from '../../../platform/protocol/errors.ts'
import { publishOf, takeAction } from '../../../platform/records/stateful-records.ts'
import { newId } from '../../../platform/values/ids.ts'
import { type Money, plainMoney } from '../../../platform/values/money.ts'
import { endOfDateIn } from '../../../platform/values/times.ts'
import { amountProblems, moneyOf } from '../../deals/amounts.ts'
import { partiesOf } from '../../deals/parties.ts'
import { type ApplicationTarget, act, type Opened, openApplication, requireStep } from '../acting.ts'
import type { ApplicationRow } from '../queries.ts'
import { requireNotPast, timeZoneOf } from '../recipient-commands.ts'
import { offerStates } from '../states.ts'
import { endActiveOffer, offersOf } from './kind.ts'
import { findOffer, insertOffer, type OfferRow } from './queries.ts'
import type { OfferInput } from './schema.ts'

interface OfferTarget extends ApplicationTarget {
  offer_id: string
}

/** An offer with the application it is a part of. */
export interface OpenedOffer extends Opened {
  offer: OfferRow
}

/** Makes an offer, in place of the one that is active. */
export async function makeOffer(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  input: OfferInput,
): Promise<OpenedOffer> {
  const opened = await openApplication(tx, caller, target, 'offer')
  const { application } = opened
  requireStep(opened, 'offer')
  const problems = offerProblems(input)
  if (problems.length > 0) throw validationFailed(problems)
  const { valid_until = null } = input
  const zone = await timeZoneOf(tx, application)
  if (valid_until !== null) requireNotPast(caller, zone, valid_until, '/valid_until')
  const now = isoTime(caller.context.clock.now())
  await endActiveOffer(tx, caller, application, { action: 'supersede', by: 'recipient' })
  const offer: OfferRow = {
    portal_id: application.portal_id,
    id: newId('ofr'),
    version: 1,
    application_id: application.id,
    state: offerStates.initial,
    state_changed_at: now,
    kind: input.kind,
    amount: plainMoney(input.amount),
    term_months: input.term_months ?? null,
    rate: input.rate ? { ...input.rate, apr: input.rate.apr ?? null } : null,
    fees: (input.fees ?? []).map(({ name, amount, percent = null }) => ({ name, amount: moneyOf(amount), percent })),
    repayment: input.repayment
      ? {
          frequency: input.repayment.frequency,
          amount: moneyOf(input.repayment.amount),
          total: moneyOf(input.repayment.total),
        }
      : null,
    conditions: input.conditions ?? [],
    valid_until,
    expires_at: valid_until === null ? null : isoTime(endOfDateIn(zone, valid_until)),
    created_at: now,
    updated_at: now,
  }
  await insertOffer(tx, offer)
  const change = { active_offer: { id: offer.id, kind: offer.kind }, offer_expires_at: offer.expires_at }
  const acted = await act(tx, caller, opened, { action: 'offer', change })
  await publishOf(tx, caller, offersOf(acted.application), offer, 'received')
  return { ...acted, offer }
}

/** Accepts an offer: a final one settles the application, an indicative one asks for a final one. */
export async function acceptOffer(
  tx: Tx,
  caller: Caller,
  target: OfferTarget,
  note: string | null | undefined,
): Promise<OpenedOffer> {
  const opened = await openOffer(tx, caller, target, 'accept')
  const { offer } = opened
  const action = actionOn(offer, 'accept')
  const dealChange = offer.kind === 'final' ? { amount_approved: offer.amount } : {}
  return decide(tx, caller, opened, { action, offerAction: 'accept', dealChange, note })
}

export async function declineOffer(
  tx: Tx,
  caller: Caller,
  target: OfferTarget,
  note: string | null | undefined,
): Promise<OpenedOffer> {
  const opened = await openOffer(tx, caller, target, 'decline')
  return decide(tx, caller, opened, { action: actionOn(opened.offer, 'decline'), offerAction: 'decline', note })
}

export async function withdrawOffer(
  tx: Tx,
  caller: Caller,
  target: OfferTarget,
  note: string | null | undefined,
): Promise<OpenedOffer> {
  const opened = await openOffer(tx, caller, target, 'withdraw')
  return decide(tx, caller, opened, { action: actionOn(opened.offer, 'withdraw'), offerAction: 'withdraw', note })
}

interface Decision {
  action: 'accept_final_offer' | 'accept_indicative_offer' | 'decline_offer' | 'withdraw_offer'
  offerAction: 'accept' | 'decline' | 'withdraw'
  dealChange?: Parameters<typeof act>[3]['dealChange']
  note?: string | null | undefined
}

async function decide(
  tx: Tx,
  caller: Caller,
  opened: OpenedOffer,
  { action, offerAction, dealChange = {}, note }: Decision,
): Promise<OpenedOffer> {
  requireStep(opened, action)
  const offer = await takeAction(tx, caller, offersOf(opened.application), opened.offer, {
    action: offerAction,
    by: partiesOf[opened.role],
  })
  const change = { active_offer: null, offer_expires_at: null }
  const acted = await act(tx, caller, opened, { action, change, dealChange, note })
  return { ...acted, offer }
}

/** The offer an address names, with its application at the version the caller has seen. */
async function openOffer(
  tx: Tx,
  caller: Caller,
  target: OfferTarget,
  action: 'accept' | 'decline' | 'withdraw',
): Promise<OpenedOffer> {
  const find = ({ portal_id, id }: ApplicationRow) => findOffer(tx, portal_id, id, target.offer_id)
  const requireOffer = async (application: ApplicationRow) => {
    const offer = await find(application)
    if (!offer) throw new ApiError('not_found')
    return offer
  }
  const needed = async (application: ApplicationRow) => actionOn(await find(application), action)
  const opened = await openApplication(tx, caller, target, needed, requireOffer)
  const offer = await requireOffer(opened.application)
  offerStates.requireStep(offer.state, action, partiesOf[opened.role])
  return { ...opened, offer }
}

/** What an action on an offer is to its application. */
function actionOn(offer: Pick<OfferRow, 'kind'> | undefined, action: Decision['offerAction']): Decision['action'] {
  if (action !== 'accept') return `${action}_offer`
  return offer?.kind === 'indicative' ? 'accept_indicative_offer' : 'accept_final_offer'
}

function offerProblems({ amount, fees = [], repayment }: OfferInput): ErrorDetail[] {
  return [
    ...amountProblems(amount, '/amount', { isPositive: true }),
    ...fees.flatMap((fee, index) => feeProblems(fee, `/fees/${index}`)),
    ...amountProblems(repayment?.amount, '/repayment/amount'),
    ...amountProblems(repayment?.total, '/repayment/total'),
    ...otherCurrencies(amount, [
      ...fees.map((fee, index) => [fee.amount, `/fees/${index}/amount`] as const),
      [repayment?.amount, '/repayment/amount'],
      [repayment?.total, '/repayment/total'],
    ]),
  ]
}

function feeProblems(
  { amount = null, percent = null }: NonNullable<OfferInput['fees']>[number],
  pointer: string,
): ErrorDetail[] {
  if ((amount === null) !== (percent === null)) return amountProblems(amount, `${pointer}/amount`)
  const message = 'A fee must have either amount or percent, and not both.'
  return [bodyDetail(pointer, amount === null ? 'required' : 'invalid_format', message)]
}

/** An offer has one currency. */
function otherCurrencies(
  { currency }: Money,
  others: readonly (readonly [Money | null | undefined, string])[],
): ErrorDetail[] {
  return others.flatMap(([money, pointer]) =>
    !money || money.currency === currency
      ? []
      : [
          bodyDetail(
            `${pointer}/currency`,
            'invalid_enum',
            `currency must be ${currency}, as in the amount of the offer.`,
            {
              allowed: [currency],
            },
          ),
        ],
  )
}
