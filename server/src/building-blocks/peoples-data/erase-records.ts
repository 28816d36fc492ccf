// What goes with one record, in one transaction that holds the record: nobody writes under an application, a project or a
// deal that is just being erased, and a crash leaves each of them whole or gone.

import { publish } from '../../platform/background/outbox.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/versioned-rows.ts'
import { discardBytes } from '../questionnaires/files/removal.ts'
import { forgetAttemptBodies, forgetMatchAttemptBodies } from './endpoint-responses.ts'
import type { Subject } from './holdings.ts'
import {
  deleteBy,
  type Erasure,
  findDealToErase,
  insertErasedFiles,
  leaveProject,
  listApplicationsOfDeal,
  listFiles,
  listIdsUnder,
  markApplication,
  stripDeal,
  touchReceivedDeal,
} from './queries.ts'

export type Counts = Record<string, number>

export async function eraseIntake(tx: Tx, context: Context, subject: Subject, id: string): Promise<Counts> {
  await lockRow(tx, 'client_intake_applications', subject.portal_id, id)
  const counts = await eraseUnderApplication(tx, context, subject, id)
  counts.client_intake_applications = await deleteBy(tx, 'client_intake_applications', subject.portal_id, 'id', [id])
  return counts
}

export async function eraseProject(
  tx: Tx,
  { database }: Pick<Context, 'database'>,
  { portal_id }: Subject,
  id: string,
): Promise<Counts> {
  await lockRow(tx, 'projects', portal_id, id)
  const calculations = await listIdsUnder(tx, 'match_calculations', portal_id, id)
  await forgetAttemptBodies(tx, database, portal_id, [id, ...calculations.map((one) => one.id)])
  await forgetMatchAttemptBodies(tx, database, portal_id, id)
  const results = calculations.flatMap(({ result_id }) => result_id ?? [])
  for (const result of results) await deleteBy(tx, 'match_pages', portal_id, 'result_id', [result])
  const counts: Counts = {}
  for (const table of ['match_calculations', 'dismissed_matches', 'found_matches', 'matched_deals'] as const)
    counts[table] = await deleteBy(tx, table, portal_id, 'project_id', [id])
  counts.projects = await deleteBy(tx, 'projects', portal_id, 'id', [id])
  return counts
}

export async function eraseDeal(
  tx: Tx,
  context: Context,
  erasure: Pick<Erasure, 'portal_id' | 'business_id' | 'scope'>,
  id: string,
): Promise<Counts> {
  const { portal_id, scope } = erasure
  const subject = { portal_id, business_id: erasure.business_id }
  await lockRow(tx, 'deals', portal_id, id)
  const deal = await findDealToErase(tx, portal_id, id)
  if (!deal) return {}
  const isShared = deal.recipient_portal_id !== portal_id
  const isKept = (isShared && !scope.recipients) || (deal.state === 'won' && !scope.funded)
  // A record of the Portal itself, which must be kept as it is.
  if (isKept && !isShared) return keepWhole(tx, context, erasure, deal)
  const counts: Counts = {}
  const add = (more: Counts) => addTo(counts, more)
  const kept: string[] = []
  // The Portals whose endpoints heard of it.
  const told = isKept || !isShared ? [portal_id] : [portal_id, deal.recipient_portal_id].toSorted()
  for (const application of await listApplicationsOfDeal(tx, portal_id, id)) {
    await lockRow(tx, 'deal_applications', portal_id, application.id)
    const keepsSubmitted = isKept && application.first_submitted_at !== null
    add(await eraseUnderApplication(tx, context, subject, application.id, { keepsSubmitted, told }))
    if (keepsSubmitted) {
      kept.push(application.id)
      await markApplication(tx, portal_id, application.id, isoTime(context.clock.now()))
      continue
    }
    await deleteBy(tx, 'received_deal_applications', application.recipient_portal_id, 'id', [application.id])
    add({ deal_applications: await deleteBy(tx, 'deal_applications', portal_id, 'id', [application.id]) })
  }
  for (const portalId of told) await forgetAttemptBodies(tx, context.database, portalId, [id])
  if (isKept) await keepForRecipient(tx, context, portal_id, deal, kept)
  else {
    if (isShared) await tellRecipient(tx, context, portal_id, deal, 'deal.erased')
    for (const table of ['deal_timeline', 'deal_disclosures'] as const)
      add({ [table]: await deleteBy(tx, table, portal_id, 'deal_id', [id]) })
    if (isShared) await deleteBy(tx, 'received_deals', deal.recipient_portal_id, 'id', [id])
    add({ deals: await deleteBy(tx, 'deals', portal_id, 'id', [id]) })
  }
  return counts
}

/** A funded deal of the Portal with itself stays with its application. Its project goes, and so do readings of documents. */
async function keepWhole(
  tx: Tx,
  context: Context,
  { portal_id }: Pick<Erasure, 'portal_id'>,
  deal: NonNullable<Awaited<ReturnType<typeof findDealToErase>>>,
): Promise<Counts> {
  const counts: Counts = {}
  for (const { id } of await listApplicationsOfDeal(tx, portal_id, deal.id)) {
    await lockRow(tx, 'deal_applications', portal_id, id)
    addTo(counts, { autofill_runs: await deleteBy(tx, 'autofill_runs', portal_id, 'application_id', [id]) })
  }
  if (deal.project_id !== null) await leaveProject(tx, portal_id, deal, isoTime(context.clock.now()))
  return counts
}

/** The deal stays with what its recipient was shown; the sender no longer reads it. */
async function keepForRecipient(
  tx: Tx,
  context: Context,
  portalId: string,
  deal: NonNullable<Awaited<ReturnType<typeof findDealToErase>>>,
  application_ids: readonly string[],
): Promise<void> {
  const now = isoTime(context.clock.now())
  await stripDeal(tx, portalId, deal, { application_ids, erased_at: now, updated_at: now })
  if (deal.erased_at === null) await tellRecipient(tx, context, portalId, deal, 'deal.business_erased')
}

async function tellRecipient(
  tx: Tx,
  context: Context,
  portalId: string,
  { id, state, recipient_portal_id }: NonNullable<Awaited<ReturnType<typeof findDealToErase>>>,
  type: 'deal.erased' | 'deal.business_erased',
): Promise<void> {
  const version = await touchReceivedDeal(tx, recipient_portal_id, id, isoTime(context.clock.now()))
  const caller = { context, portal_id: portalId, request_id: null, is_job: true } as const
  const resource = { type: 'deal', id, path: `/deals/${id}/`, version }
  await publish(tx, caller, { type, resource, state }, [{ portal_id: recipient_portal_id }])
}

/** Answers, items, files, runs, submissions and offers. What was submitted may be kept for the recipient. */
async function eraseUnderApplication(
  tx: Tx,
  context: Context,
  subject: Subject,
  id: string,
  { keepsSubmitted = false, told }: { keepsSubmitted?: boolean; told?: readonly string[] } = {},
): Promise<Counts> {
  const { portal_id } = subject
  const files = await listFiles(tx, portal_id, id)
  const fileIds = files.filter(({ is_submitted }) => !(keepsSubmitted && is_submitted)).map((file) => file.id)
  const runs = await listIdsUnder(tx, 'autofill_runs', portal_id, id)
  const offers = await listIdsUnder(tx, 'offers', portal_id, id)
  const about = [id, ...[...files, ...runs, ...offers].map((one) => one.id)]
  for (const portalId of told ?? [portal_id]) await forgetAttemptBodies(tx, context.database, portalId, about)
  await insertErasedFiles(tx, subject, fileIds)
  // The bytes go at the end of the erasure; these jobs take what a presigned request uploads after it.
  for (const fileId of fileIds) await discardBytes(tx, { context, portal_id, request_id: null }, fileId)
  const counts: Counts = { files: await deleteBy(tx, 'files', portal_id, 'id', fileIds) }
  const working = ['answers', 'answer_items', 'autofill_runs'] as const
  for (const table of keepsSubmitted ? working : ([...working, 'submissions', 'offers'] as const))
    counts[table] = await deleteBy(tx, table, portal_id, 'application_id', [id])
  return counts
}

/** Adds to the first what is in the second. */
export function addTo(counts: Counts, more: Counts): void {
  for (const [name, count] of Object.entries(more)) if (count > 0) counts[name] = (counts[name] ?? 0) + count
}
