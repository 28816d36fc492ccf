// What the recipient does with an application it has received: acknowledges it, asks for more, returns it, decides, funds.

import { withDependents } from '../../building-blocks/contracts/contract-model.ts'
import { requireContract } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import type { Sheet } from '../../building-blocks/questionnaires/sheet.ts'
import { loadSheet } from '../../building-blocks/questionnaires/sheet-queries.ts'
import { loadSubmittedSheet } from '../../building-blocks/questionnaires/submissions/submitted-sheet.ts'
import { findOwnRecipient } from '../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { bodyDetail, type ErrorDetail, validationFailed } from '../../platform/protocol/errors.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { newId } from '../../platform/values/ids.ts'
import { plainMoney } from '../../platform/values/money.ts'
import { dateIn, endOfDateIn } from '../../platform/values/times.ts'
import { amountProblems } from '../deals/amounts.ts'
import { type ApplicationTarget, act, type Opened, openApplication, requireStep } from './acting.ts'
import { expiryOf } from './kind.ts'
import { endActiveOffer } from './offers/kind.ts'
import type { ApplicationRow } from './queries.ts'
import type { DeclineInput, FundInput, InformationRequestInput } from './schema.ts'
import type { ApplicationAction } from './states.ts'

export async function acknowledge(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  reference: string | null = null,
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'acknowledge')
  const acknowledgement = { reference, at: nowOf(caller) }
  return act(tx, caller, opened, { action: 'acknowledge', change: { acknowledgement }, note: reference })
}

/** Asks the sender for more. The named questions are open until the sender responds; a second request replaces the first. */
export async function requestInformation(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  { message, question_keys = [], due_on = null }: InformationRequestInput,
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'request_information')
  const { application } = opened
  const zone = await timeZoneOf(tx, application)
  const open_question_keys = [
    ...new Set([
      ...(await openedBy(tx, application, question_keys)),
      // What the sender has begun to change stays open, or it would be handed in half done.
      ...(await editedSince(tx, caller, application)),
    ]),
  ]
  if (due_on !== null) requireNotPast(caller, zone, due_on, '/due_on')
  const information_request = { id: newId('ireq'), message, question_keys, due_on, at: nowOf(caller) }
  const change = {
    information_request,
    open_question_keys,
    attempt: nextAttempt(application),
    expires_at: due_on === null ? null : isoTime(endOfDateIn(zone, due_on)),
  }
  return act(tx, caller, opened, { action: 'request_information', change, note: message })
}

/** Returns an application to the sender, who changes the named questions and submits it again. */
export async function returnApplication(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  { message, question_keys }: { message: string; question_keys: string[] },
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'return')
  const { application } = opened
  const at = nowOf(caller)
  const change = {
    returned: { message, question_keys, at },
    open_question_keys: await openedBy(tx, application, question_keys),
    attempt: nextAttempt(application),
    expires_at: expiryOf(at, application),
    active_offer: null,
    offer_expires_at: null,
  }
  // An offer for what must be changed cannot stand.
  await endActiveOffer(tx, caller, application, { action: 'withdraw', by: 'recipient' })
  return act(tx, caller, opened, { action: 'return', change, note: message })
}

export async function declineApplication(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  { reason_codes, note = null }: DeclineInput,
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'decline')
  if (reason_codes.includes('other') && note === null)
    throw validationFailed([bodyDetail('/note', 'required', 'note is required when reason_codes contains other.')])
  const decision = { reason_codes, note, at: nowOf(caller) }
  return act(tx, caller, opened, { action: 'decline', change: { decision }, note })
}

export async function cancelApplication(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  note: string | null = null,
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'cancel')
  const decision = { reason_codes: [], note, at: nowOf(caller) }
  return act(tx, caller, opened, { action: 'cancel', change: { decision }, note })
}

/** Reports that the money was paid out: the application is funded and the deal is won. */
export async function fund(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  { amount, funded_on: given, note }: FundInput,
): Promise<Opened> {
  const opened = await openFor(tx, caller, target, 'fund')
  const { application, deal } = opened
  const zone = await timeZoneOf(tx, application)
  const today = dateIn(zone, caller.context.clock.now())
  const problems = amountProblems(amount, '/amount', { isPositive: true })
  const currency = deal.amount_approved?.currency
  if (currency !== undefined && currency !== amount.currency)
    problems.push(
      bodyDetail('/amount/currency', 'invalid_enum', `currency must be ${currency}, as in the accepted offer.`, {
        allowed: [currency],
      }),
    )
  // Money may have been paid out before the deal was entered here: only the future is impossible.
  if (given !== undefined && given > today)
    problems.push(
      bodyDetail('/funded_on', 'out_of_range', `funded_on must not be in the future. Today is ${today} in ${zone}.`, {
        maximum: today,
      }),
    )
  if (problems.length > 0) throw validationFailed(problems)
  const funding = { amount: plainMoney(amount), funded_on: given ?? today, at: nowOf(caller) }
  const dealChange = { amount_funded: funding.amount }
  return act(tx, caller, opened, { action: 'fund', change: { funding }, dealChange, note })
}

async function openFor(tx: Tx, caller: Caller, target: ApplicationTarget, action: ApplicationAction): Promise<Opened> {
  const opened = await openApplication(tx, caller, target, action)
  requireStep(opened, action)
  return opened
}

/** The questions that named ones open: themselves, and what their answers can show or make required. */
async function openedBy(db: Connection, application: ApplicationRow, keys: readonly string[]): Promise<string[]> {
  const { model } = await requireContract(db, application)
  const unknown = keys.flatMap((key, index): ErrorDetail[] => {
    const question = model.questions.get(key)
    if (question && question.type !== 'display') return []
    const message = question
      ? `${key} is a text without an answer.`
      : `The contract has no question with the key ${key}.`
    return [bodyDetail(`/question_keys/${index}`, 'unknown_question', message)]
  })
  if (unknown.length > 0) throw validationFailed(unknown)
  return withDependents(model, keys)
}

/** The open questions whose answers are no longer those of the last submission. */
async function editedSince(db: Connection, caller: Caller, application: ApplicationRow): Promise<string[]> {
  const { portal_id, id, open_question_keys } = application
  if (!open_question_keys || open_question_keys.length === 0) return []
  const { vault } = caller.context
  const [working, submitted] = await Promise.all([
    loadSheet(db, vault, portal_id, id),
    loadSubmittedSheet(db, vault, portal_id, id),
  ])
  const said = ({ answers, items, files }: Sheet, key: string) => {
    const answer = answers.get(key)
    const inItems = (items.get(key) ?? []).map((item) => [
      item.id,
      [...item.values].map(([name, { state, value }]) => [name, state, value]).sort(),
    ])
    const itemIds = new Set((items.get(key) ?? []).map((item) => item.id))
    const inFiles = files
      .filter(
        ({ question_key, item_id, state }) =>
          state === 'available' && (item_id === null ? question_key === key : itemIds.has(item_id)),
      )
      .map((file) => file.id)
    return canonicalJson([answer?.state ?? null, answer?.value ?? null, inItems, inFiles.sort()])
  }
  return open_question_keys.filter((key) => said(working, key) !== said(submitted, key))
}

/** The number of the next submission. */
function nextAttempt({ submission }: ApplicationRow): number {
  return (submission?.number ?? 0) + 1
}

/** The dates of a recipient are dates in its own time zone. */
export async function timeZoneOf(db: Connection, { recipient_portal_id }: ApplicationRow): Promise<string> {
  return (await findOwnRecipient(db, recipient_portal_id))?.time_zone ?? 'UTC'
}

export function requireNotPast({ context }: Caller, zone: string, date: string, pointer: string): void {
  const today = dateIn(zone, context.clock.now())
  if (date >= today) return
  const name = pointer.slice(1)
  throw validationFailed([
    bodyDetail(pointer, 'out_of_range', `${name} must not be in the past. Today is ${today} in ${zone}.`, {
      minimum: today,
    }),
  ])
}

function nowOf({ context }: Caller): string {
  return isoTime(context.clock.now())
}
