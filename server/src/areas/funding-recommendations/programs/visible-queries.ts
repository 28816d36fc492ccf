// The programmes a Portal can see: its own in every status, those of other visible recipients unless they are drafts.
import { type SqlBool, sql } from 'kysely'
import { portalIdOf, visibleRecipients } from '../../../building-blocks/recipients/queries.ts'
import type { Connection } from '../../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  mergePages,
  type Page,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import { createdBounds } from '../../../platform/values/fields.ts'
import { findProgram, type ProgramRecord, programColumns } from './queries.ts'
import type { ProgramFilters } from './schema.ts'

/** A programme that this Portal can see: one of its own, or a published one of a recipient that it can see. */
export async function findVisibleProgram(
  db: Connection,
  portalId: string,
  id: string,
): Promise<ProgramRecord | undefined> {
  const own = await findProgram(db, portalId, id)
  if (own) return own
  const others = (await portalsToList(db, portalId)).filter((one) => one !== portalId)
  if (others.length === 0) return undefined
  return db
    .selectFrom('funding_programs')
    .select(programColumns)
    .where('portal_id', 'in', others)
    .where('id', '=', id)
    .where('state', '<>', 'draft')
    .$castTo<ProgramRecord>()
    .executeTakeFirst()
}

/** The Portals whose programmes this one can see, as far as they have ever had any. */
async function portalsToList(db: Connection, portalId: string): Promise<string[]> {
  const recipients = await visibleRecipients(db, portalId)
  return recipients.filter(({ catalog_version }) => catalog_version > 0).map(({ portal_id }) => portal_id)
}

/** Only what pages are put together by: the programmes of many recipients may be looked at for one page. */
const programPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('funding_programs').select(['portal_id', 'id', 'created_at']).where('portal_id', '=', portal_id),
  filters: {
    is_published: () => sql<SqlBool>`state <> 'draft'`,
    ...equalFilters('funding_type'),
    status: (value) => sql<SqlBool>`state = ${value}`,
    ...equalFilters('external_reference'),
    ...createdConditions,
  },
  orders: { created_at: ['created_at', 'id'] },
})

/** A page of the programmes this Portal can see: its own in every status, those of others unless they are drafts. */
export async function listPrograms(
  db: Connection,
  portalId: string,
  { recipient_id, ...filters }: ProgramFilters,
  page: PageRequest,
): Promise<Page<ProgramRecord>> {
  const bounds = { ...filters, ...createdBounds(filters) }
  // References and drafts of other Portals are not shown, so nothing of theirs is found by them.
  const isOwnOnly = filters.external_reference !== undefined || filters.status === 'draft'
  const portalIds = (await portalsToList(db, portalId)).filter(
    (one) => (one === portalId || !isOwnOnly) && (recipient_id === undefined || one === portalIdOf(recipient_id)),
  )
  const pages = await Promise.all(
    portalIds.map((portal_id) =>
      programPages(db, { portal_id }, portal_id === portalId ? bounds : { ...bounds, is_published: true }, page),
    ),
  )
  const merged = mergePages(pages, page, ['created_at', 'id'])
  const rows = await findPrograms(db, merged.items)
  const items = merged.items.flatMap(({ id }) => rows.get(id) ?? [])
  // An import may have made a draft of it meanwhile.
  return { ...merged, items: items.filter(({ portal_id, state }) => portal_id === portalId || state !== 'draft') }
}

async function findPrograms(
  db: Connection,
  keys: readonly { portal_id: string; id: string }[],
): Promise<Map<string, ProgramRecord>> {
  const byPortal = new Map<string, string[]>()
  for (const { portal_id, id } of keys) byPortal.set(portal_id, [...(byPortal.get(portal_id) ?? []), id])
  const rows = await Promise.all(
    [...byPortal].map(([portal_id, ids]) =>
      db
        .selectFrom('funding_programs')
        .select(programColumns)
        .where('portal_id', '=', portal_id)
        .where('id', 'in', ids)
        .$castTo<ProgramRecord>()
        .execute(),
    ),
  )
  return new Map(rows.flat().map((row) => [row.id, row]))
}
