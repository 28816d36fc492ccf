import { findContract, findDefaultContract } from '../../building-blocks/contracts/queries.ts'
import { readSetting } from '../../building-blocks/portals/settings.ts'
import type { Target } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { completeQuestionnaire, requireContract } from '../../building-blocks/questionnaires/load-questionnaire.ts'
import { freezeSubmission } from '../../building-blocks/questionnaires/submissions/commands.ts'
import type { ReturnInput } from '../../building-blocks/questionnaires/submissions/schema.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { bodyDetail, referenceTaken, validationFailed } from '../../platform/protocol/errors.ts'
import { publishOf, requireRow, takeAction } from '../../platform/records/stateful-records.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { newId } from '../../platform/values/ids.ts'
import { findBusiness, lockBusiness } from '../businesses/queries.ts'
import { requireActive } from '../businesses/states.ts'
import { clientIntake, expiryOf, intakeRecord, ownedBy, saveIntake } from './kind.ts'
import { findIntake, findIntakeByReference, type IntakeRow, insertIntake } from './queries.ts'
import { intakePath } from './records.ts'
import type { ClientIntakeApplicationChange, ClientIntakeApplicationInput, DecisionInput } from './schema.ts'
import { intakeExpiryDays } from './settings.ts'
import { type IntakeAction, intakeStates } from './states.ts'

export async function createIntake(tx: Tx, caller: Caller, input: ClientIntakeApplicationInput): Promise<IntakeRow> {
  const { portal_id, context } = caller
  const { business_id, contract_id, external_reference = null, metadata = {} } = input
  // Held, so that it is not archived or erased at the same moment.
  await lockBusiness(tx, portal_id, business_id)
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
    problems.push(bodyDetail('/business_id', 'unknown_reference', 'This Portal has no business with this id.'))
  if (!isFitting && contract_id !== undefined)
    problems.push(
      bodyDetail(
        '/contract_id',
        'unknown_reference',
        'This Portal has no client_intake contract with this id. GET /contracts/?kind=client_intake lists the contracts.',
      ),
    )
  if (!isFitting && contract_id === undefined)
    problems.push(
      bodyDetail(
        '/contract_id',
        'required',
        'This Portal has no client_intake contract. Ask its administrator to publish one with: portico contract publish FILE --portal ID',
      ),
    )
  if (problems.length > 0 || !business || !contract) throw validationFailed(problems)
  requireActive(business, 'begin an application')
  if (external_reference !== null) {
    const holder = await findIntakeByReference(tx, portal_id, external_reference)
    if (holder) throw referenceTaken('client intake application', apiUrl(context.config, intakePath(holder.id)))
  }
  const now = isoTime(context.clock.now())
  const row: IntakeRow = {
    portal_id,
    id: newId('cia'),
    version: 1,
    state: intakeStates.initial,
    state_changed_at: now,
    business_id,
    contract_id: contract.id,
    contract_portal_id: portal_id,
    contract_version: contract.version,
    title: input.title ?? contract.title,
    external_reference,
    metadata,
    attempt: 1,
    submission: null,
    returned: null,
    decision: null,
    project_ids: [],
    expiry_days,
    expires_at: expiryOf(now, { expiry_days }),
    created_at: now,
    updated_at: now,
  }
  await insertIntake(tx, row)
  await publishOf(tx, caller, intakeRecord, row, 'created')
  return row
}

/** Writes the fields that were sent. A change without effect makes no new version. */
export async function changeIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  change: ClientIntakeApplicationChange,
): Promise<IntakeRow> {
  const current = await load(tx, caller, target, 'update')
  const { title = current.title, metadata = current.metadata } = change
  const isSame = title === current.title && canonicalJson(metadata) === canonicalJson(current.metadata)
  return isSame ? current : saveIntake(tx, caller, { ...current, title, metadata })
}

export async function submitIntake(tx: Tx, caller: Caller, target: Target): Promise<IntakeRow> {
  // Locked first, so that a submission and the deletion of a file never run at the same time.
  await clientIntake.lock(tx, caller, target.application_id)
  const current = await load(tx, caller, target, 'submit')
  const questionnaire = await completeQuestionnaire(tx, caller, clientIntake, ownedBy(current))
  const { submission } = await freezeSubmission(tx, caller, questionnaire, current.attempt)
  const change = { submission, returned: null, expires_at: null }
  return takeAction(tx, caller, intakeRecord, current, { action: 'submit', by: 'owner', change })
}

export async function withdrawIntake(tx: Tx, caller: Caller, target: Target): Promise<IntakeRow> {
  const current = await load(tx, caller, target, 'withdraw')
  const change = { expires_at: null }
  return takeAction(tx, caller, intakeRecord, current, { action: 'withdraw', by: 'owner', change })
}

/** Notes a project that was made from an application. */
export async function linkProject(tx: Tx, caller: Caller, application: IntakeRow, projectId: string): Promise<void> {
  await saveIntake(tx, caller, { ...application, project_ids: [...application.project_ids, projectId] })
}

/** The final decision of a reviewer. */
export async function decideIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  action: 'accept' | 'reject',
  { message = null }: DecisionInput,
): Promise<IntakeRow> {
  const current = await load(tx, caller, target, action)
  const decision = { message, decided_at: nowOf(caller) }
  return takeAction(tx, caller, intakeRecord, current, { action, by: 'owner', change: { decision } })
}

/** Returns an application to the client. The next submission gets the next number. */
export async function returnIntake(
  tx: Tx,
  caller: Caller,
  target: Target,
  { message, question_keys }: ReturnInput,
): Promise<IntakeRow> {
  const current = await load(tx, caller, target, 'return')
  const contract = await requireContract(tx, current)
  const problems = question_keys.flatMap((key, index) =>
    contract.model.questions.has(key)
      ? []
      : [
          bodyDetail(
            `/question_keys/${index}`,
            'unknown_question',
            `The contract has no question with the key ${key}.`,
          ),
        ],
  )
  if (problems.length > 0) throw validationFailed(problems)
  const change = {
    returned: { message, question_keys: [...new Set(question_keys)] },
    attempt: current.attempt + 1,
    expires_at: expiryOf(nowOf(caller), current),
  }
  return takeAction(tx, caller, intakeRecord, current, { action: 'return', by: 'owner', change })
}

/** Expires an application that was not edited in time; does nothing when it was edited meanwhile. */
export async function expireIntake(tx: Tx, caller: Caller, id: string): Promise<void> {
  await clientIntake.lock(tx, caller, id)
  const current = await findIntake(tx, caller.portal_id, id)
  if (!current?.expires_at || current.expires_at > isoTime(caller.context.clock.expiry())) return
  await takeAction(tx, caller, intakeRecord, current, { action: 'expire', by: 'job', change: { expires_at: null } })
}

/** The application an address names, at the version the caller has seen, in a state that allows the action. */
async function load(tx: Tx, caller: Caller, target: Target, action: IntakeAction): Promise<IntakeRow> {
  const row = requireRow(await findIntake(tx, caller.portal_id, target.application_id), target.ifMatch)
  intakeStates.requireStep(row.state, action, 'owner')
  return row
}

function nowOf({ context }: Caller): string {
  return isoTime(context.clock.now())
}
