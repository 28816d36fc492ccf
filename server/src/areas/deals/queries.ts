// Deals are kept in the Portal of their sender. A recipient finds them by its own row, which holds what only it sees.
import { type Insertable, type Selectable, sql } from 'kysely'
import { portalIdOf } from '../../building-blocks/recipients/queries.ts'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Page, PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../platform/database/versioned-rows.ts'
import type { DealFilters } from './schema.ts'
import type { Category, Stage } from './stages.ts'
import type { DealState } from './states.ts'
import { defineTwoWay } from './two-way-rows.ts'

type StoredDeal = Omit<Selectable<Tables['deals']>, 'state' | 'stage_category' | 'stage_before_end'> & {
  state: DealState
  stage_before_end: Stage | null
  stage_category: Category
}
export type ReceivedDeal = Selectable<Tables['received_deals']>

/** A deal with what its recipient notes about it; null when sender and recipient are one Portal. */
export interface DealRow extends StoredDeal {
  received: ReceivedDeal | null
}

const dealColumns = [
  'portal_id',
  'id',
  'version',
  'state',
  'state_changed_at',
  'number',
  'recipient_portal_id',
  'recipient_name',
  'recipient_kind',
  'sender_name',
  'business_id',
  'project_id',
  'match_id',
  'program_id',
  'title',
  'amount_requested',
  'amount_approved',
  'amount_funded',
  'stage_key',
  'stage_label',
  'stage_category',
  'stage_before_end',
  'reached',
  'outcome',
  'expected_close_on',
  'shared_business',
  'application_ids',
  'submitted_application_id',
  'tags',
  'metadata',
  'external_reference',
  'assignee',
  'erased_at',
  'created_at',
  'updated_at',
] as const

const twoWay = defineTwoWay<StoredDeal, ReceivedDeal>({
  sent: 'deals',
  received: 'received_deals',
  columns: dealColumns,
  filters: {
    sent: ['state', 'stage_key', 'recipient_portal_id', 'business_id', 'project_id', 'external_reference'],
    received: ['state', 'stage_key', 'business_id', 'external_reference'],
  },
})

const dealById = compileOnce<{ portal_id: string; id: string }, StoredDeal>((db, values) =>
  db
    .selectFrom('deals')
    .select(dealColumns)
    .$castTo<StoredDeal>()
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)
const receivedById = compileOnce<{ portal_id: string; id: string }, ReceivedDeal>((db, values) =>
  db.selectFrom('received_deals').selectAll().where('portal_id', '=', values.portal_id).where('id', '=', values.id),
)

/** A deal this Portal sent or received. */
export async function findDeal(db: Connection, portalId: string, id: string): Promise<DealRow | undefined> {
  const [own] = await dealById(db, { portal_id: portalId, id })
  if (!own) return twoWay.findReceived(db, portalId, id)
  if (own.recipient_portal_id === portalId) return { ...own, received: null }
  if (own.erased_at !== null) return undefined
  // What the sender sees stands in its own row; the other one is for writing, when both are held.
  const [received = null] = await receivedById(db, { portal_id: own.recipient_portal_id, id })
  return { ...own, received }
}

export async function listDeals(
  db: Connection,
  portalId: string,
  { direction, recipient_id, project_id, stage, ...filters }: DealFilters,
  page: PageRequest,
): Promise<Page<DealRow>> {
  const recipient_portal_id = recipient_id && portalIdOf(recipient_id)
  // What was received has this Portal as its recipient, and a project that only the sender knows.
  const mayBeReceived = (recipient_portal_id ?? portalId) === portalId && project_id === undefined
  const shared = { ...filters, stage_key: stage }
  const wanted = {
    sent: direction === 'received' ? undefined : { ...shared, recipient_portal_id, project_id },
    received: direction === 'sent' || !mayBeReceived ? undefined : shared,
  }
  return twoWay.list(db, portalId, wanted, page)
}

/** The stages of the deals that this Portal works on, its own and those it received, in the order of their ids. */
export async function listStages(db: Connection, portalId: string, after: string, limit: number) {
  const own = ownDeals(db, portalId)
    .select(['id', 'portal_id as sender_portal_id', 'stage_key', 'stage_label', 'stage_category'])
    .$narrowType<{ stage_category: Category }>()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  const received = receivedWithSender(db, portalId)
    .select([
      'received.id',
      'received.sender_portal_id',
      'deals.stage_key',
      'deals.stage_label',
      'deals.stage_category',
    ])
    .$narrowType<{ stage_category: Category }>()
    .where('received.id', '>', after)
    .orderBy('received.id')
    .limit(limit)
  const found = await Promise.all([own.execute(), received.execute()])
  return found
    .flat()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

/** The category of deals that this Portal works on in a stage, if some have another one than is given. */
export async function findOtherCategory(
  db: Connection,
  portalId: string,
  { key, category }: Pick<Stage, 'key' | 'category'>,
): Promise<string | undefined> {
  const own = ownDeals(db, portalId)
    .select('stage_category')
    .where('stage_key', '=', key)
    .where('stage_category', '<>', category)
    .limit(1)
  const received = receivedWithSender(db, portalId)
    .select('deals.stage_category')
    .where('received.stage_key', '=', key)
    .where('deals.stage_category', '<>', category)
    .limit(1)
  return ((await own.executeTakeFirst()) ?? (await received.executeTakeFirst()))?.stage_category
}

function ownDeals(db: Connection, portalId: string) {
  return db.selectFrom('deals').where('portal_id', '=', portalId).where('recipient_portal_id', '=', portalId)
}

function receivedWithSender(db: Connection, portalId: string) {
  return db
    .selectFrom('received_deals as received')
    .innerJoin('deals', (join) =>
      join.onRef('deals.portal_id', '=', 'received.sender_portal_id').onRef('deals.id', '=', 'received.id'),
    )
    .where('received.portal_id', '=', portalId)
}

/** Holds a deal until the transaction ends: whatever happens to it or to its application begins here. */
export async function lockDeal(tx: Tx, senderPortalId: string, id: string): Promise<void> {
  await lockRow(tx, 'deals', senderPortalId, id)
}

/** The Portal that sent a deal this Portal knows. */
export async function findSender(db: Connection, portalId: string, id: string): Promise<string | undefined> {
  const [received] = await receivedById(db, { portal_id: portalId, id })
  if (received) return received.sender_portal_id
  const [own] = await dealById(db, { portal_id: portalId, id })
  return own?.portal_id
}

export async function insertDeal(tx: Tx, { received, ...deal }: DealRow): Promise<void> {
  await tx.insertInto('deals').values(toColumns(deal)).execute()
  if (received) await tx.insertInto('received_deals').values(toReceivedColumns(received)).execute()
}

/** Writes a deal as its next version. False when it is no longer at this version. */
export async function updateDeal(tx: Tx, { received: _, ...deal }: DealRow): Promise<boolean> {
  return updateVersion(tx, 'deals', toColumns(deal))
}

export async function updateReceived(tx: Tx, received: ReceivedDeal): Promise<boolean> {
  return updateVersion(tx, 'received_deals', toReceivedColumns(received))
}

/** The next numbers of these Portals' deals. A deal that is not created after all gives its numbers back. */
export async function nextNumbers(tx: Tx, portalIds: readonly string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  // Always in the same order, so that two Portals that send each other deals never wait for each other.
  for (const portalId of [...new Set(portalIds)].sort()) numbers.set(portalId, await nextNumber(tx, portalId))
  return numbers
}

async function nextNumber(tx: Tx, portalId: string): Promise<number> {
  const { last_number } = await tx
    .insertInto('deal_numbers')
    .values({ portal_id: portalId, last_number: 1 })
    .onConflict((conflict) =>
      conflict.column('portal_id').doUpdateSet({ last_number: sql`deal_numbers.last_number + 1` }),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow()
  return last_number
}

/** Lets nobody else give numbers or references to deals of this Portal until the transaction ends. */
export async function lockNumbers(tx: Tx, portalId: string): Promise<void> {
  await tx
    .updateTable('deal_numbers')
    .set((eb) => ({ last_number: eb.ref('last_number') }))
    .where('portal_id', '=', portalId)
    .execute()
}

/** The deal of this Portal with this reference: one it sent, or one it received. */
export async function findDealByReference(
  db: Connection,
  portalId: string,
  externalReference: string,
): Promise<string | undefined> {
  const inTable = (table: 'deals' | 'received_deals') =>
    db
      .selectFrom(table)
      .select('id')
      .where('portal_id', '=', portalId)
      .where('external_reference', '=', externalReference)
      .executeTakeFirst()
  return ((await inTable('deals')) ?? (await inTable('received_deals')))?.id
}

function toColumns(deal: StoredDeal): Insertable<Tables['deals']> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  return {
    ...deal,
    amount_requested: json(deal.amount_requested),
    amount_approved: json(deal.amount_approved),
    amount_funded: json(deal.amount_funded),
    stage_before_end: json(deal.stage_before_end),
    outcome: json(deal.outcome),
    reached: JSON.stringify(deal.reached),
    shared_business: JSON.stringify(deal.shared_business),
    application_ids: JSON.stringify(deal.application_ids),
    tags: JSON.stringify(deal.tags),
    metadata: JSON.stringify(deal.metadata),
  }
}

function toReceivedColumns(received: ReceivedDeal): Insertable<Tables['received_deals']> {
  return {
    ...received,
    application_ids: JSON.stringify(received.application_ids),
    tags: JSON.stringify(received.tags),
    metadata: JSON.stringify(received.metadata),
  }
}
