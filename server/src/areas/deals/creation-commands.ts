import { findPortal } from '../../building-blocks/portals/queries.ts'
import { recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { ownKind } from '../../building-blocks/recipients/schema.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { bodyDetail, isApiError, validationFailed } from '../../platform/protocol/errors.ts'
import { publishOf } from '../../platform/records/stateful-records.ts'
import { newId } from '../../platform/values/ids.ts'
import type { Money } from '../../platform/values/money.ts'
import { cut } from '../../platform/values/text-keys.ts'
import { type BusinessRow, findBusiness, lockBusiness } from '../businesses/queries.ts'
import { requireActive } from '../businesses/states.ts'
import type { MatchEntry } from '../funding-recommendations/calculations/match-pages.ts'
import { requireMatch } from '../funding-recommendations/matches/commands.ts'
import { upsertMatchedDeal } from '../funding-recommendations/matches/queries.ts'
import { findVisibleProgram } from '../funding-recommendations/programs/visible-queries.ts'
import { findProject } from '../funding-recommendations/projects/queries.ts'
import { amountProblems, moneyOf } from './amounts.ts'
import { requireFreeReference } from './commands.ts'
import { notEligible, requireEligible } from './eligibility.ts'
import { addToTimeline, dealRecord } from './kind.ts'
import { type DealRow, insertDeal, nextNumbers, type ReceivedDeal } from './queries.ts'
import type { DealInput } from './schema.ts'
import { stageColumns, stagesOf } from './stage-moves.ts'
import { stageOf } from './stages.ts'
import { dealStates } from './states.ts'
import { insertDisclosure } from './timeline-queries.ts'

export async function createDeal(tx: Tx, caller: Caller, input: DealInput): Promise<DealRow> {
  const { portal_id, context } = caller
  const { business_id, external_reference = null } = input
  const business = await requireBusiness(tx, caller, business_id, input)
  const origin = await findOrigin(tx, caller, input)
  const { recipient_id = origin.match?.recipient_id ?? recipientIdOf(portal_id) } = input
  const named = input.recipient_id === undefined && origin.match ? '/match_id' : '/recipient_id'
  const recipient = await requireEligible(tx, caller, recipient_id, business.country, named)
  if (origin.match) await requireOpenProgram(tx, caller, origin.match)
  const program_id = origin.match?.program_id ?? null
  const now = isoTime(context.clock.now())
  const stage = stageOf(await stagesOf(tx, recipient.portal_id), 'new')
  const id = newId('deal')
  const sender_name = (await findPortal(tx, portal_id))?.name ?? portal_id
  // Last of all: everybody who sends to this recipient waits for its number.
  const numbers = await nextNumbers(tx, [portal_id, recipient.portal_id])
  await requireFreeReference(tx, caller, external_reference)
  const deal: DealRow = {
    portal_id,
    id,
    version: 1,
    state: dealStates.initial,
    state_changed_at: now,
    number: numbers.get(portal_id) ?? 0,
    recipient_portal_id: recipient.portal_id,
    recipient_name: recipient.name,
    recipient_kind: recipient.portal_id === portal_id ? ownKind : recipient.kind,
    sender_name,
    business_id,
    project_id: input.project_id ?? null,
    match_id: input.match_id ?? null,
    program_id,
    title: input.title ?? cut(business.legal_name, 200),
    amount_requested: input.amount_requested === undefined ? origin.amount_requested : moneyOf(input.amount_requested),
    amount_approved: null,
    amount_funded: null,
    ...stageColumns(stage),
    stage_before_end: null,
    reached: { [stage.category]: now },
    outcome: null,
    expected_close_on: input.expected_close_on ?? null,
    shared_business: { legal_name: business.legal_name, country: business.country, facts: {} },
    application_ids: [],
    submitted_application_id: null,
    tags: [...new Set(input.tags)],
    metadata: input.metadata ?? {},
    external_reference,
    assignee: null,
    erased_at: null,
    created_at: now,
    updated_at: now,
    received: null,
  }
  if (recipient.portal_id !== portal_id) deal.received = newlyReceived(deal, numbers.get(recipient.portal_id) ?? 0)
  await insertDeal(tx, deal)
  if (program_id !== null && input.project_id !== undefined)
    await upsertMatchedDeal(tx, { portal_id, project_id: input.project_id, program_id, deal_id: id })
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

function newlyReceived(deal: DealRow, number: number): ReceivedDeal {
  const { recipient_portal_id: portal_id, id, state, stage_key, business_id, created_at, updated_at } = deal
  return {
    portal_id,
    id,
    version: 1,
    sender_portal_id: deal.portal_id,
    number,
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
  const problems = amountProblems(input.amount_requested, '/amount_requested', { isPositive: true })
  if (input.match_id !== undefined && input.project_id === undefined)
    problems.push(bodyDetail('/project_id', 'required', 'project_id is required together with match_id.'))
  // Held, so that it is not archived or erased at the same moment.
  await lockBusiness(tx, caller.portal_id, businessId)
  const business = await findBusiness(tx, caller.portal_id, businessId)
  if (!business)
    problems.push(bodyDetail('/business_id', 'unknown_reference', 'This Portal has no business with this id.'))
  if (problems.length > 0 || !business) throw validationFailed(problems)
  requireActive(business, 'create a deal')
  return business
}

/** What a deal takes from its project and its match. */
async function findOrigin(
  tx: Tx,
  caller: Caller,
  { business_id, project_id, match_id, recipient_id }: DealInput,
): Promise<{ amount_requested: Money | null; match: MatchEntry | null }> {
  if (project_id === undefined) return { amount_requested: null, match: null }
  const project = await findProject(tx, caller.portal_id, project_id)
  if (project?.business_id !== business_id)
    throw validationFailed([
      bodyDetail('/project_id', 'unknown_reference', 'This business has no project with this id.'),
    ])
  // safe because only money is ever stored under this criterion
  const amount_requested = (project.criteria.amount_requested?.value as Money | undefined) ?? null
  if (match_id === undefined) return { amount_requested, match: null }
  const { entry } = await requireMatch(tx, caller, project_id, match_id).catch((error) => {
    if (!isApiError(error, 'not_found')) throw error
    throw validationFailed([
      bodyDetail(
        '/match_id',
        'unknown_reference',
        'The last calculation of this project has no match with this id. GET /projects/{project_id}/matches/ lists its matches.',
      ),
    ])
  })
  if (recipient_id !== undefined && recipient_id !== entry.recipient_id)
    throw validationFailed([
      bodyDetail(
        '/recipient_id',
        'unknown_reference',
        `recipient_id must be the recipient of the match, ${entry.recipient_id}.`,
      ),
    ])
  return { amount_requested, match: entry }
}

async function requireOpenProgram(tx: Tx, { portal_id }: Caller, { program_id }: MatchEntry): Promise<void> {
  const program = await findVisibleProgram(tx, portal_id, program_id)
  if (program?.state !== 'open' && program?.state !== 'scheduled')
    throw notEligible('program_not_open', 'The funding programme of this match is no longer open.', '/match_id')
}
