import { type Insertable, type Selectable, sql } from 'kysely'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Subject, TableName } from './holdings.ts'

export type Erasure = Selectable<Tables['erasures']>

/** The Portal that has a business. */
export async function findOwner(db: Connection, businessId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('portals')
    .innerJoin('businesses', 'businesses.portal_id', 'portals.portal_id')
    .select('portals.portal_id')
    .where('businesses.id', '=', businessId)
    .executeTakeFirst()
  return row?.portal_id
}

export async function findErasure(db: Connection, { portal_id, business_id }: Subject): Promise<Erasure | undefined> {
  return db
    .selectFrom('erasures')
    .selectAll()
    .where('portal_id', '=', portal_id)
    .where('business_id', '=', business_id)
    .executeTakeFirst()
}

/** The same, whichever Portal has or had the business. */
export async function findErasureOf(db: Connection, businessId: string): Promise<Erasure | undefined> {
  return db
    .selectFrom('portals')
    .innerJoin('erasures', 'erasures.portal_id', 'portals.portal_id')
    .selectAll('erasures')
    .where('erasures.business_id', '=', businessId)
    .executeTakeFirst()
}

/** Whether the erasure of a business was asked for. From then on nothing keeps it. */
export async function isBeingErased(db: Connection, subject: Subject): Promise<boolean> {
  return (await findErasure(db, subject))?.state === 'pending'
}

export async function listErasures(db: Connection, state?: Erasure['state']): Promise<Erasure[]> {
  const all = db.selectFrom('erasures').selectAll().orderBy('requested_at').orderBy('portal_id').orderBy('id')
  return (state === undefined ? all : all.where('state', '=', state)).execute()
}

/** Those of some businesses. */
export async function listErasuresOf(db: Connection, subjects: readonly Subject[]): Promise<Erasure[]> {
  const distinct = (values: readonly string[]) => [...new Set(values)]
  return db
    .selectFrom('erasures')
    .selectAll()
    .where('portal_id', 'in', distinct(subjects.map(({ portal_id }) => portal_id)))
    .where('business_id', 'in', distinct(subjects.map(({ business_id }) => business_id)))
    .execute()
}

/** How many erasures are not completed. */
export async function countUnfinished(db: Connection, requestedBefore?: string): Promise<number> {
  const all = db
    .selectFrom('erasures')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('state', '=', 'pending')
  const asked = requestedBefore === undefined ? all : all.where('requested_at', '<', requestedBefore)
  return Number((await asked.executeTakeFirstOrThrow()).count)
}

/** Writes an erasure that is to be done; one that was done before is done again, with what is asked for now. */
export async function upsertErasure(
  tx: Tx,
  row: Omit<Insertable<Tables['erasures']>, 'scope' | 'counts' | 'state' | 'completed_at'> & Pick<Erasure, 'scope'>,
): Promise<void> {
  const pending = { state: 'pending', completed_at: null, scope: JSON.stringify(row.scope) } as const
  await tx
    .insertInto('erasures')
    .values({ ...row, ...pending, counts: '{}' })
    .onConflict((conflict) =>
      conflict
        .columns(['portal_id', 'business_id'])
        .doUpdateSet({ ...pending, ...(row.reason != null && { reason: row.reason }) }),
    )
    .execute()
}

export async function updateErasure(
  tx: Tx,
  { portal_id, id }: Pick<Erasure, 'portal_id' | 'id'>,
  { counts, ...change }: Partial<Pick<Erasure, 'state' | 'completed_at' | 'counts'>>,
): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({ ...change, ...(counts && { counts: JSON.stringify(counts) }) })
    .where('portal_id', '=', portal_id)
    .where('id', '=', id)
    .execute()
}

/** Some records of a business, in the order of their ids. */
export async function listRecordIds(
  db: Connection,
  table: 'client_intake_applications' | 'projects' | 'deals',
  { portal_id, business_id }: Subject,
  after: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('portal_id', '=', portal_id)
    .where('business_id', '=', business_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(pageSize)
    .execute()
  return rows.map(({ id }) => id)
}

const pageSize = 200

export async function listOpenDeals(db: Connection, { portal_id, business_id }: Subject) {
  return db
    .selectFrom('deals')
    .select(['id', 'recipient_name'])
    .where('portal_id', '=', portal_id)
    .where('business_id', '=', business_id)
    .where('state', 'in', ['open', 'on_hold'])
    .orderBy('id')
    .execute()
}

export async function countDeals(db: Connection, { portal_id, business_id }: Subject): Promise<number> {
  const { count } = await db
    .selectFrom('deals')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('portal_id', '=', portal_id)
    .where('business_id', '=', business_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findDealToErase(tx: Tx, portalId: string, id: string) {
  return tx
    .selectFrom('deals')
    .select(['id', 'state', 'recipient_portal_id', 'version', 'erased_at', 'project_id'])
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function isOpen(tx: Tx, portalId: string, dealId: string): Promise<boolean> {
  const state = (await findDealToErase(tx, portalId, dealId))?.state
  return state === 'open' || state === 'on_hold'
}

export async function listApplicationsOfDeal(tx: Tx, portalId: string, dealId: string) {
  return tx
    .selectFrom('deal_applications')
    .select(['id', 'first_submitted_at', 'recipient_portal_id'])
    .where('portal_id', '=', portalId)
    .where('deal_id', '=', dealId)
    .orderBy('id')
    .execute()
}

/** Takes out of a deal what is the sender's alone. What its recipient was shown stays. */
export async function stripDeal(
  tx: Tx,
  portalId: string,
  { id, version }: { id: string; version: number },
  change: { application_ids: readonly string[]; erased_at: string | null; updated_at: string },
): Promise<void> {
  await tx
    .updateTable('deals')
    .set({
      ...change,
      application_ids: JSON.stringify(change.application_ids),
      tags: '[]',
      metadata: '{}',
      external_reference: null,
      project_id: null,
      match_id: null,
      version: version + 1,
    })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .execute()
  await tx
    .deleteFrom('deal_timeline')
    .where('portal_id', '=', portalId)
    .where('deal_id', '=', id)
    .where('is_shared', '=', false)
    .execute()
}

/** The project of a deal is erased, and with it the match. */
export async function leaveProject(
  tx: Tx,
  portalId: string,
  { id, version }: { id: string; version: number },
  updated_at: string,
): Promise<void> {
  await tx
    .updateTable('deals')
    .set({ project_id: null, match_id: null, version: version + 1, updated_at })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .execute()
}

/** What the recipient sees of a deal has changed: it can no longer be reopened. */
export async function touchReceivedDeal(tx: Tx, portalId: string, id: string, now: string): Promise<number> {
  const row = await tx
    .updateTable('received_deals')
    .set((eb) => ({ version: eb('version', '+', 1), updated_at: now }))
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .returning('version')
    .executeTakeFirst()
  return row?.version ?? 1
}

export async function markApplication(tx: Tx, portalId: string, id: string, erased_at: string): Promise<void> {
  await tx
    .updateTable('deal_applications')
    .set({ erased_at })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .execute()
}

/** Deletes rows by one column and says how many there were. */
export async function deleteBy(
  tx: Tx,
  table: TableName,
  portalId: string,
  column: string,
  values: readonly string[],
): Promise<number> {
  if (values.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where portal_id = ${portalId} and ${sql.ref(column)} in (${sql.join(values)})
  `.execute(tx)
  return Number(numAffectedRows)
}

export async function listFiles(tx: Tx, portalId: string, applicationId: string) {
  return tx
    .selectFrom('files')
    .select(['id', 'is_submitted'])
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
    .orderBy('id')
    .execute()
}

export async function listIdsUnder(
  tx: Tx,
  table: 'autofill_runs' | 'offers' | 'match_calculations',
  portalId: string,
  parentId: string,
): Promise<{ id: string; result_id?: string | null }[]> {
  const parent = table === 'match_calculations' ? 'project_id' : 'application_id'
  const more = table === 'match_calculations' ? sql`, result_id` : sql``
  const { rows } = await sql<{ id: string; result_id?: string | null }>`
    select id ${more} from ${sql.table(table)} where portal_id = ${portalId} and ${sql.ref(parent)} = ${parentId} order by id
  `.execute(tx)
  return rows
}

export async function insertErasedFiles(tx: Tx, subject: Subject, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .insertInto('erased_files')
    .values(ids.map((id) => ({ ...subject, id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Erased files of a Portal, or of one of its businesses, in the order of their keys. */
export async function listErasedFiles(
  db: Connection,
  { portal_id, business_id }: { portal_id: string; business_id?: string },
  after: { business_id: string; id: string },
): Promise<{ business_id: string; id: string }[]> {
  const all = db
    .selectFrom('erased_files')
    .select(['business_id', 'id'])
    .where('portal_id', '=', portal_id)
    .where(sql<boolean>`(business_id, id) > (${after.business_id}, ${after.id})`)
  return (business_id === undefined ? all : all.where('business_id', '=', business_id))
    .orderBy('business_id')
    .orderBy('id')
    .limit(pageSize)
    .execute()
}

/** Whether anything of a business is left that its record must outlive. */
export async function hasRecords(db: Connection, { portal_id, business_id }: Subject): Promise<boolean> {
  for (const table of ['client_intake_applications', 'projects'] as const) {
    const row = await db
      .selectFrom(table)
      .select('id')
      .where('portal_id', '=', portal_id)
      .where('business_id', '=', business_id)
      .limit(1)
      .executeTakeFirst()
    if (row) return true
  }
  return false
}

export async function hasPortal(db: Connection, portalId: string): Promise<boolean> {
  const row = await db.selectFrom('portals').select('portal_id').where('portal_id', '=', portalId).executeTakeFirst()
  return row !== undefined
}

export async function findBusinessToErase(db: Connection, { portal_id, business_id }: Subject) {
  return db
    .selectFrom('businesses')
    .selectAll()
    .where('portal_id', '=', portal_id)
    .where('id', '=', business_id)
    .executeTakeFirst()
}
