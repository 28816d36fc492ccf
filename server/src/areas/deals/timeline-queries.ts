import type { Insertable, Selectable } from 'kysely'
import { compileInsert } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { definePagedQuery, equalFilters, type PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'

export type TimelineRow = Selectable<Tables['deal_timeline']>
export type DisclosureRow = Selectable<Tables['deal_disclosures']>

const insertEntry = compileInsert('deal_timeline')

export async function insertTimelineEntry(tx: Tx, row: TimelineRow): Promise<void> {
  await insertEntry(tx, [row])
}

const timelinePages = definePagedQuery({
  rows: (db, { portal_id, deal_id }: { portal_id: string; deal_id: string }) =>
    db.selectFrom('deal_timeline').selectAll().where('portal_id', '=', portal_id).where('deal_id', '=', deal_id),
  filters: equalFilters('is_shared'),
  orders: { at: ['id'] },
})

/** The timeline of a deal, in the order in which things happened. */
export async function listTimeline(
  db: Connection,
  { portal_id, id }: { portal_id: string; id: string },
  isShared: true | undefined,
  page: PageRequest,
) {
  return timelinePages(db, { portal_id, deal_id: id }, { is_shared: isShared }, page)
}

export async function insertDisclosure(tx: Tx, row: DisclosureRow): Promise<void> {
  const columns: Insertable<Tables['deal_disclosures']> = {
    ...row,
    facts: JSON.stringify(row.facts),
    question_keys: JSON.stringify(row.question_keys),
    file_ids: JSON.stringify(row.file_ids),
  }
  await tx.insertInto('deal_disclosures').values(columns).execute()
}

const disclosurePages = definePagedQuery({
  rows: (db, { portal_id, deal_id }: { portal_id: string; deal_id: string }) =>
    db.selectFrom('deal_disclosures').selectAll().where('portal_id', '=', portal_id).where('deal_id', '=', deal_id),
  filters: {},
  orders: { at: ['id'] },
})

/** What the recipient of a deal was told, in the order in which it was. */
export async function listDisclosures(
  db: Connection,
  { portal_id, id }: { portal_id: string; id: string },
  page: PageRequest,
) {
  return disclosurePages(db, { portal_id, deal_id: id }, {}, page)
}
