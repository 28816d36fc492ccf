import { findPortal } from '../../building-blocks/portals/queries.ts'
import { readSetting } from '../../building-blocks/portals/settings.ts'
import { type RecipientRow, recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { ownKind } from '../../building-blocks/recipients/schema.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  ApiError,
  bodyDetail,
  type ErrorDetail,
  referenceTaken,
  stateConflict,
  validationFailed,
} from '../../platform/protocol/errors.ts'
import { preconditionFailed } from '../../platform/protocol/etag.ts'
import { publishOf } from '../../platform/records/stateful-records.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { newId } from '../../platform/values/ids.ts'
import type { Money } from '../../platform/values/money.ts'
import { cut } from '../../platform/values/text-keys.ts'
import { type BusinessRow, findBusiness } from '../businesses/queries.ts'
import { businessStates } from '../businesses/states.ts'
import { linkDeal, requireMatch } from '../funding-recommendations/matches/commands.ts'
import { findVisibleProgram } from '../funding-recommendations/programs/visible-queries.ts'
import { findProject } from '../funding-recommendations/projects/queries.ts'
import { amountProblems } from './amounts.ts'
import { notEligible, requireEligible } from './eligibility.ts'
import { actOnDeal, addToTimeline, type DealTarget, dealPath, dealRecord, openDeal, saveDeal } from './kind.ts'
import { partiesOf, roleOf } from './parties.ts'
import { reach } from './progress.ts'
import {
  type DealRow,
  findDealByReference,
  insertDeal,
  nextNumber,
  type ReceivedDeal,
  updateReceived,
} from './queries.ts'
import type { DealChange, DealInput } from './schema.ts'
import { dealStages, type Stage, stageAfterReopening, stageOf } from './stages.ts'
import { dealStates } from './states.ts'
import { insertDisclosure } from './timeline-queries.ts'

export async function createDeal(tx: Tx, caller: Caller, input: DealInput): Promise<DealRow> {
  const { portal_id, context } = caller
  const { business_id, external_reference = null, recipient_id = recipientIdOf(portal_id) } = input
  const business = await requireBusiness(tx, caller, business_id, input)
  const recipient = await requireEligible(tx, caller, recipient_id, business.country)
  const origin = await findOrigin(tx, caller, input, recipient)
  await requireFreeReference(tx, caller, 'deals', external_reference)
  const now = isoTime(context.clock.now())
  const stage = stageOf(await stagesOf(tx, recipient.portal_id), 'new')
  const id = newId('deal')
  const deal: DealRow = {
    portal_id,
    id,
    version: 1,
    state: dealStates.initial,
    state_changed_at: now,
    number: await nextNumber(tx, portal_id),
    recipient_portal_id: recipient.portal_id,
    recipient_name: recipient.name,
    recipient_kind: recipient.portal_id === portal_id ? ownKind : recipient.kind,
    sender_name: (await findPortal(tx, portal_id))?.name ?? portal_id,
    business_id,
    project_id: input.project_id ?? null,
    match_id: input.match_id ?? null,
    program_id: origin.program_id,
    title: input.title ?? cut(business.legal_name, 200),
    amount_requested: input.amount_requested === undefined ? origin.amount_requested : input.amount_requested,
    amount_approved: null,
    amount_funded: null,
    ...stageColumns(stage),
    stage_before_end: null,
    reached: reach({}, stage.category, now),
    outcome: null,
    expected_close_on: input.expected_close_on ?? null,
    shared_business: { legal_name: business.legal_name, country: business.country, facts: {} },
    application_ids: [],
    tags: [...new Set(input.tags)],
    metadata: input.metadata ?? {},
    external_reference,
    assignee: null,
    created_at: now,
    updated_at: now,
    received: null,
  }
  if (recipient.portal_id !== portal_id) deal.received = await newlyReceived(tx, deal, recipient.portal_id)
  await insertDeal(tx, deal)
  if (origin.program_id !== null && input.project_id !== undefined)
    await linkDeal(tx, { portal_id, project_id: input.project_id, program_id: origin.program_id, deal_id: id })
  await addToTimeline(tx, caller, deal, { kind: 'created', to_value: deal.state })
  if (deal.received)
    await insertDisclosure(tx, {
      portal_id,
      deal_id: id,
      id: newId('dsc'),
      at: now,
      recipient_portal_id: recipient.portal_id,
      application_id: null,
      submission_number: null,
      facts: ['business.legal_name', 'business.country'],
      question_keys: [],
      file_ids: [],
    })
  await publishOf(tx, caller, dealRecord, deal, 'created')
  return deal
}

async function newlyReceived(tx: Tx, deal: DealRow, portal_id: string): Promise<ReceivedDeal> {
  const { id, state, stage_key, business_id, created_at, updated_at } = deal
  return {
    portal_id,
    id,
    version: 1,
    sender_portal_id: deal.portal_id,
    number: await nextNumber(tx, portal_id),
    state,
    stage_key,
    business_id,
    application_ids: [],
    tags: [],
    metadata: {},
    external_reference: null,
    assignee: null,
    created_at,
    updated_at,
  }
}

async function requireBusiness(tx: Tx, caller: Caller, businessId: string, input: DealInput): Promise<BusinessRow> {
  const problems = amountProblems(input.amount_requested, '/amount_requested')
  if (input.match_id !== undefined && input.project_id === undefined)
    problems.push(bodyDetail('/project_id', 'required', 'project_id is required together with match_id.'))
  const business = await findBusiness(tx, caller.portal_id, businessId)
  if (!business)
    problems.push(bodyDetail('/business_id', 'unknown_reference', 'This Portal has no business with this id.'))
  if (problems.length > 0 || !business) throw validationFailed(problems)
  if (business.state !== 'active') {
    const available_actions = businessStates.availableActions(business.state, 'owner')
    throw stateConflict('business', 'create a deal', { state: business.state, available_actions })
  }
  return business
}

/** What a deal takes from its project and its match. */
async function findOrigin(
  tx: Tx,
  caller: Caller,
  { business_id, project_id, match_id }: DealInput,
  recipient: RecipientRow,
): Promise<{ amount_requested: Money | null; program_id: string | null }> {
  if (project_id === undefined) return { amount_requested: null, program_id: null }
  const project = await findProject(tx, caller.portal_id, project_id)
  if (project?.business_id !== business_id)
    throw validationFailed([
      bodyDetail('/project_id', 'unknown_reference', 'This business has no project with this id.'),
    ])
  // safe because only money is ever stored under this criterion
  const amount_requested = (project.criteria.amount_requested?.value as Money | undefined) ?? null
  if (match_id === undefined) return { amount_requested, program_id: null }
  const { entry } = await requireMatch(tx, caller, project_id, match_id).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw validationFailed([
      bodyDetail(
        '/match_id',
        'unknown_reference',
        'The last calculation of this project has no match with this id. GET /projects/{project_id}/matches/ lists its matches.',
      ),
    ])
  })
  if (entry.recipient_id !== recipient.id)
    throw validationFailed([
      bodyDetail(
        '/recipient_id',
        'unknown_reference',
        `recipient_id must be the recipient of the match, ${entry.recipient_id}.`,
      ),
    ])
  const program = await findVisibleProgram(tx, caller.portal_id, entry.program_id)
  if (program?.state !== 'open' && program?.state !== 'scheduled')
    throw notEligible('program_not_open', 'The funding programme of this match is no longer open.', '/match_id')
  return { amount_requested, program_id: entry.program_id }
}

/** Writes the fields that were sent, those of the caller's party alone. A change without effect makes no new version. */
export async function changeDeal(tx: Tx, caller: Caller, target: DealTarget, change: DealChange): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target)
  const role = roleOf(deal, caller.portal_id)
  dealStates.requireStep(deal.state, 'update', partiesOf[role])
  const problems = [...foreignFields(role, change), ...amountProblems(change.amount_requested, '/amount_requested')]
  if (problems.length > 0) throw validationFailed(problems)
  if (role === 'recipient') return changeReceived(tx, caller, deal, change)
  const next = { ...deal, ...change, tags: [...new Set(change.tags ?? deal.tags)] }
  if (canonicalJson(next) === canonicalJson(deal)) return deal
  if (next.external_reference !== deal.external_reference)
    await requireFreeReference(tx, caller, 'deals', next.external_reference)
  const isShared = (['title', 'amount_requested', 'expected_close_on'] as const).some(
    (name) => canonicalJson(next[name]) !== canonicalJson(deal[name]),
  )
  return saveDeal(tx, caller, next, { isShared })
}

async function changeReceived(tx: Tx, { context, portal_id, ...rest }: Caller, deal: DealRow, change: DealChange) {
  const { received } = deal
  if (!received) throw new Error('a deal was received without a row')
  const next: ReceivedDeal = {
    ...received,
    tags: [...new Set(change.tags ?? received.tags)],
    metadata: change.metadata ?? received.metadata,
    external_reference:
      change.external_reference === undefined ? received.external_reference : change.external_reference,
    assignee: change.assignee === undefined ? received.assignee : change.assignee,
  }
  if (canonicalJson(next) === canonicalJson(received)) return deal
  if (next.external_reference !== received.external_reference)
    await requireFreeReference(tx, { context, portal_id, ...rest }, 'received_deals', next.external_reference)
  const touched = { ...next, updated_at: isoTime(context.clock.now()) }
  if (!(await updateReceived(tx, touched))) throw preconditionFailed()
  return { ...deal, received: { ...touched, version: received.version + 1 } }
}

/** Moves a deal to another stage of the Portal that works on it. */
export async function moveDeal(
  tx: Tx,
  caller: Caller,
  target: DealTarget,
  { stage: key, note = null }: { stage: string; note?: string | null },
): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target)
  dealStates.requireStep(deal.state, 'move', partiesOf[roleOf(deal, caller.portal_id)])
  const stages = await stagesOf(tx, deal.recipient_portal_id)
  const stage = stages.find((one) => one.key === key)
  const problem = stageProblem(stages, key, stage)
  if (problem || !stage) throw validationFailed(problem ? [problem] : [])
  if (stage.key === deal.stage_key && note === null) return deal
  return actOnDeal(tx, caller, deal, { action: 'move', change: atStage(caller, deal, stage), note })
}

function stageProblem(stages: readonly Stage[], key: string, stage: Stage | undefined): ErrorDetail | undefined {
  const allowed = stages.filter(({ category }) => category !== 'funded' && category !== 'closed_lost')
  const meta = { allowed: allowed.map((one) => one.key) }
  if (!stage)
    return bodyDetail('/stage', 'invalid_enum', `There is no stage ${key}. Stages: ${meta.allowed.join(', ')}.`, meta)
  if (stage.category === 'funded')
    return bodyDetail('/stage', 'invalid_enum', 'A deal reaches this stage when it is won: POST to win/ instead.', meta)
  if (stage.category === 'closed_lost')
    return bodyDetail(
      '/stage',
      'invalid_enum',
      'A deal reaches this stage when it is lost: POST to lose/ instead.',
      meta,
    )
  return undefined
}

export async function pauseDeal(
  tx: Tx,
  caller: Caller,
  target: DealTarget,
  action: 'hold' | 'resume',
  note: string | null | undefined,
): Promise<DealRow> {
  return actOnDeal(tx, caller, await openDeal(tx, caller, target), { action, note })
}

/** Ends the open application of a deal whose end was decided by one party. */
export type EndApplication = (
  tx: Tx,
  caller: Caller,
  deal: DealRow,
  action: 'withdraw' | 'lose' | 'win',
) => Promise<void>

interface Ending {
  action: 'withdraw' | 'lose' | 'win'
  reason_code?: string
  amount_funded?: Money | null | undefined
  note?: string | null | undefined
}

/** Ends a deal by the act of a party, and its open application with it. */
export async function endDeal(
  tx: Tx,
  caller: Caller,
  target: DealTarget,
  { action, reason_code, amount_funded, note = null }: Ending,
  endApplication: EndApplication,
): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target)
  const { to = deal.state } = dealStates.requireStep(deal.state, action, partiesOf[roleOf(deal, caller.portal_id)])
  const problems = amountProblems(amount_funded, '/amount_funded')
  if (reason_code === 'other' && note === null)
    problems.push(bodyDetail('/note', 'required', 'note is required when reason_code is other.'))
  if (problems.length > 0) throw validationFailed(problems)
  await endApplication(tx, caller, deal, action)
  const change = await ended(tx, caller, deal, to, { reason_code: reason_code ?? null, note })
  if (amount_funded !== undefined && amount_funded !== null) change.amount_funded = amount_funded
  return actOnDeal(tx, caller, deal, { action, change, note })
}

export async function reopenDeal(
  tx: Tx,
  caller: Caller,
  target: DealTarget,
  note: string | null | undefined,
): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target)
  const stage = stageAfterReopening(await stagesOf(tx, deal.recipient_portal_id), deal.stage_before_end)
  const change = { ...atStage(caller, deal, stage), stage_before_end: null, outcome: null, amount_approved: null }
  return actOnDeal(tx, caller, deal, { action: 'reopen', change, note })
}

export async function stagesOf(tx: Tx, portalId: string): Promise<readonly Stage[]> {
  return readSetting(tx, portalId, dealStages)
}

/** What changes when a deal comes to a stage. */
export function atStage({ context }: Caller, { reached }: DealRow, stage: Stage): Partial<DealRow> {
  return { ...stageColumns(stage), reached: reach(reached, stage.category, isoTime(context.clock.now())) }
}

/** What changes when a deal ends. */
export async function ended(
  tx: Tx,
  caller: Caller,
  deal: DealRow,
  kind: string,
  { reason_code, note }: { reason_code: string | null; note: string | null },
): Promise<Partial<DealRow>> {
  const stages = await stagesOf(tx, deal.recipient_portal_id)
  const stage_before_end = { key: deal.stage_key, label: deal.stage_label, category: deal.stage_category }
  return {
    ...atStage(caller, deal, stageOf(stages, kind === 'won' ? 'funded' : 'closed_lost')),
    stage_before_end,
    outcome: { kind, reason_code, note, at: isoTime(caller.context.clock.now()) },
  }
}

function stageColumns({ key, label, category }: Stage) {
  return { stage_key: key, stage_label: label, stage_category: category }
}

/** The fields that belong to the other party. */
function foreignFields(role: string, change: DealChange): ErrorDetail[] {
  const own: readonly string[] =
    role === 'recipient'
      ? ['tags', 'metadata', 'external_reference', 'assignee']
      : ['title', 'amount_requested', 'expected_close_on', 'tags', 'metadata', 'external_reference']
  if (role === 'both') return []
  const owner = role === 'recipient' ? 'sender' : 'recipient'
  return Object.keys(change)
    .filter((name) => !own.includes(name))
    .map((name) => bodyDetail(`/${name}`, 'not_editable', `Only the ${owner} of the deal can change ${name}.`))
}

async function requireFreeReference(
  tx: Tx,
  { portal_id, context }: Caller,
  table: 'deals' | 'received_deals',
  reference: string | null,
): Promise<void> {
  const holder = reference === null ? undefined : await findDealByReference(tx, table, portal_id, reference)
  if (holder) throw referenceTaken('deal', apiUrl(context.config, dealPath(holder)))
}
