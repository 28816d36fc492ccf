import { type Insertable, type Selectable, sql } from 'kysely'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import {
  createdConditions,
  definePagedQuery,
  equalFilters,
  type PageRequest,
} from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { lockRow, updateVersion } from '../../../platform/database/versioned-rows.ts'
import { type CreatedFilters, createdBounds } from '../../../platform/values/fields.ts'
import type { WebhookState } from './states.ts'

export type WebhookRow = Omit<Selectable<Tables['webhooks']>, 'state'> & { state: WebhookState }

function webhooks(db: Connection, portalId: string) {
  return db.selectFrom('webhooks').selectAll().where('portal_id', '=', portalId).$castTo<WebhookRow>()
}

export async function findWebhook(db: Connection, portalId: string, id: string): Promise<WebhookRow | undefined> {
  return webhooks(db, portalId).where('id', '=', id).executeTakeFirst()
}

/** Whether something is sent to a row of `webhooks`. What is due for a suspended Portal waits until it is resumed. */
export const isSentTo = sql<boolean>`(webhooks.state = 'active' and exists (
  select 1 from portals where portals.portal_id = webhooks.portal_id and portals.state = 'active'
))`

export async function findSentTo(db: Connection, portalId: string, id: string): Promise<WebhookRow | undefined> {
  return webhooks(db, portalId).where('id', '=', id).where(isSentTo).executeTakeFirst()
}

export async function lockWebhook(tx: Tx, portalId: string, id: string): Promise<void> {
  await lockRow(tx, 'webhooks', portalId, id)
}

export async function allWebhooks(db: Connection, portalId: string): Promise<WebhookRow[]> {
  return webhooks(db, portalId).orderBy('id').execute()
}

const webhookPages = definePagedQuery({
  rows: (db, { portal_id }: { portal_id: string }) => webhooks(db, portal_id),
  filters: { ...equalFilters('state'), ...createdConditions },
  orders: { created_at: ['created_at', 'id'] },
})

export async function listWebhooks(
  db: Connection,
  portalId: string,
  filters: CreatedFilters & Record<string, unknown>,
  page: PageRequest,
) {
  return webhookPages(db, { portal_id: portalId }, { ...filters, ...createdBounds(filters) }, page)
}

export async function insertWebhook(tx: Tx, row: WebhookRow): Promise<void> {
  await tx.insertInto('webhooks').values(toColumns(row)).execute()
}

export async function updateWebhook(tx: Tx, row: WebhookRow): Promise<boolean> {
  return updateVersion(tx, 'webhooks', toColumns(row))
}

/** Those of some webhooks whose endpoints fail now. */
export async function findFailing(
  db: Connection,
  some: readonly Pick<WebhookRow, 'portal_id' | 'id'>[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('portal_id', 'in', [...new Set(some.map(({ portal_id }) => portal_id))])
    .where(
      'id',
      'in',
      some.map(({ id }) => id),
    )
    .where('failing_since', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Not a change of the record: whether its endpoint answers. */
export async function setFailingSince(
  tx: Tx,
  portalId: string,
  id: string,
  failing_since: string | null,
): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ failing_since })
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .execute()
}

/** For a Portal that was suspended: nothing was tried meanwhile, so nothing has failed for so long. */
export async function forgetFailures(tx: Tx, portalId: string): Promise<void> {
  await tx.updateTable('webhooks').set({ failing_since: null }).where('portal_id', '=', portalId).execute()
}

export async function deleteWebhook(tx: Tx, portalId: string, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('portal_id', '=', portalId).where('id', '=', id).execute()
}

function toColumns(row: WebhookRow): Insertable<Tables['webhooks']> {
  const { event_types, older_secrets } = row
  return { ...row, event_types: JSON.stringify(event_types), older_secrets: JSON.stringify(older_secrets) }
}
