import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Connection, Database, Tx } from '../../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { type CreatedFilters, createdBounds } from '../../../platform/values/fields.ts'
import { isSentTo } from '../endpoints/queries.ts'
import type { DeliveryState } from './states.ts'

export type DeliveryRow = Omit<Selectable<Tables['webhook_deliveries']>, 'state'> & { state: DeliveryState }
export type AttemptRow = Selectable<Tables['webhook_attempts']>

function deliveries(db: Connection, portalId: string) {
  return db.selectFrom('webhook_deliveries').selectAll().where('portal_id', '=', portalId).$castTo<DeliveryRow>()
}

export async function findDelivery(
  db: Connection,
  portalId: string,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return deliveries(db, portalId).where('id', '=', id).where('webhook_id', '=', webhookId).executeTakeFirst()
}

const deliveryPages = definePagedQuery({
  rows: (db, { portal_id, webhook_id }: { portal_id: string; webhook_id: string }) =>
    deliveries(db, portal_id).where('webhook_id', '=', webhook_id),
  filters: { ...equalFilters('state', 'event_type'), ...createdConditions },
  orders: { created_at: ['created_at', 'id'] },
})

export async function listDeliveries(
  db: Connection,
  { portal_id, id }: { portal_id: string; id: string },
  filters: CreatedFilters & Record<string, unknown>,
  page: PageRequest,
) {
  const bounds = { ...filters, ...createdBounds(filters) }
  return deliveryPages(db, { portal_id, webhook_id: id }, bounds, page)
}

const attemptPages = definePagedQuery({
  rows: (db, { portal_id, delivery_id }: { portal_id: string; delivery_id: string }) =>
    db
      .selectFrom('webhook_attempts')
      .selectAll()
      .where('portal_id', '=', portal_id)
      .where('delivery_id', '=', delivery_id),
  filters: {},
  orders: { started_at: ['id'] },
})

export async function listAttempts(db: Connection, portalId: string, deliveryId: string, page: PageRequest) {
  return attemptPages(db, { portal_id: portalId, delivery_id: deliveryId }, {}, page)
}

const insertRows = compileInsert('webhook_deliveries')

export async function insertDeliveries(
  tx: Tx,
  rows: readonly Insertable<Tables['webhook_deliveries']>[],
): Promise<void> {
  for (let begin = 0; begin < rows.length; begin += atOnce) await insertRows(tx, rows.slice(begin, begin + atOnce))
}

/** Few enough for the parameters of one statement. */
const atOnce = 100

export async function insertDelivery(tx: Tx, row: DeliveryRow, due: RawBuilder<string>): Promise<void> {
  await tx
    .insertInto('webhook_deliveries')
    .values({ ...row, next_attempt_at: due })
    .execute()
}

/** Puts a delivery back into the queue, as the first attempt of a new schedule. */
export async function requeue(
  tx: Tx,
  portalId: string,
  ids: readonly string[],
  { now, due, trigger }: { now: string; due: RawBuilder<string>; trigger: string },
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('webhook_deliveries')
    .set({
      state: 'pending',
      state_changed_at: now,
      scheduled_attempts: 0,
      trigger,
      next_attempt_at: due,
      lease: null,
      updated_at: now,
    })
    .where('portal_id', '=', portalId)
    .where('id', 'in', ids)
    .execute()
}

/**
 * Ends some of what was still to be sent to an endpoint; returns how many. What is under way (claimed beyond `claimedBeyond`)
 * is left alone: it may arrive.
 */
export async function endSomeDeliveries(
  tx: Tx,
  portalId: string,
  webhookId: string,
  {
    state,
    now,
    limit,
    claimedBeyond,
  }: { state: 'skipped' | 'cancelled'; now: string; limit: number; claimedBeyond?: RawBuilder<string> },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ state, state_changed_at: now, next_attempt_at: null, lease: null, updated_at: now })
    .where('portal_id', '=', portalId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries as waiting')
        .select('waiting.id')
        .where('waiting.portal_id', '=', portalId)
        .where('waiting.webhook_id', '=', webhookId)
        .where('waiting.next_attempt_at', 'is not', null)
        .$if(claimedBeyond !== undefined, (query) =>
          query.where((or) =>
            or.or([or('waiting.lease', 'is', null), or('waiting.next_attempt_at', '<=', claimedBeyond ?? null)]),
          ),
        )
        .orderBy('waiting.next_attempt_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Whether anything is still to be sent to an endpoint, or under way. */
export async function hasWaiting(db: Connection, portalId: string, webhookId: string): Promise<boolean> {
  const first = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('portal_id', '=', portalId)
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}

/** Cancels one that was claimed and cannot be sent any more. */
export async function cancelDelivery(
  database: Database,
  { portal_id, id, lease }: DeliveryRow,
  now: string,
): Promise<void> {
  await database.transaction((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({
        state: 'cancelled',
        state_changed_at: now,
        next_attempt_at: null,
        lease: null,
        last_error_code: 'event_expired',
        updated_at: now,
      })
      .where('portal_id', '=', portal_id)
      .where('id', '=', id)
      .where('lease', '=', lease)
      .execute(),
  )
}

/** Endpoints that receive and have something due. Looks at each endpoint once, however much waits behind it. */
export async function endpointsWithDue(
  db: Connection,
  now: RawBuilder<string>,
): Promise<{ portal_id: string; webhook_id: string }[]> {
  const { rows } = await sql<{ portal_id: string; webhook_id: string }>`
    select webhooks.portal_id, webhooks.id as webhook_id from webhooks
    where ${isSentTo} and (
      -- The first of each in the index, and not a join, for which all that waits may be read.
      select next_attempt_at from webhook_deliveries
      where webhook_deliveries.portal_id = webhooks.portal_id and webhook_deliveries.webhook_id = webhooks.id
        and next_attempt_at is not null
      order by next_attempt_at limit 1
    ) <= ${now}
  `.execute(db)
  return rows
}

/** Takes due deliveries of one endpoint: nobody else sends them until the lease has run out. */
export async function claimDeliveries(
  database: Database,
  { portal_id, webhook_id }: { portal_id: string; webhook_id: string },
  { now, until, lease, limit }: { now: RawBuilder<string>; until: RawBuilder<string>; lease: string; limit: number },
): Promise<DeliveryRow[]> {
  return database.transaction((tx) =>
    tx
      // In a step of its own, because a subquery with `skip locked` may be run more than once.
      .with('due', (db) =>
        db
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('portal_id', '=', portal_id)
          .where('webhook_id', '=', webhook_id)
          .where('next_attempt_at', '<=', now)
          .orderBy('next_attempt_at')
          .orderBy('id')
          .limit(limit)
          .modifyEnd(database.skipLocked),
      )
      .updateTable('webhook_deliveries')
      .set({ lease, next_attempt_at: until })
      .where('portal_id', '=', portal_id)
      .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
      .returningAll()
      .$castTo<DeliveryRow>()
      .execute(),
  )
}

/** Keeps claims that are still this worker's for longer. One whose outcome is being written needs it no more. */
export async function renewClaims(
  database: Database,
  claimed: readonly DeliveryRow[],
  until: RawBuilder<string>,
): Promise<void> {
  for (const portalId of new Set(claimed.map(({ portal_id }) => portal_id))) {
    const own = claimed.filter(({ portal_id }) => portal_id === portalId)
    const ids = own.map(({ id }) => id)
    const leases = own.map(({ lease }) => lease)
    await database.transaction((tx) =>
      tx
        .with('kept', (db) =>
          db
            .selectFrom('webhook_deliveries')
            .select('id')
            .where('portal_id', '=', portalId)
            .where('id', 'in', ids)
            .where('lease', 'in', leases)
            .modifyEnd(database.skipLocked),
        )
        .updateTable('webhook_deliveries')
        .set({ next_attempt_at: until })
        .where('portal_id', '=', portalId)
        .where('id', 'in', (eb) => eb.selectFrom('kept').select('kept.id'))
        .execute(),
    )
  }
}

/** Gives back claims that are still this worker's: whoever comes next may send them. */
export async function releaseClaims(
  database: Database,
  claimed: readonly DeliveryRow[],
  now: RawBuilder<string>,
): Promise<void> {
  const [first] = claimed
  if (!first) return
  await database.transaction((tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ lease: null, next_attempt_at: now })
      .where('portal_id', '=', first.portal_id)
      .where(
        'id',
        'in',
        claimed.map(({ id }) => id),
      )
      .where(
        'lease',
        'in',
        claimed.map(({ lease }) => lease),
      )
      .execute(),
  )
}

/**
 * The next deliveries of a recovery, in the order of their creation. Looked up state by state, each in its index: what is
 * in other states is not read, however much it is.
 */
export async function listRecoverable(
  db: Connection,
  { portal_id, webhook_id, until, states, position_at, position_id }: Selectable<Tables['webhook_recoveries']>,
  limit: number,
): Promise<{ id: string; created_at: string }[]> {
  const found: { id: string; created_at: string }[] = []
  for (const state of states)
    found.push(
      ...(await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'created_at'])
        .where('portal_id', '=', portal_id)
        .where('webhook_id', '=', webhook_id)
        .where('state', '=', state)
        .where(sql<SqlBool>`(created_at, id) > (${position_at}, ${position_id})`)
        .where('created_at', '<=', until)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()),
    )
  const keyOf = ({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`
  return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).slice(0, limit)
}
