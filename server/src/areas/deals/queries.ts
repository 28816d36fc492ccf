// Deals are kept in the Portal of their sender. A recipient finds them by its own row, which holds what only it sees.
import { type Insertable, type Selectable, sql } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../platform/database/versioned-rows.ts'
import type { Category, Stage } from './stages.ts'
import type { DealState } from './states.ts'

export type StoredDeal = Omit<Selectable<Tables['deals']>, 'state' | 'stage_category' | 'stage_before_end'> & {
  state: DealState
  stage_before_end: Stage | null
  stage_category: Category
}
export type ReceivedDeal = Selectable<Tables['received_deals']>

/** A deal with what its recipient notes about it; null when sender and recipient are one Portal. */
export interface DealRow extends StoredDeal {
  received: ReceivedDeal | null
}

const dealById = compileOnce<{ portal_id: string; id: string }, StoredDeal>((db, values) =>
  db
    .selectFrom('deals')
    .selectAll()
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
  if (own?.recipient_portal_id === portalId) return { ...own, received: null }
  const holder = own ? own.recipient_portal_id : portalId
  const [received] = await receivedById(db, { portal_id: holder, id })
  if (!received) return undefined
  const [deal] = own ? [own] : await dealById(db, { portal_id: received.sender_portal_id, id })
  return deal && { ...deal, received }
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

/** The deal of this Portal with this reference: one it sent, or one it received. */
export async function findDealByReference(
  db: Connection,
  table: 'deals' | 'received_deals',
  portalId: string,
  externalReference: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('portal_id', '=', portalId)
    .where('external_reference', '=', externalReference)
    .executeTakeFirst()
  return row?.id
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
