import type { Insertable, Selectable } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, equalFilters, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'

const leadSourceColumns = [
  'id',
  'version',
  'name',
  'name_sort',
  'kind',
  'is_active',
  'requires_detail',
  'created_at',
  'updated_at',
] as const
export type LeadSourceRow = Pick<Selectable<Tables['lead_sources']>, (typeof leadSourceColumns)[number]>

export async function insertLeadSource(
  tx: Tx,
  portalId: string,
  row: Omit<Insertable<Tables['lead_sources']>, 'portal_id'>,
) {
  await tx
    .insertInto('lead_sources')
    .values({ portal_id: portalId, ...row })
    .execute()
}

/** False when there is no such lead source. */
export async function updateLeadSource(
  tx: Tx,
  portalId: string,
  id: string,
  isActive: boolean,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lead_sources')
    .set((eb) => ({ is_active: isActive, version: eb('version', '+', 1), updated_at: now }))
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const leadSourceById = compileOnce<{ portal_id: string; id: string }, LeadSourceRow>((db, values) =>
  db
    .selectFrom('lead_sources')
    .select(leadSourceColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

export async function findLeadSource(db: Connection, portalId: string, id: string): Promise<LeadSourceRow | undefined> {
  return (await leadSourceById(db, { portal_id: portalId, id }))[0]
}

const leadSourcePages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) =>
    db.selectFrom('lead_sources').select(leadSourceColumns).where('portal_id', '=', portal_id),
  filters: equalFilters('kind', 'is_active'),
  orders: { name: ['name_sort', 'id'], created_at: ['created_at', 'id'] },
})

export async function listLeadSources(
  db: Connection,
  portalId: string,
  filters: Record<string, unknown>,
  page: PageRequest,
) {
  return leadSourcePages(db, { portal_id: portalId }, filters, page)
}
