// Lists of applications in both directions, each paged through rows of the Portal's own.
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
import type { ApplicationRow, ReceivedApplication, StoredApplication } from './queries.ts'
import type { ApplicationFilters } from './schema.ts'

const orders = { updated_at: ['updated_at', 'id'], created_at: ['created_at', 'id'] }

const sentPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('deal_applications').selectAll().where('portal_id', '=', portal_id).$castTo<StoredApplication>(),
  filters: { ...equalFilters('state', 'deal_id', 'recipient_portal_id'), ...createdConditions },
  orders,
})

const receivedPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('received_deal_applications').selectAll().where('portal_id', '=', portal_id),
  filters: { ...equalFilters('state', 'deal_id'), ...createdConditions },
  orders,
})

/** An application in a list, with what the list is ordered by. */
interface Listed {
  id: string
  created_at: string
  updated_at: string
  application: StoredApplication | undefined
  received: ReceivedApplication | null
}

export async function listApplications(
  db: Connection,
  portalId: string,
  { direction, recipient_id, ...rest }: ApplicationFilters,
  page: PageRequest,
): Promise<Page<ApplicationRow>> {
  const filters = { ...rest, ...createdBounds(rest) }
  const recipient_portal_id = recipient_id && portalIdOf(recipient_id)
  const pages: Page<Listed>[] = []
  if (direction !== 'received') {
    const sent = await sentPages(db, { portal_id: portalId }, { ...filters, recipient_portal_id }, page)
    pages.push({
      ...sent,
      items: sent.items.map((application) => ({ ...orderOf(application), application, received: null })),
    })
  }
  if (direction !== 'sent' && (recipient_portal_id ?? portalId) === portalId) {
    const found = await receivedPages(db, { portal_id: portalId }, filters, page)
    const items = found.items.map((received) => ({ ...orderOf(received), application: undefined, received }))
    pages.push({ ...found, items })
  }
  const merged = mergePages(pages, page, orders[page.order === 'created_at' ? 'created_at' : 'updated_at'])
  const sent = await findSent(db, merged.items)
  return {
    ...merged,
    items: merged.items.flatMap(({ id, application = sent.get(id), received }) =>
      application ? [{ ...application, received }] : [],
    ),
  }
}

function orderOf({ id, created_at, updated_at }: Omit<Listed, 'application' | 'received'>) {
  return { id, created_at, updated_at }
}

/** The applications behind what was received, from the Portals that sent them. */
async function findSent(db: Connection, listed: readonly Listed[]): Promise<Map<string, StoredApplication>> {
  const received = listed.flatMap((one) => (one.received ? [one.received] : []))
  if (received.length === 0) return new Map()
  const rows = await db
    .selectFrom('deal_applications')
    .selectAll()
    .where('portal_id', 'in', [...new Set(received.map(({ sender_portal_id }) => sender_portal_id))])
    .where(
      'id',
      'in',
      received.map(({ id }) => id),
    )
    .$castTo<StoredApplication>()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
