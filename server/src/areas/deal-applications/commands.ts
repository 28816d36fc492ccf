// What the sender does with an application: begins it, submits it, responds to what was asked, withdraws it.
import { findContract } from '../../building-blocks/contracts/queries.ts'
import { readSetting } from '../../building-blocks/portals/settings.ts'
import { completeQuestionnaire } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import type { Questionnaire } from '../../building-blocks/questionnaires/questionnaire.ts'
import { freezeSubmission } from '../../building-blocks/questionnaires/submissions/commands.ts'
import { type RecipientRow, recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  ApiError,
  bodyDetail,
  isApiError,
  limitReached,
  stateConflict,
  validationFailed,
} from '../../platform/protocol/errors.ts'
import { publishOf } from '../../platform/records/stateful-records.ts'
import { newId } from '../../platform/values/ids.ts'
import { type BusinessRow, findBusiness, lockBusiness } from '../businesses/queries.ts'
import { requireActive } from '../businesses/states.ts'
import { notEligible, requireEligible } from '../deals/eligibility.ts'
import { addToTimeline, openDeal, saveDeal } from '../deals/kind.ts'
import { partiesOf, roleOf } from '../deals/parties.ts'
import type { DealRow } from '../deals/queries.ts'
import { mostApplications } from '../deals/schema.ts'
import { dealObstacle, dealStates } from '../deals/states.ts'
import { findVisibleProgram } from '../funding-recommendations/programs/visible-queries.ts'
import { type ApplicationTarget, act, type Opened, openApplication, requireStep } from './acting.ts'
import { shareSubmission } from './disclosure.ts'
import { applicationRecord, dealApplications, expiryOf } from './kind.ts'
import {
  type ApplicationRow,
  findActiveApplication,
  insertApplication,
  listOpenWithRecipient,
  type ReceivedApplication,
} from './queries.ts'
import { type ApplicationInput, mostOverridden } from './schema.ts'
import { applicationExpiryDays } from './settings.ts'
import { applicationStates } from './states.ts'

export async function createApplication(tx: Tx, caller: Caller, input: ApplicationInput): Promise<ApplicationRow> {
  const { portal_id, context } = caller
  const deal = await requireOpenDeal(tx, caller, input)
  const business = await requireActiveBusiness(tx, caller, deal, 'create an application')
  const recipient = await requireEligible(tx, caller, recipientIdOf(deal.recipient_portal_id), business.country)
  const contract = await requireContractOf(tx, recipient)
  const program_id = await programFor(tx, caller, input, deal)
  const override = await requireAlone(tx, caller, input, deal)
  const expiry_days = await readSetting(tx, portal_id, applicationExpiryDays)
  const now = isoTime(context.clock.now())
  const row: ApplicationRow = {
    portal_id,
    id: newId('dap'),
    version: 1,
    state: applicationStates.initial,
    state_changed_at: now,
    deal_id: deal.id,
    active_deal_id: deal.id,
    recipient_portal_id: deal.recipient_portal_id,
    recipient_name: deal.recipient_name,
    recipient_kind: deal.recipient_kind,
    sender_name: deal.sender_name,
    business_id: deal.business_id,
    program_id,
    contract_id: contract.id,
    contract_portal_id: recipient.portal_id,
    contract_version: contract.version,
    attempt: 1,
    first_submitted_at: null,
    submission: null,
    acknowledgement: null,
    information_request: null,
    returned: null,
    open_question_keys: null,
    decision: null,
    funding: null,
    override,
    active_offer: null,
    expiry_days,
    expires_at: expiryOf(now, { expiry_days }),
    offer_expires_at: null,
    erased_at: null,
    created_at: now,
    updated_at: now,
    received: null,
  }
  await insertApplication(tx, row)
  const application_ids = [...deal.application_ids, row.id]
  await saveDeal(tx, caller, { ...deal, application_ids }, { isShared: false })
  await addToTimeline(tx, caller, deal, { kind: 'application_created', to_value: row.state, is_shared: false })
  await publishOf(tx, caller, applicationRecord, row, 'created')
  return row
}

async function requireOpenDeal(tx: Tx, caller: Caller, { deal_id, recipient_id }: ApplicationInput): Promise<DealRow> {
  const deal = await openDeal(tx, caller, { deal_id, ifMatch: null }).catch((error) => {
    if (!isApiError(error, 'not_found')) throw error
    throw validationFailed([bodyDetail('/deal_id', 'unknown_reference', 'This Portal has no deal with this id.')])
  })
  if (roleOf(deal, caller.portal_id) === 'recipient')
    throw new ApiError('action_not_granted', { message: 'Only the sender of a deal can create an application for it.' })
  if (recipient_id !== undefined && recipient_id !== recipientIdOf(deal.recipient_portal_id))
    throw validationFailed([
      bodyDetail(
        '/recipient_id',
        'unknown_reference',
        'recipient_id must be the recipient of the deal. Create a deal for another recipient to apply to it.',
      ),
    ])
  if (deal.state === 'open') {
    requireRoom(deal)
    return deal
  }
  const parties = partiesOf[roleOf(deal, caller.portal_id)]
  const available_actions = dealStates.availableActions(deal.state, parties, dealObstacle(deal))
  throw stateConflict('deal', 'create an application', { state: deal.state, available_actions })
}

/** A deal names all of its applications, so their number is limited. */
function requireRoom({ application_ids }: DealRow): void {
  if (application_ids.length < mostApplications) return
  throw limitReached(`Limit reached: a deal can have at most ${mostApplications} applications.`, {
    name: 'application_ids',
    advice: 'Create a new deal to apply again.',
    meta: { maximum: mostApplications },
  })
}

async function requireActiveBusiness(
  tx: Tx,
  { portal_id }: Caller,
  deal: DealRow,
  action: string,
): Promise<BusinessRow> {
  // Held, so that of two applications at once the second sees the first.
  await lockBusiness(tx, portal_id, deal.business_id)
  const business = await findBusiness(tx, portal_id, deal.business_id)
  if (!business) throw new Error('the business of a deal is gone')
  requireActive(business, action)
  return business
}

async function requireContractOf(tx: Tx, { portal_id, application_contract_id }: RecipientRow) {
  const contract = application_contract_id && (await findContract(tx, portal_id, application_contract_id))
  if (!contract)
    throw notEligible(
      'no_application_contract',
      'The recipient has published no questions for applications. It cannot receive applications until it has.',
      '/deal_id',
    )
  return contract
}

async function programFor(tx: Tx, caller: Caller, { program_id }: ApplicationInput, deal: DealRow) {
  const wanted = program_id === undefined ? deal.program_id : program_id
  if (wanted === null) return null
  const program = await findVisibleProgram(tx, caller.portal_id, wanted)
  if (program?.portal_id !== deal.recipient_portal_id)
    throw validationFailed([
      bodyDetail('/program_id', 'unknown_reference', 'The recipient has no funding programme with this id.'),
    ])
  if (program.state === 'open' || program.state === 'scheduled') return wanted
  throw notEligible(
    'program_not_open',
    'The funding programme is no longer open. To apply without it, send "program_id": null.',
    '/program_id',
  )
}

/** Throws 409 while the business has another open application with the same recipient, unless the caller overrides. */
async function requireAlone(
  tx: Tx,
  { portal_id, context, key_id }: Caller,
  { override = false }: ApplicationInput,
  deal: DealRow,
): Promise<ApplicationRow['override']> {
  const same = await findActiveApplication(tx, deal)
  const others = await listOpenWithRecipient(tx, portal_id, deal, mostOverridden)
  const [existing] = same ? [same] : others
  if (!existing) return null
  const code = same ? 'already_exists' : 'already_with_recipient'
  const application_ids = others.map(({ id }) => id)
  if (!same && override) return { application_ids, key_id: key_id ?? null, at: isoTime(context.clock.now()) }
  const message = same
    ? 'This deal has an open application. A deal has one open application at a time.'
    : 'The business has an open application with this recipient. Withdraw it, or send "override": true.'
  throw new ApiError(code, {
    message,
    details: [
      {
        location: 'body',
        pointer: '/deal_id',
        code,
        message,
        meta: { existing_url: apiUrl(context.config, applicationRecord.path(existing.id)), application_ids },
      },
    ],
  })
}

/** An application that was handed in, with the answers that were. */
interface Handed extends Opened {
  questionnaire: Questionnaire<ApplicationRow>
}

/** Submits an application, for the first time or after it was returned. */
export async function submitApplication(tx: Tx, caller: Caller, target: ApplicationTarget): Promise<Handed> {
  const opened = await openApplication(tx, caller, target, 'submit')
  requireStep(opened, 'submit')
  if (opened.application.first_submitted_at === null) {
    const { country } = await requireActiveBusiness(tx, caller, opened.deal, 'submit')
    await requireStillEligible(tx, caller, opened.deal, country)
  }
  return hand(tx, caller, opened, 'submit')
}

/** A recipient may have changed its mind while the draft was written. */
async function requireStillEligible(tx: Tx, caller: Caller, deal: DealRow, country: string): Promise<void> {
  await requireEligible(tx, caller, recipientIdOf(deal.recipient_portal_id), country).catch((error) => {
    if (!isApiError(error, 'recipient_not_eligible')) throw error
    const message =
      'The recipient no longer accepts this application. The draft is kept: submit it when the recipient accepts applications again, or withdraw it.'
    throw new ApiError(error.code, {
      message,
      details: error.details.map(({ code }) => ({ location: 'state', name: 'recipient', code, message })),
    })
  })
}

/** Answers a request for information: what was changed becomes the next submission. */
export async function respond(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  note: string | null | undefined,
): Promise<Handed> {
  const opened = await openApplication(tx, caller, target, 'respond')
  requireStep(opened, 'respond')
  return hand(tx, caller, opened, 'respond', note)
}

export async function withdrawApplication(
  tx: Tx,
  caller: Caller,
  target: ApplicationTarget,
  note: string | null = null,
): Promise<Opened> {
  const opened = await openApplication(tx, caller, target, 'withdraw')
  const decision = { reason_codes: [], note, at: isoTime(caller.context.clock.now()) }
  return act(tx, caller, opened, { action: 'withdraw', change: { decision }, note })
}

/** Hands the current answers to the recipient as a submission. */
async function hand(
  tx: Tx,
  caller: Caller,
  opened: Opened,
  action: 'submit' | 'respond',
  note?: string | null | undefined,
): Promise<Handed> {
  const { application, role } = opened
  const questionnaire = await completeQuestionnaire(tx, caller, dealApplications, { application, role })
  const { submission, content } = await freezeSubmission(tx, caller, questionnaire, application.attempt)
  const { contract } = questionnaire
  const dealChange = await shareSubmission(tx, opened, { contract, submission, content })
  const change = {
    submission,
    returned: null,
    information_request: null,
    open_question_keys: null,
    expires_at: null,
    first_submitted_at: application.first_submitted_at ?? submission.submitted_at,
    received: application.received ?? newlyReceived(application, submission.submitted_at),
  }
  return { ...(await act(tx, caller, opened, { action, change, dealChange, note })), questionnaire }
}

/** The recipient's row, which is written with the first submission. */
function newlyReceived(application: ApplicationRow, now: string): ReceivedApplication | null {
  const { portal_id, recipient_portal_id, id, deal_id, state } = application
  if (recipient_portal_id === portal_id) return null
  return {
    portal_id: recipient_portal_id,
    id,
    version: 0,
    sender_portal_id: portal_id,
    deal_id,
    state,
    created_at: now,
    updated_at: now,
  }
}
