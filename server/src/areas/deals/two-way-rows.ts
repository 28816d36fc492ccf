// Records that one Portal sends and another receives. The sender's row holds everything; the recipient's row, in its own
// Portal, is what it lists by and what its version is. A recipient reads both in one statement, so that what it sees
// and its version are of one moment.
import { type SelectQueryBuilder, sql } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection } from '../../platform/database/database.ts'
import {
  definePagedQuery,
  equalFilters,
  mergePages,
  type Page,
  type PageRequest,
} from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'

interface Row {
  portal_id: string
  id: string
  updated_at: string
}

type TwoWay<Sent extends Row, Received extends Row> = Sent & { received: Received | null }

interface TwoWaySpec {
  sent: 'deals' | 'deal_applications'
  received: 'received_deals' | 'received_deal_applications'
  /** Every column of the sender's table. */
  columns: readonly string[]
  /** What each direction can be filtered by. */
  filters: { sent: readonly string[]; received: readonly string[] }
}

export function defineTwoWay<Sent extends Row, Received extends Row>({ sent, received, columns, filters }: TwoWaySpec) {
  const orders = { updated_at: ['updated_at', 'id'] }
  const joined = (db: Connection, portal_id: string) => {
    const ofSender = columns.map((name) => sql`sent.${sql.ref(name)} as ${sql.ref(`${prefix}${name}`)}`)
    const rows = sql<Received>`(
      select received.*, ${sql.join(ofSender)}
      from ${sql.table(received)} as received
      inner join ${sql.table(sent)} as sent on sent.portal_id = received.sender_portal_id and sent.id = received.id
      where received.portal_id = ${portal_id}
    )`
    const all = db.selectFrom(rows.as('received')).selectAll()
    // safe because only the names above are ever asked for
    return all as unknown as SelectQueryBuilder<Tables, never, Received>
  }
  const findJoined = compileOnce<{ portal_id: string; id: string }, Received>((db, values) =>
    joined(db, values.portal_id).where(sql.ref('id'), '=', values.id),
  )
  const sentPages = definePagedQuery({
    rows: (db, { portal_id }: { portal_id: string }) => {
      // What the sender erased is kept for its recipient alone.
      const rows = db.selectFrom(sent).selectAll().where('portal_id', '=', portal_id).where('erased_at', 'is', null)
      // safe because the table has the columns of what was sent
      return rows as unknown as SelectQueryBuilder<Tables, never, Sent>
    },
    filters: equalFilters(...filters.sent),
    orders,
  })
  const receivedPages = definePagedQuery({
    rows: (db, { portal_id }: { portal_id: string }) => joined(db, portal_id),
    filters: equalFilters(...filters.received),
    orders,
  })

  const unfold = (row: Received): TwoWay<Sent, Received> => {
    const own: Record<string, unknown> = {}
    const theirs: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(row))
      if (name.startsWith(prefix)) theirs[name.slice(prefix.length)] = value
      else own[name] = value
    // safe because every column of both rows was selected
    return { ...(theirs as unknown as Sent), received: own as unknown as Received }
  }

  return {
    /** What this Portal received under this id, with the sender's row. */
    async findReceived(db: Connection, portalId: string, id: string): Promise<TwoWay<Sent, Received> | undefined> {
      const [row] = await findJoined(db, { portal_id: portalId, id })
      return row && unfold(row)
    },
    /** One list of both directions, or of one: without the filters of a direction, it has nothing to show. */
    async list(
      db: Connection,
      portalId: string,
      wanted: { sent?: Record<string, unknown> | undefined; received?: Record<string, unknown> | undefined },
      page: PageRequest,
    ): Promise<Page<TwoWay<Sent, Received>>> {
      const [ofSent, ofReceived] = await Promise.all([
        wanted.sent && sentPages(db, { portal_id: portalId }, wanted.sent, page),
        wanted.received && receivedPages(db, { portal_id: portalId }, wanted.received, page),
      ])
      const pages: Page<Listed<Sent, Received>>[] = []
      if (ofSent)
        pages.push({
          ...ofSent,
          items: ofSent.items.map((row) => ({
            id: row.id,
            updated_at: row.updated_at,
            item: { ...row, received: null },
          })),
        })
      if (ofReceived)
        pages.push({
          ...ofReceived,
          items: ofReceived.items.map((row) => ({ id: row.id, updated_at: row.updated_at, item: unfold(row) })),
        })
      const merged = mergePages(pages, page, orders.updated_at)
      return { ...merged, items: merged.items.map(({ item }) => item) }
    },
  }
}

/** A record in a list, with what the list is ordered by for this reader. */
interface Listed<Sent extends Row, Received extends Row> {
  id: string
  updated_at: string
  item: TwoWay<Sent, Received>
}

const prefix = 'sent_'
