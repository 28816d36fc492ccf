// Applications are kept in the Portal of their sender. A recipient finds them by its own row, from the first submission on.
import { type Insertable, type Selectable, sql } from 'kysely'
import { portalIdOf } from '../../building-blocks/recipients/queries.ts'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../platform/database/database.ts'
import type { Page, PageRequest } from '../../platform/database/paging.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../platform/database/versioned-rows.ts'
import { defineTwoWay } from '../deals/two-way-rows.ts'
import type { ApplicationFilters } from './schema.ts'
import type { ApplicationState } from './states.ts'

type StoredApplication = Omit<Selectable<Tables['deal_applications']>, 'state'> & { state: ApplicationState }
export type ReceivedApplication = Selectable<Tables['received_deal_applications']>

/** An application with the recipient's row; null before the first submission, and when one Portal is both parties. */
export interface ApplicationRow extends StoredApplication {
  received: ReceivedApplication | null
  /** Whose view it is; absent for the sender's, and for what is stored. */
  view?: string | undefined
  /** The deadlines that have passed since it was written. */
  aspect?: string | undefined
}

const applicationColumns = [
  'portal_id',
  'id',
  'version',
  'state',
  'state_changed_at',
  'deal_id',
  'active_deal_id',
  'recipient_portal_id',
  'recipient_name',
  'recipient_kind',
  'sender_name',
  'business_id',
  'program_id',
  'contract_id',
  'contract_portal_id',
  'contract_version',
  'attempt',
  'first_submitted_at',
  'submission',
  'acknowledgement',
  'information_request',
  'returned',
  'open_question_keys',
  'decision',
  'funding',
  'override',
  'active_offer',
  'expiry_days',
  'expires_at',
  'offer_expires_at',
  'erased_at',
  'created_at',
  'updated_at',
] as const

const twoWay = defineTwoWay<StoredApplication, ReceivedApplication>({
  sent: 'deal_applications',
  received: 'received_deal_applications',
  columns: applicationColumns,
  filters: { sent: ['state', 'deal_id', 'recipient_portal_id'], received: ['state', 'deal_id'] },
})

const applicationById = compileOnce<{ portal_id: string; id: string }, StoredApplication>((db, values) =>
  db
    .selectFrom('deal_applications')
    .select(applicationColumns)
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id)
    .$castTo<StoredApplication>(),
)
const receivedById = compileOnce<{ portal_id: string; id: string }, ReceivedApplication>((db, values) =>
  db
    .selectFrom('received_deal_applications')
    .selectAll()
    .where('portal_id', '=', values.portal_id)
    .where('id', '=', values.id),
)

/** Where an application that this Portal knows is kept, and the deal it belongs to. */
export async function findHome(
  db: Connection,
  portalId: string,
  id: string,
): Promise<Pick<StoredApplication, 'portal_id' | 'id' | 'deal_id'> | undefined> {
  const [own] = await applicationById(db, { portal_id: portalId, id })
  if (own) return own
  const [received] = await receivedById(db, { portal_id: portalId, id })
  return received && { portal_id: received.sender_portal_id, id, deal_id: received.deal_id }
}

/** An application this Portal prepares, or one that was submitted to it. */
export async function findApplicationRow(
  db: Connection,
  portalId: string,
  id: string,
): Promise<ApplicationRow | undefined> {
  const [own] = await applicationById(db, { portal_id: portalId, id })
  if (!own) return twoWay.findReceived(db, portalId, id)
  if (own.erased_at !== null) return undefined
  if (own.first_submitted_at === null || own.recipient_portal_id === portalId) return { ...own, received: null }
  // What the sender sees stands in its own row; the other one is for writing, when both are held.
  const [received = null] = await receivedById(db, { portal_id: own.recipient_portal_id, id })
  return { ...own, received }
}

export async function listApplications(
  db: Connection,
  portalId: string,
  { direction, recipient_id, ...filters }: ApplicationFilters,
  page: PageRequest,
): Promise<Page<ApplicationRow>> {
  const recipient_portal_id = recipient_id && portalIdOf(recipient_id)
  const mayBeReceived = (recipient_portal_id ?? portalId) === portalId
  const wanted = {
    sent: direction === 'received' ? undefined : { ...filters, recipient_portal_id },
    received: direction === 'sent' || !mayBeReceived ? undefined : filters,
  }
  return twoWay.list(db, portalId, wanted, page)
}

/** The versions of applications that a Portal sees now, by id: its own, or what the recipient sees of others. */
export async function findVersions(
  db: Connection,
  portalId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const versionsIn = (table: 'deal_applications' | 'received_deal_applications') =>
    db.selectFrom(table).select(['id', 'version']).where('portal_id', '=', portalId).where('id', 'in', ids).execute()
  const rows = await Promise.all([versionsIn('deal_applications'), versionsIn('received_deal_applications')])
  return new Map(rows.flat().map(({ id, version }) => [id, version]))
}

/** Lets nobody else write the application until the transaction ends. */
export async function lockApplication(tx: Tx, { portal_id, id }: Pick<StoredApplication, 'portal_id' | 'id'>) {
  await lockRow(tx, 'deal_applications', portal_id, id)
}

export async function insertApplication(tx: Tx, row: ApplicationRow): Promise<void> {
  await tx.insertInto('deal_applications').values(toColumns(row)).execute()
}

/** Writes an application as its next version. False when it is no longer at this version. */
export async function updateApplication(tx: Tx, row: ApplicationRow): Promise<boolean> {
  return updateVersion(tx, 'deal_applications', toColumns(row))
}

export async function insertReceived(tx: Tx, row: ReceivedApplication): Promise<void> {
  await tx.insertInto('received_deal_applications').values(row).execute()
}

export async function updateReceived(tx: Tx, row: ReceivedApplication): Promise<boolean> {
  return updateVersion(tx, 'received_deal_applications', row)
}

/** The open application of a deal. */
export async function findActiveApplication(
  db: Connection,
  { portal_id, id }: { portal_id: string; id: string },
): Promise<ApplicationRow | undefined> {
  const row = await db
    .selectFrom('deal_applications')
    .select('id')
    .where('portal_id', '=', portal_id)
    .where('active_deal_id', '=', id)
    .executeTakeFirst()
  return row && findApplicationRow(db, portal_id, row.id)
}

/** The open applications of a business with one recipient, the latest first. */
export async function listOpenWithRecipient(
  db: Connection,
  portalId: string,
  { business_id, recipient_portal_id }: { business_id: string; recipient_portal_id: string },
  limit: number,
): Promise<{ id: string }[]> {
  return db
    .selectFrom('deal_applications')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('business_id', '=', business_id)
    .where('recipient_portal_id', '=', recipient_portal_id)
    .where('active_deal_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** The applications of a business, the latest first. */
export async function listApplicationsOfBusiness(
  db: Connection,
  portalId: string,
  businessId: string,
  limit: number,
): Promise<ApplicationRow[]> {
  const rows = await db
    .selectFrom('deal_applications')
    .selectAll()
    .where('portal_id', '=', portalId)
    .where('business_id', '=', businessId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .$castTo<StoredApplication>()
    .execute()
  return rows.map((row) => ({ ...row, received: null }))
}

/** The Portal that asks the questions of an application which this Portal prepares. */
export async function findContractPortal(
  db: Connection,
  portalId: string,
  contractId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('deal_applications')
    .select('contract_portal_id')
    .where('portal_id', '=', portalId)
    .where('contract_id', '=', contractId)
    .limit(1)
    .executeTakeFirst()
  return row?.contract_portal_id
}

/** Applications, and those with an active offer, whose time has come. */
export async function listDue(
  db: Connection,
  portalId: string,
  due: 'expires_at' | 'offer_expires_at',
  now: string,
  limit: number,
): Promise<{ id: string; deal_id: string }[]> {
  return db
    .selectFrom('deal_applications')
    .select(['id', 'deal_id'])
    .where('portal_id', '=', portalId)
    .where(sql.ref<string>(due), '<=', now)
    .orderBy(due)
    .limit(limit)
    .execute()
}

function toColumns({
  received: _received,
  view: _view,
  aspect: _aspect,
  ...row
}: ApplicationRow): Insertable<Tables['deal_applications']> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  return {
    ...row,
    submission: json(row.submission),
    acknowledgement: json(row.acknowledgement),
    information_request: json(row.information_request),
    returned: json(row.returned),
    open_question_keys: json(row.open_question_keys),
    decision: json(row.decision),
    funding: json(row.funding),
    override: json(row.override),
    active_offer: json(row.active_offer),
  }
}
