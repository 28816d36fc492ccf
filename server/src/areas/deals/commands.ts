import { note } from '../../platform/audit/notes.ts'
import { isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { bodyDetail, type ErrorDetail, referenceTaken, validationFailed } from '../../platform/protocol/errors.ts'
import { preconditionFailed } from '../../platform/protocol/etag.ts'
import { publishOf } from '../../platform/records/stateful-records.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import type { Money } from '../../platform/values/money.ts'
import { amountProblems, moneyOf } from './amounts.ts'
import { actOnDeal, addToTimeline, type DealTarget, dealPath, dealRecord, openDeal, saveDeal } from './kind.ts'
import { partiesOf, roleOf } from './parties.ts'
import { type DealRow, findDealByReference, lockNumbers, type ReceivedDeal, updateReceived } from './queries.ts'
import type { DealChange } from './schema.ts'
import { atStage, ended, stagesOf } from './stage-moves.ts'
import { type Stage, stageAfterReopening } from './stages.ts'
import { dealObstacle, dealStates } from './states.ts'

/** Writes the fields that were sent, those of the caller's party alone. A change without effect makes no new version. */
export async function changeDeal(tx: Tx, caller: Caller, target: DealTarget, change: DealChange): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target)
  const role = roleOf(deal, caller.portal_id)
  dealStates.requireStep(deal.state, 'update', partiesOf[role], dealObstacle(deal))
  const problems = [
    ...foreignFields(role, change),
    ...amountProblems(change.amount_requested, '/amount_requested', { isPositive: true }),
  ]
  if (problems.length > 0) throw validationFailed(problems)
  if (role === 'recipient') return changeReceived(tx, caller, deal, change)
  const next = {
    ...deal,
    ...change,
    ...(change.amount_requested !== undefined && { amount_requested: moneyOf(change.amount_requested) }),
    tags: [...new Set(change.tags ?? deal.tags)],
  }
  if (canonicalJson(next) === canonicalJson(deal)) return deal
  if (next.external_reference !== deal.external_reference)
    await requireFreeReference(tx, caller, next.external_reference)
  // safe because a body has no other names
  const sent = Object.keys(change) as (keyof DealChange)[]
  const changes = sent.filter((name) => canonicalJson(next[name]) !== canonicalJson(deal[name]))
  const shared = changes.filter((name) => sharedFields.has(name))
  const saved = await saveDeal(tx, caller, next, { isShared: shared.length > 0 })
  if (shared.length === 0) return saved
  await publishOf(tx, caller, dealRecord, saved, 'updated', { changes: shared })
  // The event tells both parties; what else the sender has changed is its own.
  const own = changes.filter((name) => !sharedFields.has(name))
  if (own.length > 0) await note(tx, caller, { action: 'deals.change', resource_id: deal.id, changes: own })
  return saved
}

const sharedFields: ReadonlySet<string> = new Set(['title', 'amount_requested', 'expected_close_on'])

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
    await requireFreeReference(tx, { context, portal_id, ...rest }, next.external_reference)
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
  const deal = await openDeal(tx, caller, target, 'move')
  dealStates.requireStep(deal.state, 'move', partiesOf[roleOf(deal, caller.portal_id)], dealObstacle(deal))
  const stages = await stagesOf(tx, deal.recipient_portal_id)
  const stage = stages.find((one) => one.key === key)
  const problem = stageProblem(stages, key, stage)
  if (problem) throw validationFailed([problem])
  if (!stage || stage.key === deal.stage_key) {
    if (note === null) return deal
    // Nothing moves: a note is a note.
    await addToTimeline(tx, caller, deal, { kind: 'note', note })
    const saved = await saveDeal(tx, caller, deal, { isShared: true })
    await publishOf(tx, caller, dealRecord, saved, 'updated', { changes: ['timeline'] })
    return saved
  }
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
  return actOnDeal(tx, caller, await openDeal(tx, caller, target, action), { action, note })
}

/** Ends the open application of a deal whose end was decided by one party. */
export type EndApplication = (
  tx: Tx,
  caller: Caller,
  deal: DealRow,
  ending: { action: 'withdraw' | 'lose' | 'win'; note: string | null },
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
  const deal = await openDeal(tx, caller, target, action)
  const parties = partiesOf[roleOf(deal, caller.portal_id)]
  const { to = deal.state } = dealStates.requireStep(deal.state, action, parties, dealObstacle(deal))
  const problems = amountProblems(amount_funded, '/amount_funded')
  if (reason_code === 'other' && note === null)
    problems.push(bodyDetail('/note', 'required', 'note is required when reason_code is other.'))
  if (problems.length > 0) throw validationFailed(problems)
  await endApplication(tx, caller, deal, { action, note })
  const change = await ended(tx, caller, deal, to, { reason_code: reason_code ?? null, note })
  if (amount_funded) change.amount_funded = moneyOf(amount_funded)
  return actOnDeal(tx, caller, deal, { action, change, note })
}

export async function reopenDeal(
  tx: Tx,
  caller: Caller,
  target: DealTarget,
  note: string | null | undefined,
): Promise<DealRow> {
  const deal = await openDeal(tx, caller, target, 'reopen')
  const stage = stageAfterReopening(await stagesOf(tx, deal.recipient_portal_id), deal.stage_before_end, {
    hadApplication: (deal.received ?? deal).application_ids.length > 0,
  })
  const change = { ...atStage(caller, deal, stage), stage_before_end: null, outcome: null, amount_approved: null }
  return actOnDeal(tx, caller, deal, { action: 'reopen', change, note })
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

/** What a Portal sent and what it received are in two tables, so no index sees that both got a reference at once. */
export async function requireFreeReference(
  tx: Tx,
  { portal_id, context }: Caller,
  reference: string | null,
): Promise<void> {
  if (reference === null) return
  await lockNumbers(tx, portal_id)
  const holder = await findDealByReference(tx, portal_id, reference)
  if (holder) throw referenceTaken('deal', apiUrl(context.config, dealPath(holder)))
}
