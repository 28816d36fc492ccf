// The list of recipients as one Portal sees it. Its own profile is always in it, though there may be no row: the query
// begins with the Portals, and a recipient without a row is filled in afterwards.
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Connection } from '../../platform/database/database.ts'
import { definePagedQuery, mapPage, type Page, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { findOwnRecipient, publishedFor, type RecipientRow, recipientColumns } from './queries.ts'
import { ownKind, type RecipientFilters } from './schema.ts'

type Viewer = { portal_id: string; own_id: string; own_name_sort: string }

const recipientPages = definePagedQuery({
  rows: (db, { portal_id, own_id, own_name_sort }: Viewer) => {
    const own = db.selectFrom('portals').select('portal_id').where('portal_id', '=', portal_id)
    const others = publishedFor(db, portal_id).select('recipients.portal_id')
    const seen = db
      .selectFrom('portals')
      .leftJoin('recipients', 'recipients.portal_id', 'portals.portal_id')
      .select('portals.portal_id')
      .select(storedColumns.map((column) => `recipients.${column}` as const))
      .select(sql<string>`coalesce(recipients.id, ${own_id})`.as('id'))
      .select(sql<string>`coalesce(recipients.name_sort, ${own_name_sort})`.as('name_sort'))
      .where('portals.portal_id', 'in', others.unionAll(own))
      .as('recipients')
    const rows = db.selectFrom(seen).select(recipientColumns.map((column) => `recipients.${column}` as const))
    // safe because the one row that may lack columns is replaced below
    return rows as unknown as SelectQueryBuilder<Tables, 'recipients', RecipientRow>
  },
  filters: {
    kind: (value, { portal_id }) =>
      sql<SqlBool>`case when portal_id = ${portal_id} then ${sql.lit(ownKind)} else kind end = ${value}`,
    accepting: (value) => sql<SqlBool>`coalesce(accepting_applications, true) = ${value}`,
    country: (value) => sql<SqlBool>`cast(countries as text) like ${value}`,
  },
  orders: { name: ['name_sort', 'id'] },
})

const storedColumns = recipientColumns.filter(
  (column): column is Exclude<typeof column, 'portal_id' | 'id' | 'name_sort'> =>
    column !== 'portal_id' && column !== 'id' && column !== 'name_sort',
)

export async function listRecipients(
  db: Connection,
  portalId: string,
  { country, ...filters }: RecipientFilters,
  page: PageRequest,
): Promise<Page<RecipientRow>> {
  const own = await findOwnRecipient(db, portalId)
  if (!own) return { items: [], next: null, previous: null }
  const viewer = { portal_id: portalId, own_id: own.id, own_name_sort: own.name_sort }
  // A list of codes is compared as the text it is on both engines; a code holds no character that means more to `like`.
  const conditions = { ...filters, country: country && `%"${country}"%` }
  const found = await recipientPages(db, viewer, conditions, page)
  return mapPage(found, (row) => (row.portal_id === portalId ? own : row))
}
