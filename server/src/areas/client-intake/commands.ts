import { findContract, findDefaultContract } from '../../building-blocks/contracts/queries.ts'
import { readSetting } from '../../building-blocks/portals/settings.ts'
import type { Target } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { completeQuestionnaire } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { freezeSubmission } from '../../building-blocks/questionnaires/submissions/commands.ts'
import type { ReturnInput } from '../../building-blocks/questionnaires/submissions/schema.ts'
import { type NewEvent, publish } from '../../platform/background/outbox.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  ApiError,
  bodyDetail,
  referenceTaken,
  stateConflict,
  validationFailed,
} from '../../platform/protocol/errors.ts'
import { etagOf, requireVersion } from '../../platform/protocol/etag.ts'
import { newId } from '../../platform/values/ids.ts'
import { findBusiness } from '../businesses/queries.ts'
import { clientIntake, expiryOf, saveIntake } from './kind.ts'
import { findIntake, findIntakeByReference, type IntakeRow, insertIntake } from './queries.ts'
import { intakePath } from './records.ts'
import type { ClientIntakeApplicationChange, ClientIntakeApplicationInput, DecisionInput } from './schema.ts'
import { intakeExpiryDays } from './settings.ts'
import { type IntakeAction, type IntakeState, intakeActions, isAllowed } from './states.ts'

export async function createIntake(tx: Tx, caller: Caller, input: ClientIntakeApplicationInput): Promise<IntakeRow> {
  const { portal_id, context } = caller
  const { business_id, contract_id, external_reference = null, metadata = {} } = input
  const [business, contract, expiry_days] = await Promise.all([
    findBusiness(tx, portal_id, business_id),
    contract_id === undefined
      ? findDefaultContract(tx, portal_id, 'client_intake')
      : findContract(tx, portal_id, contract_id),
    readSetting(tx, portal_id, intakeExpiryDays),
  ])
  const isFitting = contract?.kind === 'client_intake'
  const problems = []
  if (!business)
    problems.push(bodyDetail('/business_id', 'unknown_reference', 'There is no such business in this Portal.'))
  if (!isFitting && contract_id !== undefined)
    problems.push(bodyDetail('/contract_id', 'unknown_reference', 'There is no such client intake contract here.'))
  if (!isFitting && contract_id === undefined)
    problems.push(
      bodyDetail(
        '/contract_id',
        'required',
        'This Portal has not published a client intake contract yet. Its administrator does so with: portico contract publish FILE.',
      ),
    )
  if (problems.length > 0 || !business || !contract) throw validationFailed(problems)
  if (business.state !== 'active') {
    const available_actions = ['restore']
    throw stateConflict('A business', 'begin an application', { state: business.state, available_actions })
  }
  if (external_reference !== null) {
    const holder = await findIntakeByReference(tx, portal_id, external_reference)
    if (holder) throw referenceTaken('client intake application', apiUrl(context.config, intakePath(holder.id)))
  }
  const now = isoTime(context.clock.now())
  const row: IntakeRow = {
    id: newId('cia'),
    version: 1,
    state: 'in_progress',
    state_changed_at: now,
    business_id,
    contract_id: contract.id,
    contract_version: contract.version,
    title: input.title ?? contract.title,
    external_reference,
    metadata,
    attempt: 1,
    submission: null,
    returned: null,
    decision: null,
    expiry_days,
    expires_at: expiryOf(caller, { expiry_days }),
    created_at: now,
    updated_at: now,
  }
  await insertIntake(tx, portal_id, row)
  await publish(tx, caller, eventOf('created', row))
  return row
}

export async function changeIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  change: ClientIntakeApplicationChange,
): Promise<IntakeRow> {
  return saveIntake(tx, caller, { ...(await load(tx, caller, target)), ...change })
}

export async function submitIntake(tx: Tx, caller: Caller, target: Target): Promise<IntakeRow> {
  // First, so that whoever deletes a file at this moment waits for us, or we for them.
  await clientIntake.lock(tx, caller.portal_id, target.application_id)
  const current = await load(tx, caller, target, 'submit')
  const questionnaire = await completeQuestionnaire(tx, caller, clientIntake, current)
  const submission = await freezeSubmission(tx, caller, questionnaire, current.attempt)
  return move(tx, caller, current, 'submitted', { submission, returned: null, expires_at: null })
}

export async function withdrawIntake(tx: Tx, caller: Caller, target: Target): Promise<IntakeRow> {
  return move(tx, caller, await load(tx, caller, target, 'withdraw'), 'withdrawn', { expires_at: null })
}

/** A reviewer's last word. */
export async function decideIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  action: 'accept' | 'reject',
  { message = null }: DecisionInput,
): Promise<IntakeRow> {
  const current = await load(tx, caller, target, action)
  const decision = { message, decided_at: nowOf(caller) }
  return move(tx, caller, current, action === 'accept' ? 'accepted' : 'rejected', { decision })
}

/** Hands an application back to be completed: the next submission is another attempt. */
export async function returnIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  { message, question_keys }: ReturnInput,
): Promise<IntakeRow> {
  const current = await load(tx, caller, target, 'return')
  const { contract } = await completeQuestionnaire(tx, caller, clientIntake, current)
  const problems = question_keys.flatMap((key, index) =>
    contract.model.questions.has(key)
      ? []
      : [bodyDetail(`/question_keys/${index}`, 'unknown_question', `The contract has no question ${key}.`)],
  )
  if (problems.length > 0) throw validationFailed(problems)
  return move(tx, caller, current, 'returned', {
    returned: { message, question_keys: [...new Set(question_keys)] },
    attempt: current.attempt + 1,
    expires_at: expiryOf(caller, current),
  })
}

/** Ends an application that has rested too long; leaves one alone that was taken up meanwhile. */
export async function expireIntake(tx: Tx, caller: Caller, id: string): Promise<void> {
  await clientIntake.lock(tx, caller.portal_id, id)
  const current = await findIntake(tx, caller.portal_id, id)
  if (!current?.expires_at || current.expires_at > nowOf(caller)) return
  await move(tx, caller, current, 'expired', { expires_at: null })
}

async function load(tx: Tx, caller: Caller, target: Target, action?: IntakeAction): Promise<IntakeRow> {
  const row = await findIntake(tx, caller.portal_id, target.application_id)
  if (!row) throw new ApiError('not_found')
  requireVersion(target.ifMatch, etagOf(row))
  const { state } = row
  if (action !== undefined && !isAllowed(state, action))
    throw stateConflict('An application', action, { state, available_actions: intakeActions[state] })
  return row
}

async function move(
  tx: Tx,
  caller: Caller,
  current: IntakeRow,
  state: IntakeState,
  change: Partial<IntakeRow>,
): Promise<IntakeRow> {
  const saved = await saveIntake(tx, caller, { ...current, ...change, state, state_changed_at: nowOf(caller) })
  await publish(tx, caller, { ...eventOf(state, saved), previous_state: current.state })
  return saved
}

function nowOf({ context }: Caller): string {
  return isoTime(context.clock.now())
}

function eventOf(verb: string, { id, version, state }: IntakeRow): NewEvent {
  return {
    type: `client_intake_application.${verb}`,
    resource: { type: 'client_intake_application', id, path: intakePath(id), version },
    state,
  }
}
