// Lists of deals in both directions. Each direction is paged through rows of the Portal's own, so that neither depends on
// how many deals there are, or in whose Portal they are kept.
import { portalIdOf } from '../../building-blocks/recipients/queries.ts'
import type { Connection } from '../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  mergePages,
  type Page,
  type PageRequest,
} from '../../platform/database/paging.ts'
import { createdBounds } from '../../platform/values/fields.ts'
import type { DealRow, ReceivedDeal, StoredDeal } from './queries.ts'
import type { DealFilters } from './schema.ts'

const orders = { updated_at: ['updated_at', 'id'], created_at: ['created_at', 'id'] }

const sentPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('deals').selectAll().where('portal_id', '=', portal_id).$castTo<StoredDeal>(),
  filters: {
    ...equalFilters('state', 'stage_key', 'recipient_portal_id', 'business_id', 'project_id', 'external_reference'),
    ...createdConditions,
  },
  orders,
})

const receivedPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('received_deals').selectAll().where('portal_id', '=', portal_id),
  filters: { ...equalFilters('state', 'stage_key', 'business_id', 'external_reference'), ...createdConditions },
  orders,
})

/** A deal in a list, with what the list is ordered by. */
interface Listed {
  id: string
  created_at: string
  updated_at: string
  deal: StoredDeal | undefined
  received: ReceivedDeal | null
}

export async function listDeals(
  db: Connection,
  portalId: string,
  { direction, recipient_id, project_id, stage, ...rest }: DealFilters,
  page: PageRequest,
): Promise<Page<DealRow>> {
  const filters = { ...rest, ...createdBounds(rest), stage_key: stage }
  const recipient_portal_id = recipient_id && portalIdOf(recipient_id)
  // What was received has this Portal as its recipient, and a project that only the sender knows.
  const mayBeReceived = (recipient_portal_id ?? portalId) === portalId && project_id === undefined
  const pages: Page<Listed>[] = []
  if (direction !== 'received') {
    const sent = await sentPages(db, { portal_id: portalId }, { ...filters, recipient_portal_id, project_id }, page)
    pages.push({ ...sent, items: sent.items.map((deal) => ({ ...orderOf(deal), deal, received: null })) })
  }
  if (direction !== 'sent' && mayBeReceived) {
    const found = await receivedPages(db, { portal_id: portalId }, filters, page)
    pages.push({
      ...found,
      items: found.items.map((received) => ({ ...orderOf(received), deal: undefined, received })),
    })
  }
  const merged = mergePages(pages, page, orders[page.order === 'created_at' ? 'created_at' : 'updated_at'])
  const deals = await findSent(db, merged.items)
  return {
    ...merged,
    items: merged.items.flatMap(({ id, deal = deals.get(id), received }) => (deal ? [{ ...deal, received }] : [])),
  }
}

function orderOf({ id, created_at, updated_at }: Omit<Listed, 'deal' | 'received'>) {
  return { id, created_at, updated_at }
}

/** The deals behind what was received, from the Portals that sent them. */
async function findSent(db: Connection, listed: readonly Listed[]): Promise<Map<string, StoredDeal>> {
  const received = listed.flatMap((one) => (one.received ? [one.received] : []))
  if (received.length === 0) return new Map()
  const rows = await db
    .selectFrom('deals')
    .selectAll()
    .where('portal_id', 'in', [...new Set(received.map(({ sender_portal_id }) => sender_portal_id))])
    .where(
      'id',
      'in',
      received.map(({ id }) => id),
    )
    .$castTo<StoredDeal>()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
